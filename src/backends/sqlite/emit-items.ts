import type { JobSpec } from "../../model/job.ts";
import type { SettledItem } from "../../ports/ledger.ts";
import { countAdded, countRejected } from "./add-items.ts";
import { quotaRoom } from "./count-accepted.ts";
import type { Database } from "./database.ts";
import { insertItems, insertKeys, placeItems } from "./insert-items.ts";
import { type JobRow, readSpec } from "./job-row.ts";

/** Items a transaction, keys included: it holds the write lock for some 20 ms at most. */
export const EMIT_CHUNK = 1000;

type Finder = Pick<SettledItem, "queue" | "seq" | "emitted" | "rejected">;

/** Discovered inputs leave forward, in the same transaction as the item that found them. */
export const emitItems = (db: Database, number: number, item: Finder): void => {
  const { queue, seq, emitted, rejected = [] } = item;
  const job = db.get<JobRow>("SELECT * FROM jobs WHERE number = ?", number)!;
  countRejected(db, job, rejected);
  if (emitted.length === 0) return;
  const spec = readSpec(job.spec);
  const parent = db.get<ParentRow>(
    "SELECT scraper, depth, chain FROM items WHERE queue = ? AND seq = ?",
    queue,
    seq,
  )!;
  const placed = placeItems(db, job, spec, emitted, ({ scraper = 0 }) => {
    const { depth, chain } = nextPlace(parent, scraper);
    const cap = job.spent_at === null ? capOf(spec, { scraper, depth, chain }) : "budget";
    return { depth, chain, parent: { queue, seq }, ...(cap && { cap }) };
  });
  // In the order of the index: neighbours share its pages.
  insertKeys(
    db,
    number,
    placed.toSorted((a, b) => a.hash - b.hash),
  );
  const room = job.state === "cancelled" ? 0 : spec.maxItems - job.accepted;
  countAdded(db, number, insertItems(db, placed, room, quotaRoom(db, job.client)));
};

export interface ParentRow {
  readonly scraper: number;
  readonly depth: number;
  readonly chain: number;
}

/** The next page of a list is no deeper than the page that leads to it: a chain of them has a limit of its own. */
export const nextPlace = (
  parent: ParentRow,
  scraper: number,
): { readonly depth: number; readonly chain: number } =>
  scraper === parent.scraper
    ? { depth: parent.depth, chain: parent.chain + 1 }
    : { depth: parent.depth + 1, chain: 0 };

/** What keeps an input out wherever the job has room. */
export const capOf = (spec: JobSpec, { scraper, depth, chain }: ParentRow): "depth" | "chain" | undefined => {
  if (depth > spec.maxDepth) return "depth";
  return chain > (spec.scrapers[scraper]?.maxChain ?? Infinity) ? "chain" : undefined;
};

/**
 * What a page finds may be more than one short transaction takes. All but the last chunk arrive before the item is settled, each held
 * against its lease. Should the worker be lost in between, they stay; the item is tried again and finds them folded.
 * Answers what is left to settle.
 */
export const emitAhead = async (db: Database, worker: string, item: SettledItem): Promise<SettledItem> => {
  let { emitted } = item;
  while (emitted.length > EMIT_CHUNK && item.outcome.state !== "returned") {
    const chunk = emitted.slice(0, EMIT_CHUNK);
    // Not synced: the settle that follows is, and with it all that came before.
    const isHeld = await db.write(() => {
      const job = jobOfHeld(db, worker, item);
      if (job !== undefined) emitItems(db, job, { ...item, emitted: chunk, rejected: [] });
      return job !== undefined;
    }, false);
    // The settle itself is refused for the same reason.
    if (!isHeld) return { ...item, emitted: [] };
    emitted = emitted.slice(EMIT_CHUNK);
  }
  return { ...item, emitted };
};

/** The item's job, while it is in the hands that its lease stands for. */
const jobOfHeld = (db: Database, worker: string, { queue, seq, lease }: SettledItem): number | undefined =>
  db.get<{ job: number }>(
    `SELECT q.job FROM leases l JOIN items i ON i.queue = l.queue AND i.seq BETWEEN l.lo AND l.hi JOIN queues q ON q.id = i.queue
     WHERE l.id = ?1 AND l.worker = ?2 AND i.queue = ?3 AND i.seq = ?4
       AND i.state = 0 AND i.due_at IS NULL AND i.suspect = 0 AND coalesce(i.lease, ?1) = ?1`,
    lease,
    worker,
    queue,
    seq,
  )?.job;
