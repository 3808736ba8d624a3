/**
 * `npm run chaos`: a controller, a worker beside it and two in network namespaces of their own under the county's troubles, one of them killed
 * every few seconds for two minutes, one answer in a hundred lost, and one of the workers cut off for 30 seconds. Says how
 * it goes, and prints one JSON line when everything has ended as it should; else it fails. `-- --seed N --seconds N --items N`.
 *
 * `npm run chaos -- --machines`: the ledger is in PostgreSQL, and three workers are on machines of their own, as far as the network tells. Nothing is killed. 5 %
 * of their packets are lost, one of them cannot reach the database for 60 seconds, and the clock of another is five minutes off and set every few seconds.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ChaosPlan, runChaos } from "../test/e2e/chaos/run-chaos.ts";
import { noFaketime } from "../test/e2e/chaos/wrong-clock.ts";
import { noPostgres, PostgresServer } from "../test/kits/postgres.ts";

const DEFAULT_SECONDS = 120;
/** Nearly what the county's hosts allow in that time, so that there is work to the end. */
const ITEMS_PER_SECOND = 15;
/** Eight processes share the cores with the site. */
const SEEN_LATE_MS = 500;
/** Of the time; at most 30 s. */
const CUT_SHARE = 0.25;

const MACHINES = 3;
const LOSS_SHARE = 0.05;
/** A packet that is lost is sent again after this, and later ones with it. */
const SENT_AGAIN_MS = 3000;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seconds: { type: "string" },
    items: { type: "string" },
    machines: { type: "boolean", default: false },
  },
});
const count = (name: "seed" | "seconds" | "items", otherwise: number): number => {
  const given = Number(values[name] ?? otherwise);
  if (Number.isInteger(given) && given > 0) return given;
  throw new Error(`--${name} ${values[name]}: expected a whole number above 0`);
};
const seed = count("seed", 1 + Math.floor(Math.random() * 1e9));
const seconds = count("seconds", DEFAULT_SECONDS);
const parcels = count("items", ITEMS_PER_SECOND * seconds);

const machinesPlan = async (): Promise<Partial<ChaosPlan>> => {
  const problem = noPostgres || noFaketime();
  if (problem) throw new Error(problem);
  const server = await PostgresServer.start();
  const storage = { ledger: server.url(), workers: 0, remoteWorkers: MACHINES };
  const cutMs = Math.min(60_000, seconds * 500);
  return { storage, machines: { lossShare: LOSS_SHARE }, cutMs, seenLateMs: SENT_AGAIN_MS };
};

const folder = mkdtempSync(join(tmpdir(), "sluice-chaos-"));
console.error(`seed ${seed}, ${parcels} items, in ${folder}`);
const figures = await runChaos({
  folder,
  seed,
  killMs: seconds * 1000,
  parcels,
  seenLateMs: SEEN_LATE_MS,
  cutMs: Math.min(30_000, CUT_SHARE * seconds * 1000),
  ...(values.machines && (await machinesPlan())),
  say: (line) => console.error(line),
});
console.log(JSON.stringify({ figure: values.machines ? "machines" : "chaos", ...figures }));
// Kept for inspection if something broke.
rmSync(folder, { recursive: true, force: true });
