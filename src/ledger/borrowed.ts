import type { BlobRange } from "../domain/capture.ts";
import type { ItemRef } from "../domain/item.ts";
import { type Transaction, type Want, want } from "./transaction.ts";

type Objects = readonly Pick<BlobRange, "blob">[];

const ownerOf = (blob: string): string | undefined => /^jobs\/([^/]+)\//.exec(blob)?.[1];

const NONE: readonly string[] = [];

/** Other jobs than the item's own. Nearly every item has only objects of its own. */
const ownersOf = (job: string, objects: Objects): readonly string[] => {
  const own = `jobs/${job}/`;
  if (objects.every(({ blob }) => blob.startsWith(own))) return NONE;
  const owners = new Set(objects.flatMap(({ blob }) => ownerOf(blob) ?? []));
  owners.delete(job);
  return [...owners];
};

/** Notes whose objects an item points to, where they are not its own job's. */
export const noteBorrowed = (
  tx: Transaction,
  { queue, seq }: ItemRef,
  job: string,
  objects: Objects,
): void => {
  for (const owner of ownersOf(job, objects)) tx.put("borrowed", { owner, queue, seq });
};

export const removalWants = (job: string, objects: Objects): Want[] =>
  ownersOf(job, objects).map((owner) => want("removal", owner));

/**
 * Whether an item that began then points to objects of another job that are being deleted, or are: the site answered that a page is as it was, and
 * the job that has it was removed meanwhile. What is noted before the removal lends is kept.
 */
export const borrowsRemoved = (tx: Transaction, startedAt: number, job: string, objects: Objects): boolean =>
  ownersOf(job, objects).some((owner) => {
    const removal = tx.one("removal", owner);
    if (!removal || removal.step === "fresh") return false;
    // A job without its pages may have fetched new ones since.
    return removal.what === "job" || removal.step !== null || removal.markedAt >= startedAt;
  });
