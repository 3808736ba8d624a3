import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import * as fc from "fast-check";
import { openSqlite } from "../../backends/sqlite/open.ts";
import { eachVerb } from "../../ledger/resend.ts";
import type { Outcome } from "../../domain/item.ts";
import type { ClaimedItem, Ledger, SettledItem } from "../ledger.ts";
import { LawRun } from "./law-run.ts";
import { histories } from "./law-steps.ts";
import { behindRelay, loseAnswers, resend } from "./relay.ts";
import { DONE, failed, RETURNED, settlement, type SimWorker, waiting } from "./sim-worker.ts";
import { workerInfo, jobSpec, keysOf, LEASE_MS, type OpenLedger, planned, SITE, Kit } from "./test-kit.ts";

const open: OpenLedger = async (folder, options) => await openSqlite(join(folder, "ledger.db"), options);

/** Where a call finds the ledger: a paced job with items leased to one worker, and a job that ended with a failure. */
interface Prepared {
  readonly kit: Kit;
  readonly ledger: Ledger;
  readonly worker: SimWorker;
  readonly held: readonly ClaimedItem[];
}

const PACE = { perSecond: 2, burst: 1, concurrency: 9 };
const pins = { scrapers: jobSpec("job", { version: "v2" }).scrapers, fields: [], required: [], maxDepth: 10 };

const prepare = async (kit: Kit): Promise<Prepared> => {
  const { ledger } = kit;
  const worker = kit.worker();
  await kit.job("ended", ["a"], { lane: "ended.test", maxItems: 1 });
  await ledger.addItems("ended", planned(["capped"], "ended.test"), []);
  await ledger.sealJob("ended");
  await worker.settle(await worker.take(), failed("timeout"));
  await kit.job("job", keysOf(9), { pace: PACE });
  const { items: held } = await worker.claim(2);
  return { kit, ledger, worker, held };
};

/** Everything visible of a ledger, and what it returns next. Numbers that are only ids may differ. */
const look = async (kit: Kit): Promise<unknown> => {
  const { ledger } = kit;
  const jobs = await ledger.listJobs();
  const items = await Promise.all(jobs.map(({ spec }) => kit.items(spec.id)));
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
  kit.pass(500);
  const grant = await kit.worker("next").claim();
  const given = { ...grant, items: grant.items.map(({ key }) => key) };
  return { jobs, items, events, rest, removals: await ledger.removals.list({ limit: 9 }), given };
};

type Call = (prepared: Prepared) => Promise<unknown>;

const settleAll =
  (outcome: Outcome, own: Partial<SettledItem> = {}): Call =>
  ({ ledger, worker, held }) =>
    ledger.settle(
      worker.name,
      held.map((item) => settlement(item, outcome, own)),
    );

/** More than one transaction takes. */
const MANY = 2500;

const VERBS: Readonly<Record<string, Call>> = {
  createJob: ({ ledger }) => ledger.createJob(jobSpec("new")),
  addItems: ({ ledger }) => ledger.addItems("job", planned(["new"]), [{ line: 1, problem: "bad" }]),
  "addItems, many": ({ ledger }) =>
    ledger.addItems("job", planned([...keysOf(MANY, "n"), "k0"]), [{ line: 1, problem: "bad" }]),
  sealJob: ({ ledger }) => ledger.sealJob("job"),
  "controlJob, pause": ({ ledger }) => ledger.controlJob("job", "pause"),
  "controlJob, resume": ({ ledger }) => ledger.controlJob("job", "resume"),
  "controlJob, cancel": ({ ledger }) => ledger.controlJob("job", "cancel"),
  retryItems: ({ ledger }) => ledger.retryItems("ended", {}),
  "retryItems, by key": ({ ledger }) => ledger.retryItems("ended", { keys: ["a", "b"] }),
  raiseCaps: ({ ledger }) => ledger.raiseCaps("ended", { maxItems: 5 }),
  pinVersions: ({ ledger }) => ledger.pinVersions("ended", pins),
  amendItems: async ({ ledger, kit }) => {
    await ledger.pinVersions("ended", pins);
    const { ref } = await kit.item("ended", "a");
    const outcome = { state: "done", quality: "complete" } as const;
    const rest = { records: null, fieldCounts: [], emitted: planned(["found"]), rejected: [] };
    await ledger.amendItems("ended", 1, [{ ...ref, outcome, ...rest }], true);
  },
  "controlLane, hold": ({ ledger }) => ledger.controlLane(SITE, { isHeld: true, perSecond: 1 }),
  "controlLane, reset": ({ ledger }) => ledger.controlLane(SITE, { isReset: true }),
  setShare: ({ ledger }) => ledger.setShare("team", { weight: 2, maxRunning: 3 }),
  claim: ({ worker, kit }) => {
    kit.pass(1000);
    return worker.claim(2);
  },
  "claim, of items that were tried before": async ({ worker, kit, held }) => {
    await worker.settle(held, waiting(500));
    await kit.ledger.retryItems("ended", {});
    kit.pass(1000);
    return await worker.claim(4);
  },
  "claim, of a suspect": async ({ kit, ledger, worker }) => {
    await ledger.reap({ worker: worker.name });
    kit.pass(1000);
    return await kit.worker("alone").claim(1, { alone: true });
  },
  "pulse, wishes": ({ worker, held }) =>
    worker.pulse({ wishes: [{ lane: SITE, queue: held[0]!.queue, count: 1 }] }),
  "pulse, returned": ({ worker }) => worker.pulse({ returned: [{ lane: SITE, delaysMs: [500] }] }),
  "pulse, outcomes": ({ worker, held }) => worker.tell(held[0]!.queue, "structure-changed", 4),
  "pulse, stops": async ({ ledger, worker }) => {
    await ledger.controlJob("job", "pause");
    const { stopped } = await worker.pulse();
    return [stopped, await ledger.isQuiet("job")];
  },
  "pulse, of a worker that was given up": async ({ ledger, worker, held }) => {
    await ledger.reap({ worker: worker.name });
    const outcomes = [{ queue: held[0]!.queue, result: "timeout", attempt: 1 }] as const;
    return await worker.pulse({ outcomes, returned: [{ lane: SITE, delaysMs: [500] }] });
  },
  "settle, done": settleAll(DONE, { emitted: planned(["found"]) }),
  "settle, failed": settleAll(failed("timeout")),
  "settle, waiting": settleAll(waiting(500)),
  "settle, returned": settleAll(RETURNED),
  "settle, with many items found": settleAll(DONE, { emitted: planned(keysOf(MANY, "n")) }),
  reap: ({ ledger, worker }) => ledger.reap({ worker: worker.name }),
  "reap, of all that are silent": ({ ledger, kit }) => {
    kit.pass(LEASE_MS + 1);
    return ledger.reap({});
  },
  readRobots: ({ ledger, worker }) => ledger.readRobots("https://site.test", worker.name),
  keepRobots: ({ ledger }) => ledger.keepRobots("https://site.test", { text: "", keepMs: 60_000 }),
  registerWorker: ({ ledger }) => ledger.registerWorker(workerInfo("w1"), { "own troubles": 5 }),
  write: ({ ledger }) => ledger.events.write([{ type: "job.progress", job: "job", facts: {} }]),
  move: async ({ ledger }) => await ledger.events.move("one", await ledger.events.last()),
  mark: ({ ledger }) => ledger.removals.mark("ended", "job"),
  tidy: ({ ledger }) => ledger.tidy(),
};

const verbOf = (name: string): string => name.split(",")[0]!;

/** Its answer, or its error, and what is seen after it. */
const effectOf = async (t: TestContext, call: Call, lost: string | undefined): Promise<unknown> => {
  let toLose: string | undefined;
  const kit = await Kit.create(t, async (folder, options) =>
    resend(
      loseAnswers(await open(folder, options), (verb) => {
        const isLost = verb === toLose;
        if (isLost) toLose = undefined;
        return isLost;
      }),
    ),
  );
  const prepared = await prepare(kit);
  toLose = lost;
  const answer = await call(prepared).catch((error: unknown) => ({ error }));
  assert.equal(toLose, undefined, "an answer was lost");
  return { answer: withoutLeases(answer), seen: await look(kit) };
};

/** Lease numbers start at random. */
const withoutLeases = (answer: unknown): unknown =>
  typeof answer === "object" && answer !== null && "items" in answer && Array.isArray(answer.items)
    ? { ...answer, items: answer.items.map((item: object) => ({ ...item, lease: 0 })) }
    : answer;

describe("a call that is sent again after a lost answer has the effect of one call", () => {
  for (const [name, call] of Object.entries(VERBS))
    it(name, async (t) => {
      assert.deepEqual(await effectOf(t, call, verbOf(name)), await effectOf(t, call, undefined));
    });
});

/** The operator's last setting applies, however old it is. */
const LAST_WORD_STANDS = ["controlLane", "setShare"];

/** What is seen when the call arrives a second time, after others of the same kind. */
const lateEffectOf = async (t: TestContext, call: Call, verb: string, isTwice: boolean): Promise<unknown> => {
  const sent: (() => Promise<unknown>)[] = [];
  const kit = await Kit.create(t, async (folder, options) =>
    resend(
      eachVerb(await open(folder, options), (name, own) => (...args) => {
        if (name === verb) sent.push(() => own(...args));
        return own(...args);
      }),
    ),
  );
  const prepared = await prepare(kit);
  sent.length = 0;
  await call(prepared);
  const [first] = sent;
  const { ledger, worker } = prepared;
  await worker.pulse();
  await worker.claim();
  await ledger.controlJob("job", "pause").catch(() => undefined);
  await ledger.controlJob("job", "resume").catch(() => undefined);
  await ledger.addItems("job", planned(["later"]), []).catch(() => undefined);
  if (isTwice) await first!().catch(() => undefined);
  return await look(kit);
};

describe("a call that arrives again after others changes nothing", () => {
  for (const [name, call] of Object.entries(VERBS))
    if (!LAST_WORD_STANDS.includes(verbOf(name)))
      it(name, async (t) => {
        const verb = verbOf(name);
        assert.deepEqual(await lateEffectOf(t, call, verb, true), await lateEffectOf(t, call, verb, false));
      });
});

describe("SQLite behind a relay that loses answers", () => {
  it("keeps the laws", async (t) => {
    const kit = await Kit.create(t, behindRelay(open, { share: 0.05 }));
    const handles = [await kit.another(), await kit.another(), await kit.another()];
    const samples = fc.sample(histories, { seed: 20261116, numRuns: 10 });
    for (const [number, steps] of samples.entries()) {
      const run = await LawRun.start(kit, handles, `${number}-`);
      for (const step of steps) await run.step(step).catch(() => undefined);
      assert.deepEqual(kit.violations(), []);
    }
  });
});
