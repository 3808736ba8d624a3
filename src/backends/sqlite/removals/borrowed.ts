import type { BlobRange } from "../../../model/capture.ts";
import type { ItemRef } from "../../../model/item.ts";
import type { Database } from "../database.ts";
import { removalRow } from "./removal-row.ts";

/**
 * Whether an item that began then points to objects of another job that are being deleted, or are: the site answered that a page is as it was, and
 * the job that has it was removed meanwhile. What is noted before the removal lends is kept.
 */
export const borrowsRemoved = (
  db: Database,
  startedAt: number,
  job: string,
  objects: readonly Pick<BlobRange, "blob">[],
): boolean =>
  ownersOf(job, objects).some((owner) => {
    const removal = removalRow(db, owner);
    if (!removal || removal.step === "fresh") return false;
    // A job without its pages may have fetched new ones since.
    return removal.what === "job" || removal.step !== null || removal.marked_at >= startedAt;
  });

/** Notes whose objects an item points to, where they are not its own job's: they must stay as long as the item does. */
export const noteBorrowed = (
  db: Database,
  { queue, seq }: ItemRef,
  job: string,
  objects: readonly Pick<BlobRange, "blob">[],
): void => {
  for (const owner of ownersOf(job, objects))
    db.run("INSERT OR IGNORE INTO borrowed (owner, queue, seq) VALUES (?, ?, ?)", owner, queue, seq);
};

/** Other jobs than the item's own. Mostly there are none, and every settle asks. */
const ownersOf = (job: string, objects: readonly Pick<BlobRange, "blob">[]): readonly string[] => {
  const own = `jobs/${job}/`;
  const others = objects.filter(({ blob }) => !blob.startsWith(own));
  if (others.length === 0) return NOBODY;
  return [...new Set(others.flatMap(({ blob }) => ownerOf(blob) ?? []))];
};

const NOBODY: readonly string[] = [];

const ownerOf = (blob: string): string | undefined => /^jobs\/([^/]+)\//.exec(blob)?.[1];
