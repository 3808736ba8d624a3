import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import * as fc from "fast-check";
import { openSqlite } from "../../backends/sqlite/open.ts";
import type { ClaimedItem, Ledger } from "../ledger.ts";
import { LawRun } from "./law-run.ts";
import { histories } from "./law-steps.ts";
import { behindRelay, loseAnswers, resend } from "./relay.ts";
import { DONE, failed, settlement, type SimWorker } from "./sim-worker.ts";
import { card, jobSpec, keysOf, type OpenLedger, planned, SITE, World } from "./world.ts";

const open: OpenLedger = async (folder, options) => await openSqlite(join(folder, "ledger.db"), options);

/** Where a call finds the ledger: a paced job with items in the hands of one worker, and a job that ended with a failure. */
interface Ground {
  readonly world: World;
  readonly ledger: Ledger;
  readonly worker: SimWorker;
  readonly held: readonly ClaimedItem[];
}

const PACE = { perSecond: 2, burst: 1, concurrency: 9 };
const pins = { scrapers: jobSpec("job", { version: "v2" }).scrapers, fields: [], required: [], maxDepth: 10 };

const prepare = async (world: World): Promise<Ground> => {
  const { ledger } = world;
  const worker = world.worker();
  await world.job("ended", ["a"], { lane: "ended.test", maxItems: 1 });
  await ledger.addItems("ended", planned(["capped"], "ended.test"), []);
  await ledger.sealJob("ended");
  await worker.settle(await worker.take(), failed("timeout"));
  await world.job("job", keysOf(9), { pace: PACE });
  const { items: held } = await worker.claim(2);
  return { world, ledger, worker, held };
};

/** All that can be seen of a ledger, and what it gives next. Numbers that only name something may differ. */
const look = async (world: World): Promise<unknown> => {
  const { ledger } = world;
  const jobs = await ledger.listJobs();
  const items = await Promise.all(jobs.map(({ spec }) => world.items(spec.id)));
  const events = (await ledger.events.read({ limit: 100 })).map(({ type, job, facts }) => ({
    type,
    job,
    facts,
  }));
  const rest = [
    await ledger.listLanes({ limit: 9 }),
    await ledger.listWorkers(),
    await ledger.readWorkSums(),
  ];
  world.pass(500);
  const grant = await world.worker("next").claim();
  const given = { ...grant, items: grant.items.map(({ key }) => key) };
  return { jobs, items, events, rest, removals: await ledger.removals.list({ limit: 9 }), given };
};

interface Row {
  readonly call: (ground: Ground) => Promise<unknown>;
  /** What is wrong when it is sent twice. Whoever makes the verb safe removes it here. */
  readonly unsafe?: string;
}

const VERBS: Readonly<Record<string, Row>> = {
  createJob: {
    call: ({ ledger }) => ledger.createJob(jobSpec("new")),
    unsafe: "the second is refused as job-exists",
  },
  addItems: {
    call: ({ ledger }) => ledger.addItems("job", planned(["new"]), [{ line: 1, problem: "bad" }]),
    unsafe: "the second is counted as folded, and rejected inputs are counted twice",
  },
  sealJob: { call: ({ ledger }) => ledger.sealJob("job") },
  "steerJob, pause": { call: ({ ledger }) => ledger.steerJob("job", "pause") },
  "steerJob, resume": { call: ({ ledger }) => ledger.steerJob("job", "resume") },
  "steerJob, cancel": {
    call: ({ ledger }) => ledger.steerJob("job", "cancel"),
    unsafe: "the second is refused as job-ended",
  },
  retryItems: {
    call: ({ ledger }) => ledger.retryItems("ended", {}),
    unsafe: "the second answers that nothing was put back",
  },
  raiseCaps: {
    call: ({ ledger }) => ledger.raiseCaps("ended", { maxItems: 5 }),
    unsafe: "the second answers that nothing was let in",
  },
  pinVersions: {
    call: ({ ledger }) => ledger.pinVersions("ended", pins),
    unsafe: "the second makes one more revision",
  },
  amendItems: {
    call: async ({ ledger, world }) => {
      await ledger.pinVersions("ended", pins);
      const { ref } = await world.item("ended", "a");
      const outcome = { state: "done", quality: "complete" } as const;
      const rest = { records: null, fieldCounts: [], emitted: planned(["found"]), rejected: [] };
      await ledger.amendItems("ended", 1, [{ ...ref, outcome, ...rest }], true);
    },
  },
  "steerLane, hold": { call: ({ ledger }) => ledger.steerLane(SITE, { isHeld: true, perSecond: 1 }) },
  "steerLane, reset": { call: ({ ledger }) => ledger.steerLane(SITE, { isReset: true }) },
  setShare: { call: ({ ledger }) => ledger.setShare("team", { weight: 2, maxRunning: 3 }) },
  claim: {
    call: async ({ worker, world }) => {
      world.pass(1000);
      return (await worker.claim(2)).items.map(({ key }) => key);
    },
    unsafe: "items of the first answer stay leased to a worker that does not know of them",
  },
  "pulse, wishes": {
    call: ({ worker, held }) => worker.pulse({ wishes: [{ lane: SITE, queue: held[0]!.queue, count: 1 }] }),
    unsafe: "slots are booked twice, and the first ones are lost",
  },
  "pulse, returned": {
    call: ({ worker }) => worker.pulse({ returned: [{ lane: SITE, delaysMs: [500] }] }),
    unsafe: "slots are given back twice and booked twice, closer than the lane's interval",
  },
  "pulse, outcomes": {
    call: ({ worker, held }) => worker.tell(held[0]!.queue, "structure-changed", 4),
    unsafe: "outcomes are counted twice by the breaker",
  },
  settle: {
    call: ({ ledger, worker, held }) =>
      ledger.settle(
        worker.name,
        held.map((item) => settlement(item, DONE, { emitted: planned(["found"]) })),
      ),
    unsafe: "the second is refused, although the first was taken",
  },
  reap: {
    call: ({ ledger, worker }) => ledger.reap({ worker: worker.name }),
    unsafe: "the second answers that nobody was given up",
  },
  readRobots: { call: ({ ledger, worker }) => ledger.readRobots("https://site.test", worker.name) },
  keepRobots: { call: ({ ledger }) => ledger.keepRobots("https://site.test", { text: "", keepMs: 60_000 }) },
  registerWorker: {
    call: ({ ledger }) => ledger.registerWorker(card("w1"), { "own troubles": 5 }),
    unsafe: "its sums are added twice",
  },
  write: {
    call: ({ ledger }) => ledger.events.write([{ type: "job.progress", job: "job", facts: {} }]),
    unsafe: "events are written twice",
  },
  move: { call: async ({ ledger }) => await ledger.events.move("one", await ledger.events.last()) },
  mark: { call: ({ ledger }) => ledger.removals.mark("ended", "job") },
  tidy: { call: ({ ledger }) => ledger.tidy() },
};

/** Its answer, or its error, and what is seen after it. */
const effectOf = async (t: TestContext, { call }: Row, lost: string | undefined): Promise<unknown> => {
  let toLose: string | undefined;
  const world = await World.create(t, async (folder, options) =>
    resend(
      loseAnswers(await open(folder, options), (verb) => {
        const isLost = verb === toLose;
        if (isLost) toLose = undefined;
        return isLost;
      }),
    ),
  );
  const ground = await prepare(world);
  toLose = lost;
  const answer = await call(ground).catch((error: unknown) => ({ error }));
  assert.equal(toLose, undefined, "an answer was lost");
  return { answer, seen: await look(world) };
};

describe("a call whose answer is lost, and that is sent again, does what one call does", () => {
  for (const [name, row] of Object.entries(VERBS))
    it(name, { expectFailure: row.unsafe }, async (t) => {
      const [verb] = name.split(",");
      assert.deepEqual(await effectOf(t, row, verb), await effectOf(t, row, undefined));
    });
});

describe("SQLite behind a relay that loses answers", () => {
  it("keeps the laws", { expectFailure: "some verbs are not safe to send twice, see above" }, async (t) => {
    const world = await World.create(t, behindRelay(open, { share: 0.05 }));
    const handles = [await world.another(), await world.another(), await world.another()];
    const samples = fc.sample(histories, { seed: 20261116, numRuns: 10 });
    for (const [number, steps] of samples.entries()) {
      const run = await LawRun.start(world, handles, `${number}-`);
      for (const step of steps) await run.step(step).catch(() => undefined);
      assert.deepEqual(world.violations(), []);
    }
  });
});
