/**
 * `npm run browser-truth`: the browser scraper on 2,000 parcels of the scripted county with all troubles on, in two worker processes, first
 * undisturbed and then with Chromium killed 20 times and a worker killed 10 times. Every state, kind and record must be the truth, and nothing
 * may be left behind. Prints one JSON line for each run. `-- --items N --browsers N --workers N --only calm|killed`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runBrowserTruth } from "../test/e2e/browser/run-browser-truth.ts";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "2000" },
    browsers: { type: "string", default: "20" },
    workers: { type: "string", default: "10" },
    only: { type: "string" },
  },
});
const count = (name: "items" | "browsers" | "workers"): number => {
  const given = Number(values[name]);
  if (Number.isInteger(given) && given >= 0) return given;
  throw new Error(`--${name} ${values[name]}: expected a whole number`);
};

const RUNS = {
  calm: { killBrowsers: 0, killWorkers: 0 },
  killed: { killBrowsers: count("browsers"), killWorkers: count("workers") },
};
for (const [name, kills] of Object.entries(RUNS)) {
  if (values.only !== undefined && values.only !== name) continue;
  const folder = mkdtempSync(join(tmpdir(), "sluice-browser-truth-"));
  console.error(`${name}: in ${folder}`);
  const figures = await runBrowserTruth({
    ...kills,
    folder,
    parcels: count("items"),
    choose: (truths) => truths,
    say: (line) => console.error(line),
  });
  console.log(JSON.stringify({ figure: `browser-truth, ${name}`, ...figures }));
  // Kept for inspection if something broke.
  rmSync(folder, { recursive: true, force: true });
}
