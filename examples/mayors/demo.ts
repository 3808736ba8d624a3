/** `npm run demo:mayors`: the whole country from a site that stops answering those who hurry, held with the site's own truth. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { childEnvironment } from "../../bin/end-with-parent.js";
import { compareWithTruth } from "./compare.ts";
import { PATIENCE, startMayors } from "./site.ts";
import { TOWNS } from "./towns.ts";
import { truthOf } from "./truth.ts";

const { values } = parseArgs({
  options: {
    "no-slow-down": { type: "boolean", default: false },
    towns: { type: "string", default: String(TOWNS) },
    limit: { type: "string", default: String(PATIENCE.limit) },
    window: { type: "string", default: String(PATIENCE.windowMs / 1000) },
    "request-ms": { type: "string", default: "2500" },
  },
});
const isHasty = values["no-slow-down"];
const [towns, limit, windowMs] = [Number(values.towns), Number(values.limit), Number(values.window) * 1000];

const ROOT = resolve(import.meta.dirname, "../..");
const folder = join(ROOT, "data", isHasty ? "mayors-no-slow-down" : "mayors");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const [input, output] = [join(folder, "start.txt"), join(folder, "mayors.csv")];

await using site = await startMayors({ towns, limit, windowMs });
writeFileSync(input, `${site.url}/\n`);
writeFileSync(
  join(folder, "truth.jsonl"),
  truthOf(towns)
    .map((truth) => `${JSON.stringify(truth)}\n`)
    .join(""),
);
console.log(
  `${towns} towns at ${site.url}. It answers nobody while more than ${limit} requests arrived in the last ${windowMs / 1000} s.`,
);
const begunAt = performance.now();
const args = ["run", join(import.meta.dirname, "mayors.scraper.ts"), "--input", input, "--format", "urls"];
const run = spawn(
  process.execPath,
  [join(ROOT, "bin/sluice.js"), ...args, "--output", output, "--data", folder],
  {
    stdio: "inherit",
    env: {
      ...childEnvironment(),
      SLUICE_COMMAND: "npx sluice",
      MAYORS_REQUEST_MS: values["request-ms"],
      ...(isHasty && { MAYORS_SLOW_DOWN: "no" }),
    },
  },
);
const [code] = (await once(run, "exit")) as [number | null];
const seconds = (performance.now() - begunAt) / 1000;
// 3 is right: some pages of this site cannot be fetched, and Sluice reports them.
if (code !== 3) process.exitCode = code ?? 1;
else process.exitCode = report();

function report(): number {
  const { right, broken, lost, wrong } = compareWithTruth(output, site.url, towns);
  console.log(`\n${broken.length} pages that the site breaks, as its own record says:`);
  for (const { kind, url } of broken) console.log(`  ${kind.padEnd(18)} ${url}`);
  for (const line of wrong) console.error(`wrong: ${line}`);
  const { total, unanswered } = site.requests;
  console.log(
    `\n${right} of ${towns} towns read as they should be, ${broken.length} broken by the site, ${lost.length} lost, in ${seconds.toFixed(0)} s; ` +
      `${unanswered} of ${total} requests were left without an answer.`,
  );
  console.log(`The mayors: ${relative(process.cwd(), output)}`);
  return wrong.length === 0 && (isHasty || lost.length === 0) ? 0 : 1;
}
