import type { ItemState } from "../../model/item.ts";
import type { Database } from "./database.ts";

/** Some of a queue's items in the order of their places, from `@after` on; each finds them by an index. */
const SOURCES = {
  all: "SELECT seq FROM items WHERE queue = @queue AND seq > @after ORDER BY seq LIMIT @limit",
  fresh: `SELECT seq FROM items WHERE queue = @queue AND seq > max(@after, (SELECT cursor FROM queues WHERE id = @queue))
    ORDER BY seq LIMIT @limit`,
  back: "SELECT seq FROM items INDEXED BY items_back WHERE queue = @queue AND due_at IS NOT NULL AND state = 0 AND seq > @after ORDER BY seq LIMIT @limit",
  waiting:
    "SELECT seq FROM items INDEXED BY items_back WHERE queue = @queue AND due_at IS NOT NULL AND state = 2 AND seq > @after ORDER BY seq LIMIT @limit",
  suspect:
    "SELECT seq FROM suspects WHERE queue = @queue AND in_hand = 0 AND seq > @after ORDER BY seq LIMIT @limit",
  leased: `SELECT i.seq FROM leases l CROSS JOIN items i ON i.queue = l.queue AND i.seq BETWEEN l.lo AND l.hi
    WHERE l.queue = @queue AND i.seq > @after AND i.state = 0 AND i.due_at IS NULL AND i.suspect = 0 AND coalesce(i.lease, l.id) = l.id
    ORDER BY i.seq LIMIT @limit`,
  absent:
    "SELECT seq FROM items INDEXED BY items_ended WHERE queue = @queue AND state > 3 AND state = 4 AND seq > @after ORDER BY seq LIMIT @limit",
  failed:
    "SELECT seq FROM items INDEXED BY items_ended WHERE queue = @queue AND state > 3 AND state = 5 AND seq > @after ORDER BY seq LIMIT @limit",
  skipped:
    "SELECT seq FROM items INDEXED BY items_ended WHERE queue = @queue AND state > 3 AND state = 6 AND seq > @after ORDER BY seq LIMIT @limit",
} as const;

type Source = keyof typeof SOURCES;

/**
 * Most items end as done, so that they are found by looking: an index of them would cost every settle. Up to `@upTo`, so that where they are rare nobody
 * looks for long.
 */
const DONE =
  "SELECT seq FROM items WHERE queue = @queue AND seq > @after AND seq <= @upTo AND state = 3 ORDER BY seq LIMIT @limit";
/** Places looked at, of which those whose input was folded are empty. */
const SCAN = 5_000;

const OPEN_SOURCES: readonly Source[] = ["fresh", "back", "waiting", "suspect"];

/** `left`: what the items read as that had not ended, see `leftAs`. */
const sourcesOf = (state: ItemState, left: "cancelled" | "failed" | undefined): readonly Source[] => {
  const rest = left === state ? OPEN_SOURCES : [];
  switch (state) {
    case "queued":
      return left ? [] : ["fresh", "back", "suspect"];
    case "waiting":
      return left ? [] : ["waiting"];
    case "leased":
      return ["leased"];
    case "cancelled":
      return rest;
    case "failed":
      return ["failed", ...rest];
    case "absent":
    case "skipped":
      return [state];
    case "done":
      return [];
    default:
      throw state satisfies never;
  }
};

export interface FoundItems {
  /** Ascending. */
  readonly seqs: readonly number[];
  /** Where to go on; undefined when there are no more. */
  readonly next: number | undefined;
}

/** Places of the items in these states, of one queue; all of them when no states are given. */
export const findItems = (
  db: Database,
  queue: number,
  after: number,
  limit: number,
  states: ReadonlySet<ItemState> | undefined,
  left: "cancelled" | "failed" | undefined,
): FoundItems => {
  const sources = states ? [...states].flatMap((state) => sourcesOf(state, left)) : (["all"] as const);
  const seqs = new Set<number>();
  for (const source of new Set(sources)) {
    const values = { "@queue": queue, "@after": after, "@limit": limit };
    for (const { seq } of db.sql(SOURCES[source]).all(values)) seqs.add(Number(seq));
  }
  const done = states?.has("done") ? scanDone(db, queue, after, limit) : undefined;
  for (const seq of done?.seqs ?? []) seqs.add(seq);
  // Beyond where the search for done ones has come, others must wait for it.
  const upTo = done?.next ?? Infinity;
  const found = [...seqs].filter((seq) => seq <= upTo).toSorted((a, b) => a - b);
  if (found.length >= limit) return { seqs: found.slice(0, limit), next: found[limit - 1] };
  return { seqs: found, next: done?.next };
};

const scanDone = (db: Database, queue: number, after: number, limit: number): FoundItems => {
  const first = db.get<{ seq: number; cursor: number }>(
    `SELECT i.seq, q.cursor FROM queues q JOIN items i ON i.queue = q.id AND i.seq > ?2 AND i.seq <= q.cursor
     WHERE q.id = ?1 ORDER BY i.seq LIMIT 1`,
    queue,
    after,
  );
  if (!first) return { seqs: [], next: undefined };
  const upTo = Math.min(first.seq + SCAN, first.cursor);
  const values = { "@queue": queue, "@after": after, "@upTo": upTo, "@limit": limit };
  const seqs = db
    .sql(DONE)
    .all(values)
    .map(({ seq }) => Number(seq));
  if (seqs.length === limit) return { seqs, next: seqs.at(-1) };
  return { seqs, next: upTo < first.cursor ? upTo : undefined };
};
