import type { ItemRef } from "../../model/item.ts";
import type { Database } from "./database.ts";
import type { JobRow } from "./job-row.ts";
import { keyHash, nextHash } from "./key-hash.ts";

interface Taken extends ItemRef {
  readonly key: string | null;
  readonly scraper: number | null;
}

type KeyedJob = Pick<JobRow, "number" | "key_seed">;

/** Where the items with these keys are, of whichever of the job's scrapers. By their hashes: it costs the same in any job. */
export const findKeys = (
  db: Database,
  job: KeyedJob,
  keys: readonly string[],
  scrapers: number,
): ItemRef[] => {
  const found: ItemRef[] = [];
  for (const key of new Set(keys))
    for (let scraper = 0; scraper < scrapers; scraper++) {
      const ref = findKey(db, job, key, scraper);
      if (ref) found.push(ref);
    }
  return found.toSorted((a, b) => a.queue - b.queue || a.seq - b.seq);
};

const findKey = (db: Database, job: KeyedJob, key: string, scraper: number): ItemRef | undefined => {
  const text = scraper === 0 ? key : `${scraper}:${key}`;
  for (let hash = keyHash(text, job.key_seed); ; hash = nextHash(hash)) {
    const taken = db.get<Taken>(
      `SELECT k.queue, k.seq, i.key, i.scraper FROM item_keys k LEFT JOIN items i ON i.queue = k.queue AND i.seq = k.seq
       WHERE k.job = ? AND k.hash = ?`,
      job.number,
      hash,
    );
    if (!taken) return undefined;
    if (taken.key === key && taken.scraper === scraper) return { queue: taken.queue, seq: taken.seq };
  }
};
