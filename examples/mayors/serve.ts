import { parseArgs } from "node:util";
import { type Mayors, PATIENCE, startMayors } from "./site.ts";
import { TOWNS } from "./towns.ts";

const USAGE = `node examples/mayors/serve.ts [options]
  --port N     0: the system chooses (default)
  --towns N    default ${TOWNS}
  --limit N    answers nobody while more than N requests arrived (default ${PATIENCE.limit})
  --window S   in the last S seconds (default ${PATIENCE.windowMs / 1000})
`;

let site: Mayors;
try {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { port: text, towns: text, limit: text, window: text } });
  const number = (name: keyof typeof values, otherwise: number): number => {
    const given = values[name] ?? String(otherwise);
    if (!/^\d+(\.\d+)?$/.test(given)) throw new RangeError(`--${name} ${given}: expected a number`);
    return Number(given);
  };
  site = await startMayors({
    port: number("port", 0),
    towns: number("towns", TOWNS),
    limit: number("limit", PATIENCE.limit),
    windowMs: number("window", PATIENCE.windowMs / 1000) * 1000,
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exit(2);
}
process.stdout.write(`${JSON.stringify({ url: site.url })}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void site.close());
