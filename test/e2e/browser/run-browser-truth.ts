import assert from "node:assert/strict";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_SEED } from "../../../examples/county/parcels.ts";
import { parseTroubles, type Trouble } from "../../../examples/county/troubles.ts";
import { type Truth, truthOf } from "../../../examples/county/truth.ts";
import { openStorage } from "../../../src/compose.ts";
import { FAILURE_KINDS, type FailureKind } from "../../../src/domain/failure.ts";
import type { Storage } from "../../../src/ports/storage.ts";
import { sigkill } from "../chaos/killer.ts";
import { startSite } from "../county-process.ts";
import { assertTruth } from "../county-truth.ts";
import { childrenOf, ROOT, sluice, SluiceProcess } from "../sluice-process.ts";
import { assertSameRecords, recordsIn } from "./same-records.ts";

export interface TruthRun {
  /** An empty folder. */
  readonly folder: string;
  readonly choose: (truths: readonly Truth[]) => readonly Truth[];
  /** Parcels of the county. */
  readonly parcels: number;
  readonly killBrowsers: number;
  readonly killWorkers: number;
  readonly say: (line: string) => void;
}

export interface TruthFigures {
  readonly items: number;
  readonly seconds: number;
  /** Records that equal those of the HTTP scraper on the plain pages. */
  readonly sameRecords: number;
  readonly browsersKilled: number;
  readonly workersKilled: number;
  readonly attemptFailures: Readonly<Record<string, number>>;
}

/** Runs the browser scraper on the scripted county with two worker processes, and compares every result with the truth. */
export const runBrowserTruth = async (run: TruthRun): Promise<TruthFigures> => {
  const { folder, parcels, say } = run;
  const population = { seed: DEFAULT_SEED, parcels, troubles: parseTroubles("all", { scripted: true }) };
  const chosen = run.choose([...truthOf({ ...population, scripted: true })]);
  const [input, truth, data, temporary] = ["input.csv", "truth.jsonl", "data", "tmp"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  mkdirSync(temporary);
  writeFileSync(input, ["parcel", ...chosen.map(({ parcel }) => parcel), ""].join("\n"));
  writeFileSync(truth, chosen.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const scraper = join(folder, "county-browser.scraper.ts");
  writeFileSync(scraper, patientCopy("county-browser", 15_000, run.killBrowsers > 0 ? 5 : 3));

  await using site = await startSite(["--parcels", `${parcels}`, "--troubles", "all", "--scripted"]);
  await using storage = await openStorage(data);
  // Every process of the run inherits the mark.
  const env = { COUNTY_URL: site.url, TMPDIR: temporary, COUNTY_RUN: folder };
  const startedAt = performance.now();
  const current = new SluiceProcess(
    ["run", scraper, "--input", input, "--data", data, "--processes", "2"],
    env,
  );
  const killed = await killWhileRunning(run, current, storage, chosen.length);
  const { code, stderr } = await current.ended;
  assert.equal(code, chosen.some(({ state }) => state === "failed") ? 3 : 0, stderr);
  const seconds = (performance.now() - startedAt) / 1000;
  say(`${chosen.length} items in ${seconds.toFixed(0)} s, ${JSON.stringify(killed)}`);
  assertTruth(truth, data);
  await assertNothingLeft(folder, temporary, storage);
  const sameRecords = await compareWithPlain(run, { url: site.url, input, data, chosen });
  const [job] = await storage.ledger.listJobs();
  return {
    items: chosen.length,
    seconds,
    sameRecords,
    ...killed,
    attemptFailures: job?.attemptFailures ?? {},
  };
};

/** Only parcels that both variants show: a script that loops has no equal on the plain pages. */
const compareWithPlain = async (
  { folder }: TruthRun,
  { url, input, data, chosen }: { url: string; input: string; data: string; chosen: readonly Truth[] },
): Promise<number> => {
  const plain = join(folder, "plain.scraper.ts");
  writeFileSync(plain, patientCopy("county", 8_000));
  const plainData = join(folder, "plain");
  const { code, stderr } = await sluice(["run", plain, "--input", input, "--data", plainData], {
    COUNTY_URL: url,
  });
  assert.ok(code === 0 || code === 3, stderr);
  const shown = chosen.filter(({ state }) => state !== "failed").map(({ parcel }) => parcel);
  return assertSameRecords(await recordsIn(data), await recordsIn(plainData), shown);
};

/** What goes away by itself. An attempt that ended with its browser counts, too. */
const PASSING: readonly FailureKind[] = [
  "browser",
  "timeout",
  "connection",
  "rate-limited",
  "server-error",
  "maintenance",
];

/** The example with more time for a busy machine, and no breaker: some runs have more troubles than a site should. */
export const patientCopy = (name: string, requestMs: number, attempts = 3): string => `
import county from ${JSON.stringify(join(ROOT, `examples/county/${name}.scraper.ts`))};
const kinds = ${JSON.stringify(FAILURE_KINDS)};
const policy = { breakerWeight: 0, backoff: { firstMs: 200, maxMs: 1000 } };
const failures = Object.fromEntries(kinds.map((kind) => [kind, { ...county.failures?.[kind], ...policy }]));
for (const kind of ${JSON.stringify(PASSING)}) failures[kind].maxAttempts = ${attempts};
export default { ...county, limits: { ...county.limits, requestMs: ${requestMs} }, failures };
`;

/** Kills a browser or a worker each time that enough items have ended since the last time. */
const killWhileRunning = async (
  { killBrowsers, killWorkers }: TruthRun,
  current: SluiceProcess,
  storage: Storage,
  items: number,
): Promise<{ browsersKilled: number; workersKilled: number }> => {
  const kinds = [
    ...Array<"browser">(killBrowsers).fill("browser"),
    ...Array<"worker">(killWorkers).fill("worker"),
  ].toSorted(() => Math.random() - 0.5);
  // The last kill leaves items for the process that takes over.
  const step = Math.floor((items * 0.8) / (kinds.length + 1));
  let [browsersKilled, workersKilled] = [0, 0];
  for (const kind of kinds) {
    const before = await endedIn(storage);
    const victims = (): number[] => (kind === "browser" ? browsersOf(current) : workersOf(current));
    while ((await endedIn(storage)) < before + step || victims().length === 0) {
      assert.ok(current.family().length > 0, `the run ended too early: ${current.stderr}`);
      await delay(50);
    }
    const candidates = victims();
    const victim = candidates[Math.floor(Math.random() * candidates.length)];
    if (victim === undefined) continue;
    sigkill(victim);
    if (kind === "browser") browsersKilled++;
    else workersKilled++;
  }
  return { browsersKilled, workersKilled };
};

const endedIn = async ({ ledger }: Storage): Promise<number> => {
  const [job] = await ledger.listJobs();
  const { done, absent, failed } = job?.counts.states ?? { done: 0, absent: 0, failed: 0 };
  return done + absent + failed;
};

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has just ended
  }
};

const isBrowser = (pid: number): boolean =>
  /headless-shell|chrom/.test(commandOf(pid)) && !commandOf(pid).includes("--type=");

const workersOf = ({ child }: SluiceProcess): number[] =>
  child.pid === undefined ? [] : childrenOf(child.pid).filter((pid) => commandOf(pid).includes("worker"));

const browsersOf = (current: SluiceProcess): number[] =>
  workersOf(current)
    .flatMap((worker) => childrenOf(worker))
    .filter(isBrowser);

/** No process, no folder, no item in flight. */
const assertNothingLeft = async (mark: string, temporary: string, { ledger }: Storage): Promise<void> => {
  const left = () =>
    globSync("/proc/[0-9]*/environ").filter((file) => {
      try {
        return readFileSync(file, "latin1").includes(`COUNTY_RUN=${mark}\0`);
      } catch {
        return false; // it has just ended, or belongs to someone else
      }
    });
  for (let looks = 0; looks < 100 && left().length > 0; looks++) await delay(50);
  assert.deepEqual(left(), [], "processes");
  const folders = existsSync(temporary) ? readdirSync(temporary) : [];
  assert.deepEqual(
    folders.filter((name) => /sluice|playwright|chrom/i.test(name)),
    [],
    "folders",
  );
  const [job] = await ledger.listJobs();
  assert.equal(job?.endedAt === undefined, false, "the job has ended");
  assert.equal(job?.counts.states.leased, 0, "items in flight");
};

/** So many of each trouble, and healthy ones between them. */
export const someOfEach =
  (each: number, healthy: number) =>
  (truths: readonly Truth[]): Truth[] => {
    const taken = new Map<Trouble | "none", number>();
    return truths.filter(({ trouble }) => {
      const most = trouble === "none" ? healthy : each;
      const count = (taken.get(trouble) ?? 0) + 1;
      taken.set(trouble, count);
      return count <= most;
    });
  };
