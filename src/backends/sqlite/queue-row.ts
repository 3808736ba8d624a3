import type { Database } from "./database.ts";

export interface QueueRow {
  readonly id: number;
  readonly job: number;
  readonly lane: number;
  readonly client: string;
  readonly per_second: number | null;
  readonly burst: number;
  readonly concurrency: number;
  /** What its job has asked for, where that is less than its scraper allows: holds for this queue alone. */
  readonly own_per_second: number | null;
  readonly own_concurrency: number | null;
  /** When its next slot can be booked, as far as its own pace goes. */
  readonly own_next: number;
  readonly tail: number;
  readonly cursor: number;
  readonly open: number;
  readonly claimable: number;
  readonly ready_at: number | null;
  readonly breaker: string | null;
  readonly doubtful: number;
  readonly held: string | null;
  readonly held_at: number | null;
  readonly probe_at: number | null;
  readonly probing: number;
  readonly trips: number;
  /** Among the queues of one client in the lane, higher comes first. */
  readonly priority: number;
  readonly served_at: number;
  /** JSON of the job's `freshness`; null where it says nothing of it. */
  readonly freshness: string | null;
  /** What its items need of a worker, see `kindBits`. */
  readonly kinds: number;
}

export const queueRow = (db: Database, id: number): QueueRow | undefined =>
  db.get<QueueRow>("SELECT * FROM queues WHERE id = ?", id);

/** The single item that asks whether a held lane has healed is in somebody's hands. */
export const isProbeOut = ({ probing, claimable }: Pick<QueueRow, "probing" | "claimable">): boolean =>
  probing === 1 && claimable === 0;

/** Whether items may be claimed from it, set from the state of its job and lane. */
export const setClaimable = (db: Database, queue: number, isClaimable: boolean): void => {
  db.run("UPDATE queues SET claimable = ? WHERE id = ?", isClaimable ? 1 : 0, queue);
};
