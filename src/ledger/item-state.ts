import type { ItemState } from "../domain/item.ts";
import type { Job, Result, Retry } from "./records.ts";

/** The state of items that are not written one by one; undefined while the job continues. */
export const leftAs = ({
  state,
  spentAt,
}: Pick<Job, "state" | "spentAt">): "cancelled" | "failed" | undefined => {
  if (spentAt !== null) return "failed";
  return state === "cancelled" ? "cancelled" : undefined;
};

/** `isClaimed`: its place is at or before its queue's cursor. */
export const stateOf = (
  isClaimed: boolean,
  result: Pick<Result, "state"> | undefined,
  retry: Pick<Retry, "state" | "dueAt"> | undefined,
  left: "cancelled" | "failed" | undefined,
): ItemState => {
  if (result) return result.state;
  const isDue = retry !== undefined && retry.dueAt !== null;
  if (isClaimed && !isDue) return "leased";
  if (left !== undefined) return left;
  return isDue && retry.state === "waiting" ? "waiting" : "queued";
};
