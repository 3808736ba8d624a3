import type { Removal } from "../domain/removal.ts";
import { bytesText, counted } from "./number-text.ts";
import { UsageError } from "./usage-error.ts";

/** The job that was meant is gone; what is left of it says when and how much. */
export class RemovedJobError extends UsageError {
  readonly removal: Removal;
  constructor(removal: Removal) {
    super(`${removal.job}: ${removalText(removal)}`);
    this.removal = removal;
  }
}

export const removalText = ({ what, removedAt, isComplete, removed, kept }: Removal): string => {
  const time = `${new Date(removedAt).toISOString().replace("T", " ").slice(0, 19)}Z`;
  const { items, captures, bytes } = removed;
  const gone = [...(what === "job" ? [counted(items, "item")] : []), counted(captures, "capture")];
  const subject = what === "job" ? "the job was" : "its pages were";
  const stays =
    kept.objects === 0
      ? ""
      : ` ${counted(kept.objects, "object")} (${bytesText(kept.bytes)}) stay${kept.objects === 1 ? "s" : ""}: items of other jobs point there.`;
  return isComplete
    ? `${subject} removed on ${time}: ${gone.join(", ")}, ${bytesText(bytes)}.${stays}`
    : `${subject} marked for removal on ${time}, which is not complete: so far ${gone.join(", ")}, ${bytesText(bytes)}.`;
};

export const removalJson = ({ createdAt, endedAt, removedAt, ...removal }: Removal) => ({
  ...removal,
  createdAt: new Date(createdAt).toISOString(),
  endedAt: new Date(endedAt).toISOString(),
  removedAt: new Date(removedAt).toISOString(),
});
