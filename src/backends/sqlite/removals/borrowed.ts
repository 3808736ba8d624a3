import type { BlobRange } from "../../../model/capture.ts";
import type { ItemRef } from "../../../model/item.ts";
import type { Database } from "../database.ts";

/** Notes whose objects an item points to, where they are not its own job's: they must stay as long as the item does. */
export const noteBorrowed = (
  db: Database,
  { queue, seq }: ItemRef,
  job: string,
  objects: readonly Pick<BlobRange, "blob">[],
): void => {
  const owners = new Set(objects.map(({ blob }) => ownerOf(blob)));
  owners.delete(job);
  for (const owner of owners)
    if (owner !== undefined)
      db.run("INSERT OR IGNORE INTO borrowed (owner, queue, seq) VALUES (?, ?, ?)", owner, queue, seq);
};

const ownerOf = (blob: string): string | undefined => /^jobs\/([^/]+)\//.exec(blob)?.[1];
