import type { AnswerKind } from "../../model/freshness.ts";
import type { FreshEntry } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

/** The owner of what may be shared. */
export const EVERYBODY = "";

export interface FreshRow {
  readonly key: string;
  readonly scraper: string;
  readonly owner: string;
  readonly version: string;
  readonly job: string;
  readonly queue: number;
  readonly seq: number;
  readonly fetched_at: number;
  readonly fresh_until: number;
  readonly outcome: AnswerKind;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly url: string | null;
  readonly digest: string | null;
}

export const entryOf = (row: FreshRow): FreshEntry => ({
  client: row.owner === EVERYBODY ? null : row.owner,
  scraper: row.scraper,
  key: row.key,
  version: row.version,
  job: row.job,
  item: { queue: row.queue, seq: row.seq },
  fetchedAt: row.fetched_at,
  freshUntil: row.fresh_until,
  outcome: row.outcome,
  ...(row.etag !== null && { etag: row.etag }),
  ...(row.last_modified !== null && { lastModified: row.last_modified }),
  ...(row.url !== null && { url: row.url }),
  ...(row.digest !== null && { digest: row.digest }),
});

/** In place of what was there: the last good answer, or the last failure beside it. */
export const saveEntry = (db: Database, row: FreshRow, isFailure: boolean): void => {
  db.run(
    `INSERT OR REPLACE INTO fresh (key, scraper, owner, failed, version, job, queue, seq, fetched_at, fresh_until, outcome, etag, last_modified,
       url, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.key,
    row.scraper,
    row.owner,
    isFailure ? 1 : 0,
    row.version,
    row.job,
    row.queue,
    row.seq,
    row.fetched_at,
    row.fresh_until,
    row.outcome,
    row.etag,
    row.last_modified,
    row.url,
    row.digest,
  );
};

export const goodEntry = (
  db: Database,
  { key, scraper, owner }: Pick<FreshRow, "key" | "scraper" | "owner">,
): FreshRow | undefined =>
  db.get<FreshRow>(
    "SELECT * FROM fresh WHERE key = ? AND scraper = ? AND owner = ? AND failed = 0",
    key,
    scraper,
    owner,
  );
