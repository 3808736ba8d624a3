import type { ItemRef } from "../../model/item.ts";
import type { Database } from "./database.ts";
import { keyHash, nextHash } from "./key-hash.ts";

interface Taken extends ItemRef {
  readonly key: string | null;
  readonly scraper: number | null;
}

/** Where the items with these keys are, of whichever of the job's scrapers. By their hashes: it costs the same in any job. */
export const findKeys = (db: Database, job: number, keys: readonly string[], scrapers: number): ItemRef[] => {
  const found: ItemRef[] = [];
  for (const key of new Set(keys))
    for (let scraper = 0; scraper < scrapers; scraper++) {
      const ref = findKey(db, job, key, scraper);
      if (ref) found.push(ref);
    }
  return found.toSorted((a, b) => a.queue - b.queue || a.seq - b.seq);
};

const findKey = (db: Database, job: number, key: string, scraper: number): ItemRef | undefined => {
  for (let hash = keyHash(scraper === 0 ? key : `${scraper}:${key}`); ; hash = nextHash(hash)) {
    const taken = db.get<Taken>(
      `SELECT k.queue, k.seq, i.key, i.scraper FROM item_keys k LEFT JOIN items i ON i.queue = k.queue AND i.seq = k.seq
       WHERE k.job = ? AND k.hash = ?`,
      job,
      hash,
    );
    if (!taken) return undefined;
    if (taken.key === key && taken.scraper === scraper) return { queue: taken.queue, seq: taken.seq };
  }
};
