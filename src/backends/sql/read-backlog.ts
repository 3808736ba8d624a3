import { effectiveConcurrency, FULL_SPEED } from "../../domain/lane-speed.ts";
import { COLLECTOR_KINDS } from "../../domain/job-version.ts";
import { type LaneBacklog, type RunningWorker, SCALE_KINDS, scaleKindOf } from "../../domain/scale.ts";
import { laneIntervalMs } from "../../ledger/lane-pace.ts";
import { kindBits } from "../../ledger/queues.ts";
import type { Backlog, WorkerInfo } from "../../ports/ledger.ts";
import { all, arrays, type Steps } from "./steps.ts";
import type { Value } from "./tables.ts";

/** Due retries of a queue are counted up to this number. */
const MOST = 1000;
/** Maximum number of groups of equal lanes. */
const PAGE = 10_000;

/** Lanes without relevant differences. Sums may be returned as text. */
interface LaneRow {
  readonly is_http: number;
  readonly lowest: number | null;
  readonly concurrency: number;
  readonly own_per_second: number | string | null;
  readonly own_concurrency: number | string | null;
  readonly factor: number;
  readonly operator_per_second: number | null;
  readonly crawl_delay_ms: number | null;
  /** Items in each of them, at most `concurrency`. */
  readonly ready: number | string;
  readonly lanes: number | string;
  readonly items: number | string;
}

const marks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

/** Items of a queue that can be claimed now. A held queue with a due probe needs a worker. */
const READY = `CASE WHEN q.is_probing = 1 THEN 1
    WHEN q.is_claimable = 1 THEN q.open - q.leased - q.waiting + CASE WHEN q.waiting > 0 AND q.due_at <= ?
      THEN (SELECT count(*) FROM (SELECT r.seq FROM retries r WHERE r.queue = q.id AND r.state = 'waiting' AND r.due_at <= ? LIMIT ${MOST}) d)
      ELSE 0 END
    WHEN q.probe_at <= ? AND EXISTS (SELECT 1 FROM jobs j WHERE j.number = q.job AND j.state IN ('loading', 'running')) THEN 1
    ELSE 0 END`;

/** In each lane, the queues whose items need the same kind of worker; then groups of equal lanes. */
function* readLanes(
  now: number,
  full: readonly string[],
  only: readonly string[] | undefined,
): Steps<LaneRow[]> {
  const isFull = full.length > 0 ? `OR q.client IN (${marks(full)})` : "";
  const isAsked = only ? `AND l.name IN (${marks(only)})` : "";
  const values: Value[] = [now, now, ...full, now, now, now, ...(only ?? [])];
  return yield* all<LaneRow>(
    `SELECT g.is_http, g.lowest, g.concurrency, g.own_per_second, g.own_concurrency,
       coalesce(CAST(l.speed ->> 'factor' AS DOUBLE PRECISION), 1) AS factor, l.operator_per_second,
       CASE WHEN l.crawl_until > ? THEN l.crawl_delay_ms END AS crawl_delay_ms,
       CASE WHEN g.items < g.concurrency THEN g.items ELSE g.concurrency END AS ready, count(*) AS lanes, sum(g.items) AS items
     FROM (
       SELECT q.lane, CASE WHEN q.kinds = ${kindBits(["http"])} THEN 1 ELSE 0 END AS is_http,
         sum(q.leased + CASE WHEN l.is_held_by_operator = 1 OR l.hold_until > ? ${isFull} THEN 0 ELSE ${READY} END) AS items,
         min(CASE WHEN q.is_claimable = 1 THEN q.per_second END) AS lowest, max(q.concurrency) AS concurrency,
         CASE WHEN count(*) = count(q.own_per_second) THEN sum(q.own_per_second) END AS own_per_second,
         CASE WHEN count(*) = count(q.own_concurrency) THEN sum(q.own_concurrency) END AS own_concurrency
       FROM queues q JOIN lanes l ON l.id = q.lane WHERE @open(q) ${isAsked} GROUP BY 1, 2
     ) g JOIN lanes l ON l.id = g.lane WHERE g.items > 0
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 LIMIT ${PAGE}`,
    ...values,
  );
}

/** When the first waiting item can run. */
function* readNext(now: number): Steps<number | null> {
  const [first] = yield* arrays<[at: number | null]>(
    `SELECT min(CASE WHEN q.is_claimable = 1 AND l.hold_until > ? THEN l.hold_until WHEN q.is_claimable = 1 AND q.due_at > ? THEN q.due_at
       WHEN q.is_claimable = 0 AND q.probe_at > ? THEN q.probe_at END)
     FROM queues q JOIN lanes l ON l.id = q.lane WHERE @open(q) AND l.is_held_by_operator = 0`,
    now,
    now,
    now,
  );
  return first![0];
}

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
  const running = workers.map(([, , runningBy]) => JSON.parse(runningBy ?? "{}") as Record<string, number>);
  const full = limits
    .filter(([client, most]) => running.reduce((sum, by) => sum + (by[client] ?? 0), 0) >= most)
    .map(([client]) => client);
  const lanes = yield* readLanes(now, full, only);
  const nextAt = lanes.length > 0 ? null : yield* readNext(now);
  return {
    lanes: alike(lanes.map((row) => backlogOf(row, now))),
    workers: workers
      .filter(([isAlone, card]) => isAlone === 0 && card !== null)
      .map(([, card]) => JSON.parse(card!) as WorkerInfo)
      .filter(({ isDraining }) => !isDraining)
      .map(workerOf),
    work: Object.fromEntries(sums),
    ...(nextAt !== null && { nextInMs: nextAt - now }),
  };
}

const orNone = (value: number | string | null): number => (value === null ? Infinity : Number(value));

const backlogOf = (row: LaneRow, now: number): LaneBacklog => {
  const { lowest, concurrency, factor, crawl_delay_ms: crawlDelayMs } = row;
  const limits = { operatorPerSecond: row.operator_per_second, crawlDelayMs, crawlUntil: Infinity };
  const speed = { ...FULL_SPEED, factor };
  const lane = { id: 0, goingQueues: 0, lowestPerSecond: lowest, speed, ...limits };
  const intervalMs = laneIntervalMs(lane, now);
  const places = Math.min(
    effectiveConcurrency({ perSecond: orNone(lowest), concurrency }, factor),
    orNone(row.own_concurrency),
  );
  return {
    kind: row.is_http === 1 ? "http" : "browser",
    perSecond: Math.min(intervalMs === 0 ? Infinity : 1000 / intervalMs, orNone(row.own_per_second) * factor),
    places,
    ready: Math.min(Number(row.ready), places),
    lanes: Number(row.lanes),
    items: Number(row.items),
  };
};

const alike = (lanes: readonly LaneBacklog[]): LaneBacklog[] => {
  const found = new Map<string, LaneBacklog>();
  for (const lane of lanes) {
    const key = `${lane.kind} ${lane.perSecond} ${lane.places} ${lane.ready}`;
    const known = found.get(key) ?? { lanes: 0, items: 0 };
    found.set(key, { ...lane, lanes: known.lanes + lane.lanes, items: known.items + lane.items });
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
