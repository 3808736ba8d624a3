import { itemHash } from "../../ledger/batch-keys.ts";
import { nextHash } from "../../ledger/key-hash.ts";
import type { Job } from "../../ledger/records.ts";
import type { ItemRef } from "../../domain/item.ts";
import type { Rows } from "./rows.ts";

interface Taken extends ItemRef {
  readonly key: string | null;
  readonly scraper: number | null;
}

/** Where the items with these keys are, of whichever of the job's scrapers. By their hashes: it costs the same in any job. */
export const findKeys = (rows: Rows, job: Job, keys: readonly string[]): ItemRef[] =>
  [...new Set(keys)]
    .flatMap((key) => job.spec.scrapers.flatMap((_, scraper) => findKey(rows, job, key, scraper) ?? []))
    .toSorted((a, b) => a.queue - b.queue || a.seq - b.seq);

const findKey = (rows: Rows, job: Job, key: string, scraper: number): ItemRef | undefined => {
  for (let hash = itemHash(key, scraper, job); ; hash = nextHash(hash)) {
    const [taken] = rows.all<Taken>(
      `SELECT k.queue, k.seq, i.key, i.scraper FROM item_keys k LEFT JOIN items i ON i.queue = k.queue AND i.seq = k.seq
       WHERE k.job = ? AND k.hash = ?`,
      job.number,
      hash,
    );
    if (!taken) return undefined;
    if (taken.key === key && taken.scraper === scraper) return { queue: taken.queue, seq: taken.seq };
  }
};
