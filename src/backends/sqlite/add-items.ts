import type { RejectedInput } from "../../model/job.ts";
import { type AddReply, LedgerError, type PlannedItem } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { insertItems, insertKeys, placeItems, type PlacedItem } from "./insert-items.ts";
import { jobRow, readSpec } from "./job-row.ts";
import { nextHash } from "./key-hash.ts";

/** Rows a transaction: it holds the write lock for some 20 ms at most. */
const CHUNK = 2000;
const KEPT_REJECTS = 20;

/**
 * Keys arrive in random order, and each would touch a page of its own in the index. So a large batch claims its keys first, sorted
 * by hash, then inserts its items in the order given: both in short transactions, either of which may be the last before a crash.
 */
export const addItems = async (
  db: Database,
  id: string,
  items: readonly PlannedItem[],
  rejected: readonly RejectedInput[],
): Promise<AddReply> => {
  const { job, placed } = await db.write(() => {
    const row = jobRow(db, id);
    if (row.state === "done" || row.state === "cancelled")
      throw new LedgerError("job-ended", `${id}: the job has ended and takes no more inputs. Start a new one.`);
    countRejected(db, row.number, row.rejects, rejected);
    return { job: row.number, placed: placeItems(db, row, readSpec(row.spec), items) };
  });
  foldInside(placed);
  const sorted = placed.filter((entry) => !entry.isFolded).sort((a, b) => a.hash - b.hash);
  for (const chunk of chunks(sorted)) await db.write(() => insertKeys(db, job, chunk));

  const total = { accepted: 0, folded: 0, capped: 0 };
  for (const chunk of chunks(placed)) {
    const reply = await db.write(() => storeChunk(db, job, chunk));
    total.accepted += reply.accepted;
    total.folded += reply.folded;
    total.capped += reply.capped;
  }
  return total;
};

const storeChunk = (db: Database, job: number, chunk: readonly PlacedItem[]): AddReply => {
  const row = db.get<{ accepted: number; spec: string }>("SELECT accepted, spec FROM jobs WHERE number = ?", job)!;
  const reply = insertItems(db, chunk, readSpec(row.spec).maxItems - row.accepted);
  countAdded(db, job, reply);
  return reply;
};

export const countAdded = (db: Database, job: number, reply: AddReply): void => {
  db.run(
    `UPDATE jobs SET received = received + ?, accepted = accepted + ?, folded = folded + ?, capped = capped + ? WHERE number = ?`,
    reply.accepted + reply.folded + reply.capped,
    reply.accepted,
    reply.folded,
    reply.capped,
    job,
  );
};

const countRejected = (
  db: Database,
  job: number,
  known: string,
  rejected: readonly RejectedInput[],
): void => {
  if (rejected.length === 0) return;
  const kept = [...(JSON.parse(known) as RejectedInput[]), ...rejected].slice(0, KEPT_REJECTS);
  db.run(
    "UPDATE jobs SET received = received + ?, rejected = rejected + ?, rejects = ? WHERE number = ?",
    rejected.length,
    rejected.length,
    JSON.stringify(kept),
    job,
  );
};

/** Inside one batch the texts are at hand: the same key is folded, a different key with the same hash moves on. */
const foldInside = (placed: readonly PlacedItem[]): void => {
  const keys = new Map<number, string>();
  for (const entry of placed) {
    for (;;) {
      const key = keys.get(entry.hash);
      if (key === undefined) {
        keys.set(entry.hash, entry.item.key);
        break;
      }
      if (key === entry.item.key) {
        entry.isFolded = true;
        break;
      }
      entry.hash = nextHash(entry.hash);
    }
  }
};

const chunks = function* <T>(all: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < all.length; i += CHUNK) yield all.slice(i, i + CHUNK);
};
