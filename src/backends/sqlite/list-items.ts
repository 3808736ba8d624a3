import type { BlobRange, CaptureRef } from "../../model/capture.ts";
import type { Failure } from "../../model/failure.ts";
import {
  ITEM_STATES,
  type ItemRef,
  type ItemState,
  type ItemView,
  type PastAttempt,
} from "../../model/item.ts";
import type { ItemPage, ItemQuery } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { jobRow, readSpec } from "./job-row.ts";

interface Row {
  readonly queue: number;
  readonly seq: number;
  readonly lane: string;
  readonly key: string;
  readonly scraper: number;
  readonly depth: number;
  readonly parent: string | null;
  readonly input: string;
  readonly state: number;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly suspect: number;
  readonly cursor: number;
  readonly ended_at: number | null;
  readonly quality: "complete" | "partial" | null;
  readonly failure: string | null;
  readonly captures: string | null;
  readonly records: string | null;
  readonly history: string | null;
}

/** Rows looked at for one page, so that a rare state in a large job is found in steps and no reader stays long. */
const SCAN = 5000;

export const listItems = async (db: Database, id: string, query: ItemQuery): Promise<ItemPage> =>
  await db.read(() => {
    const job = jobRow(db, id);
    const names = readSpec(job.spec).scrapers.map(({ name }) => name);
    const wanted = query.states && new Set(query.states);
    const kinds = query.kinds && new Set(query.kinds);
    const items: ItemView[] = [];
    let after = query.after ?? { queue: 0, seq: 0 };
    const isFiltered = wanted || kinds || query.scraper !== undefined;
    const most = isFiltered ? SCAN : query.limit;
    let count = 0;
    let isFull = false;
    for (const row of rowsAfter(db, job.number, after, most)) {
      if (items.length === query.limit) {
        isFull = true;
        break;
      }
      count++;
      after = { queue: row.queue, seq: row.seq };
      const scraper = names[row.scraper] ?? "";
      if (query.scraper !== undefined && query.scraper !== scraper) continue;
      const state = stateOf(row, job.state === "cancelled");
      if (wanted && !wanted.has(state)) continue;
      const item = view(row, state, scraper, db.now());
      if (kinds && !(item.failure && kinds.has(item.failure.kind))) continue;
      items.push(item);
    }
    const isMore = isFull || count === most;
    return isMore ? { items, next: after } : { items };
  });

/** Queue by queue, so that each page is found by the items' own order, however far into the job it is. */
function* rowsAfter(db: Database, job: number, after: ItemRef, most: number): Generator<Row> {
  let left = most;
  let place = after;
  while (left > 0) {
    const queue = db.get<{ id: number }>(
      "SELECT id FROM queues WHERE job = ? AND id >= ? ORDER BY id LIMIT 1",
      job,
      place.queue,
    );
    if (!queue) return;
    const rows = db.all<Row>(
      `SELECT i.queue, i.seq, l.name AS lane, i.key, i.scraper, i.depth, p.key AS parent, i.input, i.state, i.attempts, i.due_at, i.suspect, q.cursor,
              r.ended_at, r.quality, r.failure, r.captures, r.records, r.history
       FROM items i JOIN queues q ON q.id = i.queue JOIN lanes l ON l.id = q.lane
       LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq
       LEFT JOIN items p ON p.queue = i.parent_queue AND p.seq = i.parent_seq
       WHERE i.queue = ? AND i.seq > ? ORDER BY i.seq LIMIT ?`,
      queue.id,
      queue.id === place.queue ? place.seq : 0,
      left,
    );
    yield* rows;
    left -= rows.length;
    place = { queue: queue.id + 1, seq: 0 };
  }
}

/** See the first migration for what the columns say together. */
const stateOf = (row: Row, isCancelled: boolean): ItemState => {
  if (row.state >= 3) return ITEM_STATES[row.state]!;
  if (isCancelled) return "cancelled";
  if (row.state === 2) return "waiting";
  return row.seq <= row.cursor && row.due_at === null && row.suspect === 0 ? "leased" : "queued";
};

const view = (row: Row, state: ItemState, scraper: string, now: number): ItemView => ({
  ref: { queue: row.queue, seq: row.seq },
  lane: row.lane,
  scraper,
  key: row.key,
  depth: row.depth,
  ...(row.parent === null ? {} : { parent: row.parent }),
  input: JSON.parse(row.input) as unknown,
  state,
  attempts: row.attempts,
  ...(row.failure === null ? {} : { failure: JSON.parse(row.failure) as Failure }),
  ...(row.quality === null ? {} : { quality: row.quality }),
  ...(row.due_at === null ? {} : { dueInMs: Math.max(0, row.due_at - now) }),
  ...(row.ended_at === null || row.state < 3 ? {} : { endedAt: row.ended_at }),
  history: row.history === null ? [] : (JSON.parse(row.history) as PastAttempt[]),
  captures: row.captures === null ? [] : (JSON.parse(row.captures) as CaptureRef[]),
  records: row.records === null ? null : (JSON.parse(row.records) as BlobRange),
});
