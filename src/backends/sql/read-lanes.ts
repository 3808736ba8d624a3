import { laneIntervalMs, speedOf } from "../../ledger/lane-pace.ts";
import { laneLadders } from "../../ledger/proxy-tiers.ts";
import { countPlaces } from "../../ledger/workers.ts";
import type { Lane } from "../../ledger/records.ts";
import { usedPerSecond } from "../../domain/lane-use.ts";
import type { JobLane, LaneState } from "../../domain/job.ts";
import type { JobLaneQuery, LaneQuery, WorkerView } from "../../ports/ledger.ts";
import { jobNamed } from "./job-named.ts";
import { all, arrays, load, type Steps } from "./steps.ts";
import { FORMATS, type Value } from "./tables.ts";

/** By the indexes of what is held: so many rows are looked at as lanes are held, however many there are. Parameter 3 is the time. */
const HELD = `t.id IN (SELECT o.id FROM lanes o @index(lanes_held_by_operator) WHERE o.is_held_by_operator = 1
  UNION ALL SELECT s.id FROM lanes s @index(lanes_held) WHERE s.hold_until > 0 AND s.hold_until > ?3
  UNION ALL SELECT q.lane FROM queues q @index(queues_held_lane) WHERE q.held_at IS NOT NULL AND @open(q))`;

const COLUMNS = FORMATS.lane.selected.join(", ");

function* lanesByName(now: number, { isHeld, after = "", limit }: LaneQuery): Steps<Value[][]> {
  const list = (condition: string): string =>
    `SELECT ${COLUMNS} FROM lanes t WHERE t.name > ?1 AND t.id > 0 ${condition} ORDER BY t.name LIMIT ?2`;
  return isHeld
    ? yield* arrays<Value[]>(list(`AND ${HELD}`), after, limit, now)
    : yield* arrays<Value[]>(list(""), after, limit);
}

export function* listLanes(now: number, query: LaneQuery): Steps<LaneState[]> {
  const { job, limit } = query;
  const found =
    job === undefined
      ? yield* lanesByName(now, query)
      : yield* arrays<Value[]>(
          `SELECT ${COLUMNS} FROM queues q JOIN lanes t ON t.id = q.lane WHERE q.job = ?
           ORDER BY t.is_held_by_operator = 1 OR t.hold_until > ? DESC, coalesce(CAST(t.speed ->> 'factor' AS DOUBLE PRECISION), 1), t.name LIMIT ?`,
          (yield* jobNamed(job)).number,
          now,
          limit,
        );
  const lanes = found.map((row) => FORMATS.lane.read(row));
  const open = yield* arrays<[number, number, number]>(
    `SELECT q.lane, CAST(sum(q.open) AS BIGINT), count(q.held_at) FROM @list(? bigint) l CROSS JOIN queues q ON q.lane = l.value AND @open(q) GROUP BY q.lane`,
    JSON.stringify(lanes.map(({ id }) => id)),
  );
  const sums = new Map(open.map(([lane, backlog, heldJobs]) => [lane, { backlog, heldJobs }]));
  const peers = yield* load("peers");
  return lanes.map((lane) => {
    const interval = laneIntervalMs(lane, now);
    const ladders = laneLadders(lane.tiers, now);
    return {
      lane: lane.name,
      perSecond: interval === 0 ? Infinity : 1000 / interval,
      factor: speedOf(lane).factor,
      holdMs: Math.max(0, lane.holdUntil - now),
      ...holdReason(lane, now),
      operatorPerSecond: lane.operatorPerSecond,
      isHeldByOperator: lane.isHeldByOperator,
      ...(sums.get(lane.id) ?? { backlog: 0, heldJobs: 0 }),
      inFlight: peers.reduce((sum, { inFlight }) => sum + (inFlight[lane.name] ?? 0), 0),
      usedPerSecond: usedPerSecond(lane, now),
      ...(ladders.length > 0 && { ladders }),
      ...(Object.keys(lane.spent).length > 0 && { spent: lane.spent }),
    };
  });
}

const holdReason = (lane: Lane, now: number): { holdReason?: string } => {
  if (lane.isHeldByOperator) return { holdReason: "operator" };
  return lane.holdUntil > now && lane.holdReason ? { holdReason: lane.holdReason } : {};
};

/** What a queue adds to the columns of its lane. */
type QueuePart = [
  backlog: number,
  inFlight: number,
  waiting: number,
  held: string | null,
  heldAt: number | null,
  probeAt: number | null,
];

export function* listJobLanes(
  now: number,
  job: string,
  { isOpen, after = "", limit }: JobLaneQuery,
): Steps<JobLane[]> {
  const { number } = yield* jobNamed(job);
  const rows = yield* arrays<Value[]>(
    `SELECT ${COLUMNS}, q.open, q.leased, q.waiting, q.held, q.held_at, q.probe_at
     FROM queues q ${isOpen ? "@index(queues_backlog)" : ""} CROSS JOIN lanes t ON t.id = q.lane
     WHERE q.job = ? AND q.lane > coalesce((SELECT l.id FROM lanes l WHERE l.name = ?), 0) ${isOpen ? "AND @open(q)" : ""}
     ORDER BY q.lane LIMIT ?`,
    number,
    after,
    limit,
  );
  return rows.map((row) => {
    const lane = FORMATS.lane.read(row);
    const own = row.slice(FORMATS.lane.selected.length) as QueuePart;
    const [backlog, inFlight, waiting, held, heldAt, probeAt] = own;
    return {
      lane: lane.name,
      holdMs: Math.max(0, lane.holdUntil - now),
      ...holdReason(lane, now),
      isHeldByOperator: lane.isHeldByOperator,
      backlog,
      inFlight,
      waiting,
      ...(held !== null && {
        held: {
          reason: (JSON.parse(held) as { readonly reason: string }).reason,
          heldAt: heldAt!,
          ...(probeAt !== null && { probeAt }),
        },
      }),
    };
  });
}

/** Workers that claim, and workers that have only registered. */
export function* listWorkers(now: number): Steps<WorkerView[]> {
  const workers = (yield* load("workers")).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const queues = new Set(workers.flatMap(({ leases }) => leases.map(({ queue }) => queue)));
  const named = yield* all<{ queue: number; job: string; lane: string }>(
    `SELECT q.id AS queue, j.id AS job, l.name AS lane FROM @list(? bigint) n CROSS JOIN queues q ON q.id = n.value
     CROSS JOIN jobs j ON j.number = q.job CROSS JOIN lanes l ON l.id = q.lane`,
    JSON.stringify([...queues]),
  );
  const names = new Map(named.map(({ queue, job, lane }) => [queue, { job, lane }]));
  return workers.map(({ name, isAlone, until, info, leases }) => {
    const holds = [...Map.groupBy(leases, ({ queue }) => queue)]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([queue, own]) => {
        const of = names.get(queue);
        return of ? { ...of, items: countPlaces(own.flatMap(({ open }) => open)) } : [];
      });
    const items = holds.reduce((sum, held) => sum + held.items, 0);
    return { ...info, name, isAlone, items, holds, leaseMs: Math.max(0, (until ?? 0) - now) };
  });
}
