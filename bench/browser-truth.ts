/**
 * `npm run browser-truth`: the browser scraper on 2,000 parcels of the scripted county with all troubles on, in two worker processes, first
 * undisturbed and then with Chromium killed 20 times and a worker killed 10 times. Every state, kind and record must be the truth, and nothing
 * may be left behind. Then 500 parcels from a recording, and from an extension's actions, with the records of the HTTP scraper. Prints one JSON
 * line for each run. `-- --items N --recorded N --browsers N --workers N --only calm|killed|recordings`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runBrowserTruth } from "../test/e2e/browser/run-browser-truth.ts";
import { runRecordings } from "../test/e2e/browser/run-recordings.ts";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "2000" },
    recorded: { type: "string", default: "500" },
    browsers: { type: "string", default: "20" },
    workers: { type: "string", default: "10" },
    only: { type: "string" },
  },
});
const count = (name: "items" | "recorded" | "browsers" | "workers"): number => {
  const given = Number(values[name]);
  if (Number.isInteger(given) && given >= 0) return given;
  throw new Error(`--${name} ${values[name]}: expected a whole number`);
};

const say = (line: string): void => console.error(line);
const truthWith = (killBrowsers: number, killWorkers: number) => (folder: string) =>
  runBrowserTruth({
    folder,
    killBrowsers,
    killWorkers,
    parcels: count("items"),
    choose: (truths) => truths,
    say,
  });

const RUNS: Readonly<Record<string, (folder: string) => Promise<object>>> = {
  calm: truthWith(0, 0),
  killed: truthWith(count("browsers"), count("workers")),
  recordings: async (folder) => ({
    sameRecords: await runRecordings({ folder, parcels: count("recorded"), say }),
  }),
};
for (const [name, run] of Object.entries(RUNS)) {
  if (values.only !== undefined && values.only !== name) continue;
  const folder = mkdtempSync(join(tmpdir(), "sluice-browser-truth-"));
  console.error(`${name}: in ${folder}`);
  console.log(JSON.stringify({ figure: `browser-truth, ${name}`, ...(await run(folder)) }));
  // Kept for inspection if something broke.
  rmSync(folder, { recursive: true, force: true });
}
