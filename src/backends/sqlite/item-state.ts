import { ITEM_STATES, type ItemState } from "../../model/item.ts";
import type { JobRow } from "./job-row.ts";

interface ItemPlace {
  readonly seq: number;
  readonly state: number;
  readonly due_at: number | null;
  readonly suspect: number;
  /** Of its queue. */
  readonly cursor: number;
}

/** What became of items that were never written one by one; undefined while the job goes on. */
export const leftAs = (job: Pick<JobRow, "state" | "spent_at">): "cancelled" | "failed" | undefined => {
  if (job.spent_at !== null) return "failed";
  return job.state === "cancelled" ? "cancelled" : undefined;
};

/** See the migrations for what the columns say together. */
export const stateOf = (row: ItemPlace, left: "cancelled" | "failed" | undefined): ItemState => {
  if (row.state >= 3) return ITEM_STATES[row.state]!;
  const isLeased = row.state === 0 && row.seq <= row.cursor && row.due_at === null && row.suspect === 0;
  if (isLeased) return "leased";
  if (left !== undefined) return left;
  return row.state === 2 ? "waiting" : "queued";
};
