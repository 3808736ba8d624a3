import { writeSpec } from "../../model/spec-text.ts";
import type { ItemRef } from "../../model/item.ts";
import type { JobCaps, JobSpec } from "../../model/job.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { countInputs } from "./add-items.ts";
import { sumOf } from "./capped-items.ts";
import { countForQuota, quotaRoom } from "./count-accepted.ts";
import type { Database } from "./database.ts";
import { capOf } from "./emit-items.ts";
import { insertItems, itemHash, type PlacedItem } from "./insert-items.ts";
import { type JobRow, readSpec } from "./job-row.ts";
import { retryableJob } from "./retry-items.ts";
import { openQueues } from "./steer-job.ts";

/** Inputs a transaction, so that the lock is held briefly however many are let in. */
const CHUNK = 500;

interface CappedRow extends ItemRef {
  readonly key: string;
  readonly input: string;
  readonly scraper: number;
  readonly depth: number;
  readonly chain: number;
  readonly parent_queue: number | null;
  readonly parent_seq: number | null;
}

export const raiseCaps = async (db: Database, id: string, caps: JobCaps): Promise<number> => {
  await db.write(() => {
    const job = retryableJob(db, id);
    db.run(
      "UPDATE jobs SET spec = ? WHERE number = ?",
      writeSpec(raised(readSpec(job.spec), caps)),
      job.number,
    );
  });
  let total = 0;
  let after: ItemRef = { queue: 0, seq: 0 };
  for (;;) {
    const rows = await db.write(() => {
      const job = retryableJob(db, id);
      const found = cappedAfter(db, job.number, after);
      total += letIn(db, job, found);
      return found;
    });
    const last = rows.at(-1);
    if (!last) return total;
    after = last;
  }
};

const raised = (spec: JobSpec, caps: JobCaps): JobSpec => {
  const { maxItems = spec.maxItems, maxDepth = spec.maxDepth, maxChain = Infinity } = caps;
  const chains = spec.scrapers.flatMap((one) => one.maxChain ?? []);
  mustNotLower(spec.id, "maxItems", spec.maxItems, maxItems);
  mustNotLower(spec.id, "maxDepth", spec.maxDepth, maxDepth);
  if (chains.length > 0) mustNotLower(spec.id, "maxChain", Math.min(...chains), maxChain);
  const scrapers = spec.scrapers.map((one) =>
    one.maxChain === undefined || caps.maxChain === undefined
      ? one
      : { ...one, maxChain: Math.max(one.maxChain, maxChain) },
  );
  return { ...spec, maxItems, maxDepth, scrapers };
};

const mustNotLower = (id: string, name: string, now: number, asked: number): void => {
  if (asked < now)
    throw new LedgerError(
      "lower-cap",
      `${id}: its ${name} is ${now} and cannot be lowered to ${asked}: limits of a job can only be raised.`,
    );
};

const cappedAfter = (db: Database, job: number, after: ItemRef): CappedRow[] =>
  db.all<CappedRow>(
    `SELECT c.queue, c.seq, c.key, c.input, c.scraper, c.depth, c.chain, c.parent_queue, c.parent_seq
     FROM queues q CROSS JOIN capped c ON c.queue = q.id
     WHERE q.job = ?1 AND q.id >= ?2 AND (c.queue > ?2 OR c.seq > ?3) ORDER BY c.queue, c.seq LIMIT ?4`,
    job,
    after.queue,
    after.seq,
    CHUNK,
  );

/** Those that fit become items; of the others it is noted what now keeps them out. */
const letIn = (db: Database, job: JobRow, rows: readonly CappedRow[]): number => {
  const spec = readSpec(job.spec);
  const { accepted, capChange } = insertItems(
    db,
    rows.map((row) => placedOf(job, spec, row)),
    spec.maxItems - job.accepted,
    quotaRoom(db, job.client),
  );
  countInputs(db, job.number, { received: 0, accepted, folded: -sumOf(capChange) - accepted, capChange });
  if (capChange.quota < 0) countForQuota(db, job.number, -capChange.quota);
  if (accepted > 0 && job.state === "done") {
    db.run("UPDATE jobs SET state = 'running', ended_at = NULL WHERE number = ?", job.number);
    openQueues(db, job.number);
  }
  return accepted;
};

const placedOf = (job: JobRow, spec: JobSpec, row: CappedRow): PlacedItem => {
  const { queue, seq, key, input, scraper, depth, chain, parent_queue, parent_seq } = row;
  const cap = capOf(spec, row);
  const parent =
    parent_queue === null || parent_seq === null ? {} : { parent: { queue: parent_queue, seq: parent_seq } };
  return {
    item: { key, input, scraper, lane: "" },
    origin: { depth, chain, ...parent, ...(cap && { cap }) },
    queue,
    seq,
    hash: itemHash(key, scraper, job.key_seed),
    isFolded: false,
    isCapped: true,
  };
};
