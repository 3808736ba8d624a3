import { freshAnswer, type KnownAnswer, readingOf } from "../../model/freshness.ts";
import type { ItemRef } from "../../model/item.ts";
import type { Freshness } from "../../model/job.ts";
import { answerItem, changeSince } from "./answer-item.ts";
import type { Database } from "./database.ts";
import { endJobWhenDone } from "./end-job.ts";
import { EVERYBODY, type FreshRow, goodEntry, saveEntry } from "./fresh-entry.ts";
import { countChange } from "./job-changes.ts";
import { readSpec } from "./job-row.ts";
import type { QueueRow } from "./queue-row.ts";

/** An item that a claim is about to take. */
export interface ClaimCandidate {
  readonly seq: number;
  readonly key: string;
  readonly scraper: number;
  /** As in the table: 0 queued, 2 waiting. */
  readonly state: number;
}

export interface Unanswered<Row> {
  /** To be leased by the caller. */
  readonly left: readonly Row[];
  /** How many of the rows were looked at; the others are as they were. */
  readonly seen: number;
}

/** Should the word that a leader has ended be lost, its followers look for themselves. */
const LOOK_AGAIN_MS = 60_000;

type Known = KnownAnswer & { readonly row: FreshRow };

/**
 * Inside the claim, before slots are booked, for queues whose job says something about freshness. Goes through the rows until `most` of them
 * must be fetched. Ends what can be answered from the archive: `skipped`, with what the answer's item has, so that it is read through one's
 * own. Sets aside what is being fetched for another job right now.
 */
export const answerFresh = <Row extends ClaimCandidate>(
  db: Database,
  queue: QueueRow,
  rows: readonly Row[],
  most: number,
): Unanswered<Row> => {
  if (rows.length === 0) return { left: [], seen: 0 };
  const asker = askerOf(db, queue);
  const left: Row[] = [];
  const counts = { skipped: 0, waiting: 0 };
  let seen = 0;
  for (const row of rows) {
    if (left.length === most) break;
    seen++;
    const answer = asker.find(row);
    if (answer) {
      skip(db, asker, row, answer);
      counts.skipped++;
      if (row.state === 2) counts.waiting--;
    } else if (follows(db, asker, row)) {
      if (row.state !== 2) counts.waiting++;
    } else {
      lead(db, asker, row);
      left.push(row);
    }
  }
  if (counts.waiting !== 0 || counts.skipped > 0) {
    const { skipped, waiting } = counts;
    const change = "UPDATE jobs SET skipped = skipped + ?, waiting = waiting + ? WHERE number = ?";
    db.run(change, skipped, waiting, queue.job);
    db.run("UPDATE queues SET open = open - ? WHERE id = ?", skipped, queue.id);
    if (skipped > 0) endJobWhenDone(db, queue.job);
  }
  return { left, seen };
};

/** The job in whose name items are looked up. */
interface Asker {
  readonly job: string;
  readonly client: string;
  readonly queue: QueueRow;
  readonly wish: Freshness;
  readonly find: (row: ClaimCandidate) => Known | undefined;
  readonly scraperOf: (row: Pick<ClaimCandidate, "scraper">) => ReturnType<typeof readingOf>;
}

const askerOf = (db: Database, queue: QueueRow): Asker => {
  const job = db.get<{ id: string; spec: string }>("SELECT id, spec FROM jobs WHERE number = ?", queue.job)!;
  const spec = readSpec(job.spec);
  const wish = JSON.parse(queue.freshness!) as Freshness;
  const scraperOf = (row: Pick<ClaimCandidate, "scraper">) => readingOf(spec, row.scraper);
  const find = (row: ClaimCandidate): Known | undefined => {
    const { scraper, version } = scraperOf(row);
    const rows = db.all<FreshRow>(
      "SELECT * FROM fresh WHERE key = ? AND scraper = ? AND owner IN (?, ?) AND version = ?",
      row.key,
      scraper,
      queue.client,
      EVERYBODY,
      version,
    );
    const isOf = (one: FreshRow, place: ItemRef) => one.queue === place.queue && one.seq === place.seq;
    const own = rows.filter(({ owner }) => owner === queue.client);
    const known = rows
      // What an item itself has left is no answer to it: it was put back for another try.
      .filter((one) => !isOf(one, { queue: queue.id, seq: row.seq }))
      // What a client fetched itself is its own: there the rules for private use hold, not those for sharing.
      .filter((one) => one.owner === queue.client || !own.some((other) => isOf(other, one)))
      .map((one) => ({
        row: one,
        outcome: one.outcome,
        fetchedAt: one.fetched_at,
        freshUntil: one.fresh_until,
        isShared: one.owner === EVERYBODY,
      }));
    return freshAnswer(known, wish, db.now());
  };
  return { job: job.id, client: queue.client, queue, wish, find, scraperOf };
};

const skip = (db: Database, asker: Asker, { seq, key }: ClaimCandidate, { row, isShared }: Known): void => {
  const { queue, client, job } = asker;
  const before = isShared ? goodEntry(db, { key, scraper: row.scraper, owner: client }) : row;
  const change = changeSince(before, row);
  db.run("UPDATE items SET state = 6, due_at = NULL WHERE queue = ? AND seq = ?", queue.id, seq);
  answerItem(db, { queue: queue.id, seq, job }, row, change);
  db.run("DELETE FROM followers WHERE queue = ? AND seq = ?", queue.id, seq);
  if (change) countChange(db, job, change);
  // From now on it is something that this client has seen.
  if (isShared) saveEntry(db, { ...row, owner: client }, false);
};

/** Whether the item waits for another that is in hand: then it is set aside, until that one ends. */
const follows = (db: Database, asker: Asker, row: ClaimCandidate): boolean => {
  const { queue, wish } = asker;
  const known = db.get<{ free: number }>(
    "SELECT free FROM followers WHERE queue = ? AND seq = ?",
    queue.id,
    row.seq,
  );
  const leader = wish.maxAgeMs === 0 || known?.free === 1 ? undefined : leaderOf(db, asker, row);
  if (!leader) {
    if (known) db.run("DELETE FROM followers WHERE queue = ? AND seq = ?", queue.id, row.seq);
    return false;
  }
  db.run(
    "INSERT OR REPLACE INTO followers (queue, seq, leader_queue, leader_seq) VALUES (?, ?, ?, ?)",
    queue.id,
    row.seq,
    leader.queue,
    leader.seq,
  );
  db.run(
    "UPDATE items SET state = 2, due_at = ? WHERE queue = ? AND seq = ?",
    db.now() + LOOK_AGAIN_MS,
    queue.id,
    row.seq,
  );
  return true;
};

const leaderOf = (
  db: Database,
  asker: Asker,
  row: ClaimCandidate,
): { readonly queue: number; readonly seq: number } | undefined => {
  const { scraper, version } = asker.scraperOf(row);
  return db.get<{ queue: number; seq: number }>(
    `SELECT f.queue, f.seq FROM fetches f JOIN items i ON i.queue = f.queue AND i.seq = f.seq
     WHERE f.key = ? AND f.scraper = ? AND f.version = ? AND f.job <> ?
       AND i.state = 0 AND i.due_at IS NULL AND i.suspect = 0 LIMIT 1`,
    row.key,
    scraper,
    version,
    asker.job,
  );
};

/** For an item that is claimed whatever is known of it. */
export const leadAlone = (db: Database, queue: QueueRow, row: Omit<ClaimCandidate, "state">): void => {
  if (queue.freshness !== null) lead(db, askerOf(db, queue), row);
};

const lead = (db: Database, asker: Asker, row: Omit<ClaimCandidate, "state">): void => {
  const { scraper, version } = asker.scraperOf(row);
  db.run(
    "INSERT OR REPLACE INTO fetches (queue, seq, job, client, scraper, version, key) VALUES (?, ?, ?, ?, ?, ?, ?)",
    asker.queue.id,
    row.seq,
    asker.job,
    asker.client,
    scraper,
    version,
    row.key,
  );
};
