import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type AlertBook,
  type AlertRule,
  type AlertRules,
  beginMemory,
  DEFAULT_ALERT_RULES,
  dueAlerts,
  endAlert,
  type JobMemory,
  judgeAlerts,
  keepChannels,
  markOf,
  markTold,
  raiseAlert,
  remember,
} from "./alert-rules.ts";
import type { StateCounts } from "./item.ts";
import type { JobView } from "./job.ts";

const RULES: AlertRules = {
  breaker: true,
  proxy: true,
  failureShare: { over: 0.2, last: 100 },
  noSuccess: { forMs: 600_000 },
  completeness: { drop: 0.2, last: 100 },
  versions: true,
  drift: true,
  releases: true,
  schedules: true,
};
const ALL_QUEUED: StateCounts = {
  queued: 1000,
  leased: 0,
  waiting: 0,
  done: 0,
  absent: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
};

const viewOf = (states: Partial<StateCounts>, own: Partial<JobView> = {}): JobView => ({
  spec: {
    id: "job",
    client: "team",
    scraper: "county",
    source: "",
    version: "v1",
    pace: { perSecond: 1, burst: 1, concurrency: 1 },
    scrapers: [],
    extracts: true,
    fields: ["owner"],
    required: ["owner"],
    policy: {},
    maxItems: Infinity,
    maxDepth: 1,
  },
  state: "running",
  isSealed: true,
  createdAt: 0,
  counts: {
    received: 0,
    accepted: 0,
    folded: 0,
    rejected: 0,
    capped: 0,
    states: { ...ALL_QUEUED, ...states },
  },
  cappedBy: { items: 0, depth: 0, chain: 0, budget: 0, quota: 0 },
  partial: 0,
  failures: [],
  attemptFailures: {},
  fieldCounts: [states.done ?? 0, 0, 0, 0],
  held: [],
  rejects: [],
  requests: 0,
  bytes: 0,
  ...own,
});

/** Looks at a job once for each view, a minute apart; answers the verdict of a rule at each. */
const verdicts = (rule: AlertRule, views: readonly JobView[], earlier?: readonly number[]): string[] => {
  let memory: JobMemory | undefined;
  return views.map((view, minute) => {
    const now = minute * 60_000;
    const mark = markOf(view);
    memory = memory ? remember(memory, mark, 100, now) : beginMemory(mark, mark.ended <= 100, now);
    const verdict = judgeAlerts({ view, memory, earlier }, RULES, now).find((one) => one.rule === rule);
    return verdict?.state ?? "off";
  });
};

test("a held lane is an alert until it is released", () => {
  const held = [{ lane: "site.test", reason: "25 of 25 attempts failed", evidence: {}, heldAt: 0 }];
  assert.deepEqual(verdicts("breaker", [viewOf({}), viewOf({}, { held }), viewOf({})]), [
    "good",
    "bad",
    "good",
  ]);
});

test("failures are counted over the last items only", () => {
  const states = verdicts("failureShare", [
    viewOf({ done: 50, failed: 40 }),
    viewOf({ done: 60, failed: 41 }),
    viewOf({ done: 1000, failed: 41 }),
    viewOf({ done: 1080, failed: 58 }),
    viewOf({ done: 1080, failed: 90 }),
    viewOf({ done: 1200, failed: 90 }),
  ]);
  // Too few; 41 of 101; 0 of 940; 17 of 1037; 49 of 129; 0 of 120.
  assert.deepEqual(states, ["unknown", "bad", "good", "good", "bad", "good"]);
});

test("a share near the limit neither raises an alert nor ends one", () => {
  assert.deepEqual(verdicts("failureShare", [viewOf({}), viewOf({ done: 82, failed: 18 })]), [
    "unknown",
    "unknown",
  ]);
});

test("a small job is judged at its end by all of its items, a tiny job is not judged", () => {
  const ended = { endedAt: 1, state: "done" as const };
  assert.deepEqual(verdicts("failureShare", [viewOf({ done: 10, failed: 15 }, ended)]), ["bad"]);
  assert.deepEqual(verdicts("failureShare", [viewOf({ done: 10, failed: 15 })]), ["unknown"]);
  assert.deepEqual(verdicts("failureShare", [viewOf({ failed: 5 }, ended)]), ["unknown"]);
});

test("a job that is first seen while it runs is judged by its later items", () => {
  const states = verdicts("failureShare", [
    viewOf({ done: 500, failed: 500 }),
    viewOf({ done: 550, failed: 500 }),
    viewOf({ done: 600, failed: 500 }),
  ]);
  assert.deepEqual(states, ["unknown", "unknown", "good"]);
});

test("retried items do not cause a sudden share of failures", () => {
  const states = verdicts("failureShare", [
    viewOf({ done: 0, failed: 100 }),
    viewOf({ done: 0, failed: 0 }),
    viewOf({ done: 60, failed: 0 }),
    viewOf({ done: 100, failed: 0 }),
  ]);
  assert.deepEqual(states, ["bad", "unknown", "unknown", "good"]);
});

test("a running job without success for the given time is an alert, a job that is stopped for a reason is not", () => {
  const minutes = (count: number, view: JobView): JobView[] => Array.from({ length: count }, () => view);
  const silent = verdicts("noSuccess", [...minutes(11, viewOf({ done: 5 })), viewOf({ done: 6 })]);
  assert.deepEqual(silent.slice(-3), ["good", "bad", "good"]);
  for (const still of [
    viewOf({}, { state: "paused" }),
    viewOf({ queued: 0 }),
    viewOf({}, { held: [{ lane: "a", reason: "", evidence: {}, heldAt: 0 }] }),
  ])
    assert.equal(verdicts("noSuccess", minutes(12, still)).at(-1), "unknown");
});

test("a field that is found less often than before in this job is an alert", () => {
  const counts = (present: number, missing: number) =>
    viewOf({ done: present + missing }, { fieldCounts: [present, 0, missing, 0] });
  const states = verdicts("completeness", [counts(90, 0), counts(200, 0), counts(260, 60), counts(600, 60)]);
  assert.deepEqual(states, ["unknown", "good", "bad", "good"]);
});

test("a field that is found less often than in the previous job is an alert from the first window on", () => {
  const view = viewOf({ done: 150 }, { fieldCounts: [75, 75, 0, 0] });
  assert.deepEqual(verdicts("completeness", [viewOf({}), view], [95, 5, 0, 0]), ["unknown", "bad"]);
  assert.deepEqual(verdicts("completeness", [viewOf({}), view], [50, 50, 0, 0]), ["unknown", "good"]);
  assert.deepEqual(
    verdicts("completeness", [viewOf({}), view], [9, 0, 0, 0]),
    ["unknown", "good"],
    "too few",
  );
});

test("a disabled rule raises no alert", () => {
  const view = viewOf({ failed: 500 });
  const memory = beginMemory(markOf(view), true, 0);
  const rules = {
    breaker: false,
    proxy: false,
    failureShare: false,
    noSuccess: false,
    completeness: false,
    versions: false,
    drift: false,
    releases: false,
    schedules: false,
  } as const;
  assert.deepEqual(judgeAlerts({ view, memory }, rules, 1e9), []);
  assert.equal(judgeAlerts({ view, memory }, DEFAULT_ALERT_RULES, 0).length, 5);
});

test("a proxy tier that is down, and a lane without a working tier, are alerts until they work or the job has ended", () => {
  const ladder = { lane: "a.test", ladder: ["direct", "datacenter"], tier: "datacenter", outages: [] };
  const down = { ...ladder, outages: [{ tier: "datacenter", why: "402 no credit", untilAt: 1 }] };
  const verdict = (own: Partial<JobView>) => {
    const view = viewOf({}, own);
    const memory = beginMemory(markOf(view), true, 0);
    return judgeAlerts({ view, memory }, RULES, 0).find(({ rule }) => rule === "proxy");
  };
  assert.deepEqual(verdict({ ladders: [ladder, down] }), {
    rule: "proxy",
    state: "bad",
    text: "proxy tier datacenter is down in lane a.test: 402 no credit",
  });
  assert.deepEqual(verdict({ ladders: [down, { ...down, lane: "b.test", held: "no proxy tier works" }] }), {
    rule: "proxy",
    state: "bad",
    text: "lane b.test waits: no proxy tier works",
  });
  assert.equal(verdict({ ladders: [ladder] })?.state, "good");
  assert.equal(verdict({})?.state, "good");
  assert.equal(verdict({ ladders: [down], endedAt: 5 })?.state, "good");
});

test("the stored state of a job stays small, and its window is never shorter than configured", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { minLength: 1, maxLength: 200 }), (steps) => {
      let done = 0;
      let memory = beginMemory(markOf(viewOf({})), true, 0);
      for (const step of steps) {
        done += step;
        memory = remember(memory, markOf(viewOf({ done })), 100, 0);
        assert.ok(memory.marks.length <= 12);
        if (done >= 100) assert.ok(done - memory.marks[0]!.ended >= 100);
      }
    }),
  );
});

const GROUP_MS = 30_000;
const NONE = { raised: [], over: [] };

test("alerts of a burst are sent together, and only once while they last", () => {
  let book = raiseAlert({}, "a", "a is wrong", 0);
  book = raiseAlert(book, "b", "b is wrong", 20_000);
  assert.deepEqual(dueAlerts(book, "ops", GROUP_MS - 1), NONE);
  const due = dueAlerts(book, "ops", GROUP_MS);
  assert.deepEqual(due, { raised: ["a", "b"], over: [] });
  book = markTold(book, "ops", due);
  book = raiseAlert(book, "a", "a is still wrong", 90_000);
  assert.deepEqual(dueAlerts(book, "ops", 1e9), NONE);
});

test("the end of a sent alert is sent, and the alert is then forgotten", () => {
  let book = markTold(raiseAlert({}, "a", "wrong", 0), "ops", { raised: ["a"], over: [] });
  book = endAlert(book, "a", "right");
  const due = dueAlerts(book, "ops", 0);
  assert.deepEqual(due, { raised: [], over: ["a"] });
  assert.deepEqual(markTold(book, "ops", due), {});
});

test("an alert that ends before it was sent is never sent", () => {
  assert.deepEqual(endAlert(raiseAlert({}, "a", "wrong", 0), "a", "right"), {});
});

test("an alert that returns before its end was sent is not sent again", () => {
  let book = markTold(raiseAlert({}, "a", "wrong", 0), "ops", { raised: ["a"], over: [] });
  book = raiseAlert(endAlert(book, "a", "right"), "a", "wrong", 5);
  assert.deepEqual(dueAlerts(book, "ops", 1e9), NONE);
});

test("each channel is separate: one that got no alert gets no end of it", () => {
  let book = markTold(raiseAlert({}, "a", "wrong", 0), "ops", { raised: ["a"], over: [] });
  assert.deepEqual(dueAlerts(book, "mail", GROUP_MS).raised, ["a"]);
  book = endAlert(book, "a", "right");
  assert.deepEqual(dueAlerts(book, "mail", GROUP_MS), NONE);
  assert.deepEqual(dueAlerts(book, "ops", 0).over, ["a"]);
  assert.deepEqual(keepChannels(book, ["mail"]), {}, "a channel that is gone holds nothing up");
});

test("a channel always gets alert and end in turn, and finally the true state", () => {
  const step = fc.record({
    id: fc.constantFrom("a", "b"),
    isBad: fc.boolean(),
    passMs: fc.nat(GROUP_MS),
    works: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let book: AlertBook = {};
      let now = 0;
      const isBad = new Map<string, boolean>();
      const heard = new Map<string, boolean>();
      const tell = (): void => {
        const due = dueAlerts(book, "ops", now);
        for (const [ids, wrong] of [[due.raised, true] as const, [due.over, false] as const])
          for (const id of ids) {
            assert.notEqual(heard.get(id) ?? false, wrong, "nothing is said twice");
            heard.set(id, wrong);
          }
        book = markTold(book, "ops", due);
      };
      for (const { id, isBad: bad, passMs, works } of steps) {
        now += passMs;
        isBad.set(id, bad);
        book = bad ? raiseAlert(book, id, "wrong", now) : endAlert(book, id, "right");
        if (works) tell();
      }
      now += GROUP_MS;
      tell();
      for (const id of ["a", "b"]) assert.equal(heard.get(id) ?? false, isBad.get(id) ?? false);
    }),
  );
});
