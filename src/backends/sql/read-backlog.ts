import { effectiveConcurrency } from "../../domain/lane-speed.ts";
import { COLLECTOR_KINDS } from "../../domain/job-version.ts";
import {
  type LaneBacklog,
  type RunningWorker,
  SCALE_KINDS,
  type ScaleKind,
  scaleKindOf,
} from "../../domain/scale.ts";
import { heldUntil, laneIntervalMs, speedOf } from "../../ledger/lane-pace.ts";
import { kindBits } from "../../ledger/queues.ts";
import type { Lane } from "../../ledger/records.ts";
import { type Backlog, MOST_BACKLOG_LANES, type WorkerInfo } from "../../ports/ledger.ts";
import { all, arrays, type Steps } from "./steps.ts";

/** Retries of a queue that are due are counted up to this number. */
const MOST = 1000;

/** One lane's queues of a client and of the same kinds. Sums may come as text. */
interface QueueRow {
  readonly lane: number;
  readonly name: string;
  readonly kinds: number;
  readonly client: string;
  readonly ready: number | string;
  readonly leased: number | string;
  readonly per_second: number | null;
  readonly concurrency: number;
  readonly own_per_second: number | string | null;
  readonly own_concurrency: number | string | null;
  readonly next_at: number | null;
  readonly speed: string | null;
  readonly hold_until: number;
  readonly is_held_by_operator: number;
  readonly operator_per_second: number | null;
  readonly crawl_delay_ms: number | null;
  readonly crawl_until: number;
}

/** A held queue whose probe is due needs a worker that asks. */
const GROUPS = `SELECT q.lane, q.kinds, q.client,
    sum(CASE WHEN q.is_probing = 1 THEN 1
      WHEN q.is_claimable = 1 THEN q.open - q.leased - q.waiting + CASE WHEN q.waiting > 0 AND q.due_at <= ?
        THEN (SELECT count(*) FROM (SELECT r.seq FROM retries r WHERE r.queue = q.id AND r.state = 'waiting' AND r.due_at <= ? LIMIT ${MOST}) d)
        ELSE 0 END
      WHEN q.probe_at <= ? AND EXISTS (SELECT 1 FROM jobs j WHERE j.number = q.job AND j.state IN ('loading', 'running')) THEN 1
      ELSE 0 END) AS ready,
    sum(q.leased) AS leased,
    min(CASE WHEN q.is_claimable = 1 THEN q.per_second END) AS per_second,
    max(q.concurrency) AS concurrency,
    CASE WHEN count(*) = count(q.own_per_second) THEN sum(q.own_per_second) END AS own_per_second,
    CASE WHEN count(*) = count(q.own_concurrency) THEN sum(q.own_concurrency) END AS own_concurrency,
    min(CASE WHEN q.is_claimable = 1 AND q.due_at > ? THEN q.due_at WHEN q.is_claimable = 0 AND q.probe_at > ? THEN q.probe_at END) AS next_at
  FROM queues q WHERE q.open > 0 GROUP BY q.lane, q.kinds, q.client`;

const LANES = `SELECT g.lane, g.kinds, g.client, g.ready, g.leased, g.per_second, g.concurrency, g.own_per_second, g.own_concurrency, g.next_at,
    l.name, l.speed, l.hold_until, l.is_held_by_operator, l.operator_per_second, l.crawl_delay_ms, l.crawl_until
  FROM (${GROUPS}) g JOIN lanes l ON l.id = g.lane ORDER BY g.lane LIMIT ${MOST_BACKLOG_LANES}`;

const SUMS = SCALE_KINDS.flatMap((kind) =>
  ["items", "item seconds", "item requests", "cpu seconds"].map((what) => `'${kind} ${what}'`),
).join(", ");

export function* readBacklog(
  now: number,
  { lanes: only }: { readonly lanes?: readonly string[] } = {},
): Steps<Backlog> {
  const workers = yield* arrays<[isAlone: number, card: string | null, runningBy: string | null]>(
    "SELECT w.is_alone, w.card, w.running_by FROM workers w WHERE w.until IS NULL OR w.until >= ?",
    now,
  );
  const limits = yield* arrays<[client: string, most: number]>(
    "SELECT c.name, c.max_running FROM clients c WHERE c.max_running IS NOT NULL",
  );
  const sums = yield* arrays<[name: string, value: number]>(
    `SELECT s.name, s.value FROM work_sums s WHERE s.name IN (${SUMS})`,
  );
  const rows = yield* all<QueueRow>(LANES, now, now, now, now, now);
  const running = workers.map(([, , runningBy]) => JSON.parse(runningBy ?? "{}") as Record<string, number>);
  const full = new Set(
    limits
      .filter(([client, most]) => running.reduce((sum, by) => sum + (by[client] ?? 0), 0) >= most)
      .map(([client]) => client),
  );
  const asked = only && new Set(only);
  const taken = asked ? rows.filter(({ name }) => asked.has(name)) : rows;
  const groups = Map.groupBy(taken, ({ lane, kinds }) => `${lane} ${kindOf(kinds)}`);
  const nextAt = taken.reduce((first, row) => Math.min(first, nextOf(row, now)), Infinity);
  return {
    lanes: alike([...groups.values()].flatMap((own) => laneOf(own, full, now) ?? [])),
    workers: workers
      .filter(([isAlone, card]) => isAlone === 0 && card !== null)
      .map(([, card]) => JSON.parse(card!) as WorkerInfo)
      .filter(({ isDraining }) => !isDraining)
      .map(workerOf),
    work: Object.fromEntries(sums),
    ...(nextAt < Infinity && { nextInMs: nextAt - now }),
  };
}

const kindOf = (bits: number): ScaleKind =>
  scaleKindOf(COLLECTOR_KINDS.filter((kind) => (bits & kindBits([kind])) !== 0));

const laneIn = (row: QueueRow) => ({
  id: row.lane,
  goingQueues: 0,
  operatorPerSecond: row.operator_per_second,
  crawlDelayMs: row.crawl_delay_ms,
  crawlUntil: row.crawl_until,
  speed: row.speed === null ? null : (JSON.parse(row.speed) as Lane["speed"]),
  holdUntil: row.hold_until,
  isHeldByOperator: row.is_held_by_operator === 1,
});

/** When the lane can give something that it cannot give now. */
const nextOf = (row: QueueRow, now: number): number => {
  const held = heldUntil(laneIn(row));
  if (held > now) return Number(row.ready) > 0 || row.next_at !== null ? held : Infinity;
  return row.next_at ?? Infinity;
};

/** Rows of one lane whose items need the same sort of worker. */
const laneOf = (
  rows: readonly QueueRow[],
  full: ReadonlySet<string>,
  now: number,
): LaneBacklog | undefined => {
  const lane = laneIn(rows[0]!);
  const sum = (valueOf: (row: QueueRow) => number | string): number =>
    rows.reduce((total, row) => total + Number(valueOf(row)), 0);
  const isHeld = heldUntil(lane) > now;
  const items =
    sum(({ leased }) => leased) + sum(({ client, ready }) => (isHeld || full.has(client) ? 0 : ready));
  if (items === 0) return undefined;
  const lowest = Math.min(...rows.map(({ per_second }) => per_second ?? Infinity));
  const intervalMs = laneIntervalMs({ ...lane, lowestPerSecond: lowest === Infinity ? null : lowest }, now);
  const { factor } = speedOf(lane);
  const concurrency = Math.max(...rows.map((row) => row.concurrency));
  const places = Math.min(
    effectiveConcurrency({ perSecond: lowest, concurrency }, factor),
    sum(({ own_concurrency }) => own_concurrency ?? Infinity),
  );
  const ownPerSecond = sum(({ own_per_second }) => own_per_second ?? Infinity);
  const perSecond = Math.min(intervalMs === 0 ? Infinity : 1000 / intervalMs, ownPerSecond * factor);
  return { kind: kindOf(rows[0]!.kinds), perSecond, places, ready: Math.min(items, places), lanes: 1, items };
};

const alike = (lanes: Iterable<LaneBacklog>): LaneBacklog[] => {
  const found = new Map<string, LaneBacklog>();
  for (const lane of lanes) {
    const key = `${lane.kind} ${lane.perSecond} ${lane.places} ${lane.ready}`;
    const known = found.get(key);
    found.set(key, known ? { ...known, lanes: known.lanes + 1, items: known.items + lane.items } : lane);
  }
  return [...found.values()];
};

const workerOf = (info: WorkerInfo): RunningWorker => {
  const { kinds = COLLECTOR_KINDS, concurrency, browserConcurrency, cores, memoryMb } = info;
  return {
    kinds: [...new Set(kinds.map((kind) => scaleKindOf([kind])))],
    capacity: {
      http: concurrency,
      ...(browserConcurrency !== undefined && { browser: browserConcurrency }),
    },
    ...(cores !== undefined && { cores }),
    ...(memoryMb !== undefined && { memoryMb }),
  };
};
