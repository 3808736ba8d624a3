import { usefulUntil } from "../../model/freshness.ts";
import type { Database } from "./database.ts";
import { EVERYBODY, type FreshRow } from "./fresh-entry.ts";

interface Place extends Pick<FreshRow, "key" | "scraper" | "owner"> {
  readonly failed: number;
}

type AgingRow = Place & Pick<FreshRow, "outcome" | "fetched_at" | "fresh_until">;

/** Looked at each time; a second apart, a round over ten million entries takes six hours. */
const PAGE = 500;
const START: Place = { key: "", scraper: "", owner: "", failed: -1 };

/** How far this process has come in its round. An index by age would cost every settle more than this look. */
const places = new WeakMap<Database, Place>();

/** Forgets what is past its use, a page of entries at a time, in the order of their keys and then from the beginning again. */
export const tidyFresh = async (db: Database): Promise<void> => {
  const rows = await db.read(() => pageAfter(db, places.get(db) ?? START));
  const last = rows.length < PAGE ? undefined : rows.at(-1);
  if (last) places.set(db, last);
  else places.delete(db);
  const old = rows.filter((row) => isPast(row, db.now()));
  if (old.length > 0) await db.write(() => old.forEach((row) => forget(db, row)), false);
};

const pageAfter = (db: Database, { key, scraper, owner, failed }: Place): AgingRow[] =>
  db.all<AgingRow>(
    `SELECT key, scraper, owner, failed, outcome, fetched_at, fresh_until FROM fresh
     WHERE (key, scraper, owner, failed) > (?, ?, ?, ?) ORDER BY key, scraper, owner, failed LIMIT ${PAGE}`,
    key,
    scraper,
    owner,
    failed,
  );

const isPast = ({ outcome, fetched_at, fresh_until, owner }: AgingRow, now: number): boolean =>
  now >=
  usefulUntil({ outcome, fetchedAt: fetched_at, freshUntil: fresh_until, isShared: owner === EVERYBODY });

/** By its time too: it may have been fetched again since it was looked at. */
const forget = (db: Database, { key, scraper, owner, failed, fetched_at }: AgingRow): void => {
  db.run(
    "DELETE FROM fresh WHERE key = ? AND scraper = ? AND owner = ? AND failed = ? AND fetched_at = ?",
    key,
    scraper,
    owner,
    failed,
    fetched_at,
  );
};
