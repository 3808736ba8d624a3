import { laneIntervalMs, speedOf } from "../../ledger/lane-pace.ts";
import { laneLadders } from "../../ledger/proxy-tiers.ts";
import { countPlaces } from "../../ledger/workers.ts";
import type { Lane } from "../../ledger/records.ts";
import type { LaneState } from "../../domain/job.ts";
import type { LaneQuery, WorkerView } from "../../ports/ledger.ts";
import { jobNamed } from "./job-named.ts";
import { all, arrays, load, type Steps } from "./steps.ts";
import { FORMATS, type Value } from "./tables.ts";

export function* listLanes(now: number, { job, after = "", limit }: LaneQuery): Steps<LaneState[]> {
  const columns = FORMATS.lane.selected.join(", ");
  const found =
    job === undefined
      ? yield* arrays<Value[]>(
          `SELECT ${columns} FROM lanes t WHERE t.name > ? AND t.id > 0 ORDER BY t.name LIMIT ?`,
          after,
          limit,
        )
      : yield* arrays<Value[]>(
          `SELECT ${columns} FROM queues q JOIN lanes t ON t.id = q.lane WHERE q.job = ?
           ORDER BY t.is_held_by_operator = 1 OR t.hold_until > ? DESC, coalesce(CAST(t.speed ->> 'factor' AS DOUBLE PRECISION), 1), t.name LIMIT ?`,
          (yield* jobNamed(job)).number,
          now,
          limit,
        );
  const lanes = found.map((row) => FORMATS.lane.read(row));
  const backlogs = new Map(
    yield* arrays<[number, number]>(
      `SELECT q.lane, CAST(sum(q.open) AS BIGINT) FROM @list(? bigint) l CROSS JOIN queues q ON q.lane = l.value AND q.open > 0 GROUP BY q.lane`,
      JSON.stringify(lanes.map(({ id }) => id)),
    ),
  );
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
      backlog: backlogs.get(lane.id) ?? 0,
      inFlight: peers.reduce((sum, { inFlight }) => sum + (inFlight[lane.name] ?? 0), 0),
      ...(ladders.length > 0 && { ladders }),
      ...(Object.keys(lane.spent).length > 0 && { spent: lane.spent }),
    };
  });
}

const holdReason = (lane: Lane, now: number): { holdReason?: string } => {
  if (lane.isHeldByOperator) return { holdReason: "operator" };
  return lane.holdUntil > now && lane.holdReason ? { holdReason: lane.holdReason } : {};
};

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
