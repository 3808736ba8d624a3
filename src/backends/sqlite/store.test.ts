import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { want } from "../../ledger/transaction.ts";
import type { LoadName } from "../../ledger/loads.ts";
import type { Kind, Records } from "../../ledger/records.ts";
import { seedBreaker } from "../../domain/breaker.ts";
import { FULL_SPEED } from "../../domain/lane-speed.ts";
import { BOTTOM } from "../../domain/proxy-ladder.ts";
import { jobSpec } from "../../ports/ledger-suite/test-kit.ts";
import { LOADS } from "../sql/loads.ts";
import { selectOf } from "../sql/statements.ts";
import { FORMATS } from "../sql/tables.ts";
import { Database } from "./database.ts";
import { sqliteStore } from "./store.ts";

const open = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-store-"));
  const statements: string[] = [];
  const db = await Database.open(join(folder, "ledger.db"), {
    now: () => 5,
    onStatement: (sql) => statements.push(sql),
  });
  const store = sqliteStore(db);
  await store.transact([], () => undefined); // looks at the clock
  statements.length = 0;
  t.after(async () => {
    db.close();
    await rm(folder, { recursive: true });
  });
  return { db, store, statements };
};

const failure = { kind: "timeout", detail: "no answer" } as const;
const last = { failure, captures: [], records: null, attempt: [1, 2, 3, 4, "w", "gone"], revision: 2 };
const place = { queue: 3, seq: 4 };
const item: Records["item"] = {
  ...place,
  key: "k",
  input: '{"a":"ü"}',
  scraper: 1,
  depth: 2,
  chain: 3,
  parentQueue: 1,
  parentSeq: 2,
};
const job: Records["job"] = {
  number: 1,
  id: "j",
  client: "c",
  spec: jobSpec("j"),
  state: "paused",
  isSealed: true,
  createdAt: 1,
  endedAt: null,
  deadlineAt: 9.5,
  spentAt: null,
  revision: 1,
  reopenedAt: null,
  keySeed: 7,
  paused: {
    cause: "asked",
    reason: "asked for",
    at: 3,
  },
  received: 9,
  accepted: 8,
  folded: 1,
  rejected: 1,
  rejects: [
    {
      line: 1,
      problem: "no",
    },
  ],
  capped: {
    items: 1,
    depth: 0,
    chain: 2,
    budget: 0,
    quota: 3,
  },
  done: 1,
  absent: 2,
  failed: 3,
  skipped: 1,
  cancelled: 1,
  partial: 1,
  requests: 20,
  bytes: 2 ** 40,
  fieldCounts: [1, 0, 2, 0],
  failures: {
    timeout: {
      final: 1,
      attempts: 2,
      exampleKey: "k",
      exampleDetail: "no answer",
    },
  },
  changes: { new: 2 },
  costs: { datacenter: { requests: 1, bytes: 2, microCost: 3 } },
};
const worker: Records["worker"] = {
  name: "w",
  until: 10.5,
  isAlone: true,
  jobs: ["j"],
  info: null,
  registeredAt: 2,
  leases: [
    {
      id: 1,
      queue: 3,
      job: 1,
      client: "c",
      open: [1, 2, 4, 4],
      hasRetries: true,
    },
  ],
  nextLease: 2,
  running: [3, 1],
  pulseLease: 1,
  unsettled: [3, 5, 100],
  unsettledTiers: [{ queue: 3, tier: "datacenter", requests: 5, bytes: 100, microCost: 7 }],
  inFlight: { "a.test": 2 },
  runningIn: { 3: 1 },
  runningBy: { c: 1 },
  stops: [
    {
      job: 1,
      queue: 3,
      isTold: false,
    },
  ],
  lastClaim: {
    number: 4,
    at: 9,
    leases: [1],
    grant: { slots: [], unpaced: ["a.test"], suspects: 0 },
  },
  lastPulse: { number: 6, at: 9.5, reply: null },
};

/** One of each kind that is written. */
const SAMPLES: {
  readonly [
    K in Exclude<Kind, "peer" | "dueItem" | "freshItem" | "suspectGroup" | "example" | "removal">
  ]: Records[K];
} = {
  service: { id: 1, latestAt: 1.25, boot: "b", aheadMs: -3, lastQueue: 4, lastLane: 5, lastJob: 6 },
  client: {
    name: "c",
    weight: 0.1,
    maxRunning: 5,
    itemsPerDay: null,
    requestsPerDay: 7,
    bytesPerDay: null,
    costPerDay: 0.5,
  },
  lane: {
    id: 2,
    name: "a.test",
    tat: 1763290000000.123,
    intervalMs: 1e3 / 3,
    spare: [1.5, 2],
    ahead: [],
    speed: FULL_SPEED,
    holdUntil: 0,
    holdReason: "throttled",
    crawlDelayMs: null,
    crawlUntil: 0,
    operatorPerSecond: 1 / 86400,
    isHeldByOperator: true,
    freshRun: 3,
    floor: 1.5,
    ways: {},
    spent: { datacenter: { requests: 1, bytes: 2, microCost: 3 } },
    tiers: { "direct,datacenter": { ...BOTTOM, at: 1 } },
    used: 12.5,
    usedAt: 1763290000000.5,
    lowestPerSecond: 2.5,
    goingQueues: 1,
  },
  share: {
    lane: 0,
    client: "c",
    had: 3.3,
    readyAt: null,
    accepted: { 20_000: 5 },
    spent: { 20_000: { requests: 1, bytes: 2, microCost: 3 } },
  },
  queue: {
    id: 3,
    job: 1,
    lane: 2,
    client: "c",
    perSecond: 2.5,
    burst: 1,
    concurrency: 4,
    ownPerSecond: 0.5,
    ownConcurrency: 2,
    ownNextAt: 3,
    ownSlots: { 2: 8.5 },
    tail: 9,
    cursor: 4,
    open: 7,
    leased: 1,
    waiting: 2,
    isClaimable: true,
    hasFresh: false,
    dueAt: 7,
    priority: -1,
    servedAt: 3,
    freshness: { maxAgeMs: 5 },
    kinds: 3,
    breaker: seedBreaker(),
    isDoubtful: true,
    held: { reason: "r" },
    heldAt: 3,
    probeAt: 4,
    isProbing: false,
    trips: 2,
    jobId: "j",
    revision: 1,
  },
  job,
  failureTimes: { job: 1, widthMs: 20_000, buckets: { 87_500_000: { timeout: [1, 2] } } },
  worker,
  item,
  capped: { ...item, cap: "depth" },
  key: { job: 1, hash: 2 ** 52 + 1, ...place },
  retry: {
    ...place,
    state: "waiting",
    dueAt: 77.5,
    attempts: 1,
    throttles: 2,
    hasActed: true,
    blamed: 1,
    unexplained: 2,
    leaderQueue: 8,
    leaderSeq: 9,
    isFree: true,
    last,
    history: [
      {
        at: 1,
        ms: 2,
        worker: "w",
        failure,
        requests: 1,
        bytes: 2,
        revision: 1,
      },
    ],
  },
  result: {
    ...place,
    ...last,
    state: "skipped",
    attempts: 3,
    endedAt: 9,
    quality: "partial",
    change: "changed",
    skipped: {
      reason: "fresh",
      from: {
        job: "i",
        queue: 1,
        seq: 1,
      },
    },
  },
  fresh: {
    key: "k",
    scraper: "s",
    owner: "",
    isFailure: true,
    version: "v",
    job: "j",
    ...place,
    fetchedAt: 1,
    freshUntil: 2,
    outcome: "done",
    etag: "e",
    lastModified: null,
    url: "u",
    digest: null,
  },
  fetch: { ...place, job: "j", client: "c", scraper: "s", version: "v", key: "k" },
  baseline: { scraper: "s", lane: 2, breaker: seedBreaker() },
  label: { name: "", value: "county", job: 1 },
  borrowed: { owner: "i", ...place },
  answer: { id: "call/1", at: 3, reply: { accepted: 1 } },
  document: { kind: "schedule", name: "weekly", revision: 3, changedAt: 5.5, body: { cron: "0 6 * * 1" } },
  robots: { origin: "https://a.test", text: null, until: 5.5, fetcher: "w", fetchUntil: 7 },
};

const KEYED = [
  want("service"),
  want("client", "c"),
  want("lane", 2),
  want("share", 0, "c"),
  want("queue", 3),
  want("job", 1),
  want("failureTimes", 1),
  want("worker", "w"),
  want("item", 3, 4),
  want("capped", 3, 4),
  want("key", 1, 2 ** 52 + 1),
  want("retry", 3, 4),
  want("result", 3, 4),
  want("fresh", "k", "s", ""),
  want("fetch", 3, 4),
  want("baselineIn", "s", "a.test"),
  want("answer", "call/1"),
  want("document", "schedule", "weekly"),
  want("robots", "https://a.test"),
];

test("what is written of each kind is read again as it was, and deleted", async (t) => {
  const { db, store, statements } = await open(t);
  const names = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];
  await store.transact([], (tx) => names.forEach((kind) => tx.put(kind, SAMPLES[kind])));
  statements.length = 0;
  const together = await store.transact(KEYED, (tx) =>
    KEYED.map(({ name, args }) => tx.one(name, ...(args as []))),
  );
  assert.equal(statements.length, 1, "all sets are loaded by one statement");
  const loaded = names.filter((name) => name !== "label" && name !== "borrowed");
  for (const [at, kind] of loaded.entries()) assert.deepEqual(together[at], SAMPLES[kind], kind);
  for (const [at, { name, args }] of KEYED.entries()) {
    const alone = await store.transact([], (tx) => tx.one(name, ...(args as [])));
    assert.deepEqual(alone, together[at], `${name} alone`);
  }
  const due = await store.transact([want("dueItems", 3, 5)], (tx) => tx.one("dueItems", 3, 5));
  assert.deepEqual(due, { ...SAMPLES.retry, ...SAMPLES.item });
  const [peer] = await store.transact([want("peers")], (tx) => tx.list("peers"));
  assert.deepEqual(
    [peer?.name, peer?.inFlight, peer?.lanes, peer?.isDraining],
    ["w", { "a.test": 2 }, null, false],
  );
  const damaged = (["item", "result", "retry", "job"] as const).filter((kind) => {
    const { table, written } = FORMATS[kind];
    const columns = written.filter((column) => column !== "sum").join(", ");
    return db.get(`SELECT 1 FROM ${table} WHERE sum IS NOT row_sum(${columns})`);
  });
  assert.deepEqual(damaged, [], "SQL sums rows as the store does");
  await store.transact(KEYED, (tx) => {
    for (const kind of names) {
      const format = FORMATS[kind];
      const keys = db.arrays(`SELECT ${format.key.join(", ")} FROM ${format.table}`) as (string | number)[][];
      for (const key of keys) tx.drop(kind, ...key);
    }
  });
  for (const kind of names) assert.equal(db.get(`SELECT 1 FROM ${FORMATS[kind].table}`), undefined, kind);
});

test("every column of a table is one of its kind's, so that the checksum covers it", async (t) => {
  const { db } = await open(t);
  for (const kind of Object.keys(SAMPLES) as (keyof typeof SAMPLES)[]) {
    const { table, written } = FORMATS[kind];
    const columns = db.all<{ name: string }>("SELECT name FROM pragma_table_info(?)", table);
    assert.deepEqual(
      columns.map(({ name }) => name).toSorted(),
      [...written].toSorted(),
      `the columns of ${table}`,
    );
  }
});

test("a rule that asks for more is run again with what it asked for, and writes once", async (t) => {
  const { store, statements } = await open(t);
  await store.transact([], (tx) => {
    for (let seq = 1; seq <= 1000; seq++) tx.put("item", { ...item, queue: 1, seq, key: `k${seq}` });
    tx.put("share", { ...SAMPLES.share, had: 1 });
  });
  assert.equal(statements.length, 2, "one statement for each kind");
  statements.length = 0;
  let runs = 0;
  const sum = await store.transact([want("share", 0, "c")], (tx) => {
    runs++;
    const share = tx.one("share", 0, "c")!;
    tx.patch("share", share, { had: share.had! + 1 });
    tx.tell("job.started", "j", { runs });
    tx.count("lost leases", 2);
    tx.need(want("item", 1, 7), want("freshItems", 1, 10, 980));
    return (
      tx.list("freshItems", 1, 10, 980).length + tx.one("item", 1, 7)!.seq + tx.list("retry", 1, 1).length
    );
  });
  assert.deepEqual([sum, runs], [987, 3]);
  assert.equal(statements.length, 6, "three loads; the share, the event and the sum");
  const again = await store.transact([], (tx) => tx.one("share", 0, "c")?.had);
  assert.equal(again, 2);
});

test("a rule that fails writes nothing, and one that never has enough is stopped", async (t) => {
  const { db, store } = await open(t);
  const failing = store.transact([], (tx) => {
    tx.put("client", SAMPLES.client);
    tx.tell("job.started", "j");
    throw new Error("no");
  });
  await assert.rejects(failing, /no/);
  assert.equal(db.get("SELECT 1 FROM clients UNION ALL SELECT 1 FROM events"), undefined);
  let seq = 0;
  const endless = store.transact([], (tx) => tx.one("item", 1, ++seq));
  await assert.rejects(endless, /did not finish after 1000 rounds of loading; it last asked for item/);
});

test("the lanes that a job wakes are those in which something may be ready", async (t) => {
  const { store } = await open(t);
  await store.transact([], (tx) => {
    tx.put("queue", { ...SAMPLES.queue, id: 1, lane: 1, hasFresh: true });
    tx.put("queue", { ...SAMPLES.queue, id: 2, lane: 2, isClaimable: false });
    for (const lane of [1, 2]) tx.put("share", { ...SAMPLES.share, lane, readyAt: 500 });
    tx.wakeJob(1, 100);
  });
  const wants = [want("share", 1, "c"), want("share", 2, "c")];
  const ready = await store.transact(wants, (tx) =>
    [1, 2].map((lane) => tx.one("share", lane, "c")?.readyAt),
  );
  assert.deepEqual(ready, [100, 500]);
});

test("every set of records is found by an index, but for those that are few", async (t) => {
  const { db } = await open(t);
  const few = new Set<string>([
    "service",
    "firstClients",
    "workers",
    "suspects",
    "examples",
  ] satisfies LoadName[]);
  const scanned = (Object.keys(LOADS) as LoadName[]).filter((name) => {
    const plan = db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${selectOf(name)}`, "[]");
    return plan.some(({ detail }) => /^SCAN (?!\w+ VIRTUAL|ready)|AUTOMATIC/.test(detail)) && !few.has(name);
  });
  assert.deepEqual(scanned, []);
});
