import { parseArgs } from "node:util";
import { startFeedSite } from "./site.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0) {
  process.stderr.write(
    `--port ${values.port}: expected a number\n\nnode examples/feeds/serve.ts [--port N]\n`,
  );
  process.exit(2);
}
const site = await startFeedSite(port);
process.stdout.write(`${JSON.stringify({ url: site.url })}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void site[Symbol.asyncDispose]());
