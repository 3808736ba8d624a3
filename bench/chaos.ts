/**
 * `npm run chaos`: a controller, a worker beside it and two in network namespaces of their own under the county's troubles, one of them killed
 * every few seconds for two minutes, one answer in a hundred lost, and one of the workers cut off for 30 seconds. Says how
 * it goes, and prints one JSON line when everything has ended as it should; else it fails. `-- --seed N --seconds N --items N`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runChaos } from "../test/e2e/chaos/run-chaos.ts";

const DEFAULT_SECONDS = 120;
/** Nearly what the county's hosts allow in that time, so that there is work to the end. */
const ITEMS_PER_SECOND = 15;
/** Eight processes share the cores with the site. */
const SEEN_LATE_MS = 500;
/** Of the time; at most 30 s. */
const CUT_SHARE = 0.25;

const { values } = parseArgs({
  options: { seed: { type: "string" }, seconds: { type: "string" }, items: { type: "string" } },
});
const count = (name: keyof typeof values, otherwise: number): number => {
  const given = Number(values[name] ?? otherwise);
  if (Number.isInteger(given) && given > 0) return given;
  throw new Error(`--${name} ${values[name]}: expected a whole number above 0`);
};
const seed = count("seed", 1 + Math.floor(Math.random() * 1e9));
const seconds = count("seconds", DEFAULT_SECONDS);
const parcels = count("items", ITEMS_PER_SECOND * seconds);

const folder = mkdtempSync(join(tmpdir(), "sluice-chaos-"));
console.error(`seed ${seed}, ${parcels} items, in ${folder}`);
const figures = await runChaos({
  folder,
  seed,
  killMs: seconds * 1000,
  parcels,
  seenLateMs: SEEN_LATE_MS,
  cutMs: Math.min(30_000, CUT_SHARE * seconds * 1000),
  say: (line) => console.error(line),
});
console.log(JSON.stringify({ figure: "chaos", ...figures }));
// Kept for inspection if something broke.
rmSync(folder, { recursive: true, force: true });
