import type { BlobRange } from "../domain/capture.ts";
import type { ItemRef } from "../domain/item.ts";
import { type Transaction, type Want, want } from "./transaction.ts";

type Objects = readonly Pick<BlobRange, "blob">[];

const ownerOf = (blob: string): string | undefined => /^jobs\/([^/]+)\//.exec(blob)?.[1];

const NONE: readonly string[] = [];

/** Jobs other than the item's own. Nearly every item refers only to objects of its own job. */
const ownersOf = (job: string, objects: Objects): readonly string[] => {
  const own = `jobs/${job}/`;
  if (objects.every(({ blob }) => blob.startsWith(own))) return NONE;
  const owners = new Set(objects.flatMap(({ blob }) => ownerOf(blob) ?? []));
  owners.delete(job);
  return [...owners];
};

/** Records which other jobs own the objects that an item points to. */
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
 * Whether an item that started at this time points to objects of another job that are being deleted, or are deleted: the site
 * said that a page has not changed, and the job that stored it was removed in the meantime. References recorded before the
 * removal starts keep their objects.
 */
export const borrowsRemoved = (tx: Transaction, startedAt: number, job: string, objects: Objects): boolean =>
  ownersOf(job, objects).some((owner) => {
    const removal = tx.one("removal", owner);
    if (!removal || removal.step === "fresh") return false;
    // A job without its pages may have fetched new ones in the meantime.
    return removal.what === "job" || removal.step !== null || removal.markedAt >= startedAt;
  });
