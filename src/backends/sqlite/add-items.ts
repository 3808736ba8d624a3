import type { RejectedInput } from "../../model/job.ts";
import { type AddReply, LedgerError, type PlannedItem } from "../../ports/ledger.ts";
import { type CapChange, sumOf } from "./capped-items.ts";
import { countForQuota } from "./count-accepted.ts";
import type { Database } from "./database.ts";
import { type Inserted, insertItems, insertKeys, placeItems, type PlacedItem } from "./insert-items.ts";
import { jobRow, type JobRow, readSpec } from "./job-row.ts";

/** Rows and characters of a transaction: it holds the write lock for some 20 ms at most. */
const CHUNK = 2000;
const CHUNK_CHARACTERS = 1_000_000;
const KEPT_REJECTS = 20;

/**
 * Keys arrive in random order, and each would touch a page of its own in the index. So a large batch claims its keys first, sorted
 * by hash, then inserts its items in the order given: both in short transactions, either of which may be the last before a crash. Only the
 * last one waits for the disk, and takes with it what was logged before.
 */
export const addItems = async (
  db: Database,
  id: string,
  items: readonly PlannedItem[],
  rejected: readonly RejectedInput[],
): Promise<AddReply> => {
  const row = await db.write(() => {
    const known = jobRow(db, id);
    mustBeOpen(known);
    countRejected(db, known, rejected);
    return known;
  }, items.length === 0);
  const { number: job } = row;
  const spec = readSpec(row.spec);
  const placed: PlacedItem[] = [];
  for (const chunk of chunks(items, (item) => item))
    placed.push(...(await db.write(() => placeItems(db, row, spec, chunk), false)));
  foldInside(placed);
  const sorted = placed.filter((entry) => !entry.isFolded).sort((a, b) => a.hash - b.hash);
  const pending = new Map<number, PlannedItem>();
  for (const chunk of chunks(sorted, ({ item }) => item))
    await db.write(() => insertKeys(db, job, chunk, pending), false);

  const total = { accepted: 0, folded: 0, capped: 0 };
  for (const chunk of chunks(placed, ({ item }) => item)) {
    const reply = await db.write(() => storeChunk(db, job, chunk), chunk.at(-1) === placed.at(-1));
    total.accepted += reply.accepted;
    total.folded += reply.folded;
    total.capped += reply.capped;
  }
  return total;
};

const mustBeOpen = ({ id, state, spent_at }: JobRow): void => {
  if (spent_at !== null)
    throw new LedgerError(
      "job-ended",
      `${id}: the job's budget is spent and it takes no more inputs. Start a new one.`,
    );
  if (state === "done" || state === "cancelled")
    throw new LedgerError("job-ended", `${id}: the job has ended and takes no more inputs. Start a new one.`);
};

const storeChunk = (db: Database, job: number, chunk: readonly PlacedItem[]): Inserted => {
  const row = db.get<JobRow>("SELECT * FROM jobs WHERE number = ?", job)!;
  // Another process may have cancelled the job since the first chunk.
  mustBeOpen(row);
  const reply = insertItems(db, chunk, readSpec(row.spec).maxItems - row.accepted);
  countAdded(db, job, reply);
  return reply;
};

export const countAdded = (db: Database, job: number, reply: Inserted): void => {
  const { accepted, folded, capped, capChange } = reply;
  // Capped ones that came again and now fit: one of the two became an item, the other is folded into it.
  const freed = capped - sumOf(capChange);
  countInputs(db, job, {
    received: accepted + folded + capped,
    accepted,
    folded: folded + freed,
    capChange,
  });
  // Capped inputs are stored as items are. What the quota itself keeps out counts on the day on which it is let in.
  countForQuota(db, job, accepted + capped - freed - capChange.quota);
};

interface InputCounts {
  readonly received: number;
  readonly accepted: number;
  readonly folded: number;
  readonly capChange: CapChange;
}

export const countInputs = (
  db: Database,
  job: number,
  { received, accepted, folded, capChange }: InputCounts,
): void => {
  db.run(
    `UPDATE jobs SET received = received + ?, accepted = accepted + ?, folded = folded + ?, capped = capped + ?,
       too_deep = too_deep + ?, capped_chain = capped_chain + ?, capped_budget = capped_budget + ?,
       capped_quota = capped_quota + ? WHERE number = ?`,
    received,
    accepted,
    folded,
    sumOf(capChange),
    capChange.depth,
    capChange.chain,
    capChange.budget,
    capChange.quota,
    job,
  );
};

export const countRejected = (
  db: Database,
  { number, rejects }: Pick<JobRow, "number" | "rejects">,
  rejected: readonly RejectedInput[],
): void => {
  if (rejected.length === 0) return;
  const kept = [...(JSON.parse(rejects) as RejectedInput[]), ...rejected].slice(0, KEPT_REJECTS);
  db.run(
    "UPDATE jobs SET received = received + ?, rejected = rejected + ?, rejects = ? WHERE number = ?",
    rejected.length,
    rejected.length,
    JSON.stringify(kept),
    number,
  );
};

const foldInside = (placed: readonly PlacedItem[]): void => {
  const keys = new Set<string>();
  for (const entry of placed) {
    const key = `${entry.item.scraper ?? 0}:${entry.item.key}`;
    entry.isFolded = keys.has(key);
    keys.add(key);
  }
};

const chunks = function* <T>(
  all: readonly T[],
  itemOf: (entry: T) => PlannedItem,
): Generator<readonly T[], void, void> {
  let from = 0;
  let characters = 0;
  for (let at = 0; at < all.length; at++) {
    const { key, input } = itemOf(all[at]!);
    characters += key.length + input.length;
    if (at + 1 < all.length && at + 1 - from < CHUNK && characters < CHUNK_CHARACTERS) continue;
    yield all.slice(from, at + 1);
    from = at + 1;
    characters = 0;
  }
};
