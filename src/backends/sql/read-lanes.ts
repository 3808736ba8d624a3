import { laneIntervalMs, speedOf } from "../../ledger/lane-pace.ts";
import { laneLadders } from "../../ledger/proxy-tiers.ts";
import { countPlaces } from "../../ledger/workers.ts";
import type { Lane } from "../../ledger/records.ts";
import type { LaneState } from "../../domain/job.ts";
import type { LaneQuery, WorkerView } from "../../ports/ledger.ts";
import { jobNamed, readRecords, type Rows } from "./rows.ts";
import { inSqlite } from "./statements.ts";
import { FORMATS, type Value } from "./tables.ts";

export const listLanes = (rows: Rows, now: number, { job, after = "", limit }: LaneQuery): LaneState[] => {
  const columns = inSqlite(FORMATS.lane.selected.join(", "));
  const found =
    job === undefined
      ? rows.arrays<Value[]>(
          `SELECT ${columns} FROM lanes t WHERE t.name > ? AND t.id > 0 ORDER BY t.name LIMIT ?`,
          after,
          limit,
        )
      : rows.arrays<Value[]>(
          `SELECT ${columns} FROM queues q JOIN lanes t ON t.id = q.lane WHERE q.job = ?
           ORDER BY t.is_held_by_operator = 1 OR t.hold_until > ? DESC, coalesce(t.speed ->> 'factor', 1), t.name LIMIT ?`,
          jobNamed(rows, job).number,
          now,
          limit,
        );
  const lanes = found.map((row) => FORMATS.lane.read(row));
  const backlogs = new Map(
    rows.arrays<[number, number]>(
      `SELECT q.lane, sum(q.open) FROM json_each(?) l CROSS JOIN queues q ON q.lane = l.value AND q.open > 0 GROUP BY q.lane`,
      JSON.stringify(lanes.map(({ id }) => id)),
    ),
  );
  const peers = readRecords(rows, "peers");
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
};

const holdReason = (lane: Lane, now: number): { holdReason?: string } => {
  if (lane.isHeldByOperator) return { holdReason: "operator" };
  return lane.holdUntil > now && lane.holdReason ? { holdReason: lane.holdReason } : {};
};

/** Those that claim, and those that have only said that they will. */
export const listWorkers = (rows: Rows, now: number): WorkerView[] => {
  const workers = readRecords(rows, "workers").toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const queues = new Set(workers.flatMap(({ leases }) => leases.map(({ queue }) => queue)));
  const names = new Map(
    rows
      .all<{ queue: number; job: string; lane: string }>(
        `SELECT q.id AS queue, j.id AS job, l.name AS lane FROM json_each(?) n CROSS JOIN queues q ON q.id = n.value
         CROSS JOIN jobs j ON j.number = q.job CROSS JOIN lanes l ON l.id = q.lane`,
        JSON.stringify([...queues]),
      )
      .map(({ queue, job, lane }) => [queue, { job, lane }]),
  );
  return workers.map(({ name, isAlone, until, info, leases }) => {
    const holds = [...Map.groupBy(leases, ({ queue }) => queue)]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([queue, own]) => {
        const named = names.get(queue);
        return named ? { ...named, items: countPlaces(own.flatMap(({ open }) => open)) } : [];
      });
    const items = holds.reduce((sum, held) => sum + held.items, 0);
    return { ...info, name, isAlone, items, holds, leaseMs: Math.max(0, (until ?? 0) - now) };
  });
};
