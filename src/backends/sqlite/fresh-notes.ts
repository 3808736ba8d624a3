import { type Change, changeOf } from "../../model/freshness.ts";
import type { ItemRef } from "../../model/item.ts";
import type { FreshNote, SettledItem } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { EVERYBODY, type FreshRow, goodEntry, saveEntry } from "./fresh-entry.ts";
import { countChange } from "./job-changes.ts";
import { refreshLane, refreshQueue } from "./refresh-lane.ts";

interface Fetch extends ItemRef {
  readonly job: string;
  readonly client: string;
  readonly scraper: string;
  readonly version: string;
  readonly key: string;
}

/**
 * Inside the settle, once for every item that was not refused and not given back: keeps what it leaves for later ones (`item.fresh`), and lets
 * go those that waited for it. Answers how it differs from what its client had.
 */
export const noteFresh = (db: Database, item: SettledItem): Change | undefined => {
  const fetch = fetchOf(db, item);
  if (!fetch) return undefined;
  let change: Change | undefined;
  if (item.fresh) {
    const { state } = item.outcome;
    if (state === "done" || state === "skipped" || state === "absent")
      change = noteGood(db, fetch, item.fresh);
    else if (state === "failed") saveEntry(db, rowOf(db, fetch, item.fresh), true);
  }
  endFetch(db, fetch);
  return change;
};

const fetchOf = (db: Database, { queue, seq }: ItemRef): Fetch | undefined =>
  db.get<Fetch>("SELECT * FROM fetches WHERE queue = ? AND seq = ?", queue, seq);

/** An item in hand ended in another way (its worker was lost, it was given back, its job was cancelled): whoever waits for it goes on. */
export const leaveFresh = (db: Database, items: readonly ItemRef[]): void => {
  if (items.length === 0 || !db.get("SELECT 1 FROM fetches LIMIT 1")) return;
  for (const item of items) endFetch(db, item);
};

/** None of the job's items will be claimed again. */
export const forgetFollowers = (db: Database, job: number): void => {
  db.run("DELETE FROM followers WHERE queue IN (SELECT id FROM queues WHERE job = ?)", job);
};

const rowOf = (db: Database, fetch: Fetch, note: FreshNote): FreshRow => ({
  ...fetch,
  owner: fetch.client,
  fetched_at: db.now(),
  fresh_until: db.now() + note.freshMs,
  outcome: note.outcome,
  etag: note.etag ?? null,
  last_modified: note.lastModified ?? null,
  url: note.url ?? null,
  digest: note.digest ?? null,
});

const noteGood = (db: Database, fetch: Fetch, note: FreshNote): Change | undefined => {
  const row = rowOf(db, fetch, note);
  const before = goodEntry(db, row);
  saveEntry(db, row, false);
  db.run(
    "DELETE FROM fresh WHERE key = ? AND scraper = ? AND owner = ? AND failed = 1",
    row.key,
    row.scraper,
    row.owner,
  );
  share(db, row, note);
  const change = changeOf(before && { ...before, digest: before.digest ?? undefined }, note);
  if (change) countChange(db, fetch.job, change);
  return change;
};

const share = (db: Database, row: FreshRow, { sharedMs }: FreshNote): void => {
  if (sharedMs !== undefined)
    saveEntry(db, { ...row, owner: EVERYBODY, fresh_until: row.fetched_at + sharedMs }, false);
};

const endFetch = (db: Database, { queue, seq }: ItemRef): void => {
  db.run("DELETE FROM fetches WHERE queue = ? AND seq = ?", queue, seq);
  const followers = db.all<ItemRef & { readonly lane: number }>(
    `SELECT f.queue, f.seq, q.lane FROM followers f JOIN queues q ON q.id = f.queue
     WHERE f.leader_queue = ? AND f.leader_seq = ? AND f.free = 0`,
    queue,
    seq,
  );
  if (followers.length === 0) return;
  for (const follower of followers) {
    db.run("UPDATE followers SET free = 1 WHERE queue = ? AND seq = ?", follower.queue, follower.seq);
    db.run(
      "UPDATE items SET due_at = ? WHERE queue = ? AND seq = ? AND state = 2",
      db.now(),
      follower.queue,
      follower.seq,
    );
  }
  for (const id of new Set(followers.map((one) => one.queue))) refreshQueue(db, id);
  for (const lane of new Set(followers.map((one) => one.lane))) refreshLane(db, lane);
};
