import type { ItemRef, ItemState } from "../../domain/item.ts";
import { itemHash, nextHash } from "../../ledger/item-keys.ts";
import { ENDED, type Job } from "../../ledger/records.ts";
import { eachPlace, type Places } from "../../ledger/workers.ts";
import type { Rows } from "./rows.ts";

/** Some of a queue's items in the order of their places: ?1 is the queue, ?2 the place after which, ?3 how many. Each finds them by an index. */
const backAs = (state: string): string =>
  `SELECT seq FROM retries WHERE queue = ?1 AND due_at IS NOT NULL AND state = '${state}' AND seq > ?2 ORDER BY seq LIMIT ?3`;
const endedAs = (state: keyof typeof ENDED): string =>
  `SELECT seq FROM results WHERE queue = ?1 AND state > 3 AND state = ${ENDED[state]} AND seq > ?2 ORDER BY seq LIMIT ?3`;
const ALL = "SELECT seq FROM items WHERE queue = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
const FRESH =
  "SELECT seq FROM items WHERE queue = ?1 AND seq > max(?2, (SELECT cursor FROM queues WHERE id = ?1)) ORDER BY seq LIMIT ?3";
const OPEN = [FRESH, backAs("queued"), backAs("waiting"), backAs("suspect")];

/** `left`: what the items read as that had not ended, see `leftAs`. */
const sourcesOf = (state: ItemState, left: "cancelled" | "failed" | undefined): readonly string[] => {
  const rest = left === state ? OPEN : [];
  switch (state) {
    case "queued":
      return left ? [] : [FRESH, backAs("queued"), backAs("suspect")];
    case "waiting":
      return left ? [] : [backAs("waiting")];
    case "cancelled":
    case "failed":
      return [endedAs(state), ...rest];
    case "absent":
    case "skipped":
      return [endedAs(state)];
    case "leased":
    case "done":
      return [];
    default:
      throw state satisfies never;
  }
};

/** Places looked at for those that are done, of which those whose input was folded are empty. */
const SCAN = 5_000;

interface FoundItems {
  /** Ascending. */
  readonly seqs: readonly number[];
  /** Where to go on; undefined when there are no more. */
  readonly next: number | undefined;
}

/** Places of the items in these states, of one queue; all of them when no states are given. */
export const findItems = (
  rows: Rows,
  queue: number,
  after: number,
  limit: number,
  states: ReadonlySet<ItemState> | undefined,
  left: "cancelled" | "failed" | undefined,
): FoundItems => {
  const sources = states ? [...states].flatMap((state) => sourcesOf(state, left)) : [ALL];
  const seqs = new Set<number>();
  for (const source of new Set(sources))
    for (const [seq] of rows.arrays<[number]>(source, queue, after, limit)) seqs.add(seq);
  if (states?.has("leased")) for (const seq of leasedPlaces(rows, queue, after, limit)) seqs.add(seq);
  const done = states?.has("done") ? scanDone(rows, queue, after, limit) : undefined;
  for (const seq of done?.seqs ?? []) seqs.add(seq);
  // Beyond where the search for done ones has come, others must wait for it.
  const upTo = done?.next ?? Infinity;
  const found = [...seqs].filter((seq) => seq <= upTo).toSorted((a, b) => a - b);
  if (found.length >= limit) return { seqs: found.slice(0, limit), next: found[limit - 1] };
  return { seqs: found, next: done?.next };
};

/** What workers hold of a queue. */
export const heldPlaces = (rows: Rows, queue: number): Places =>
  rows
    .arrays<[string]>(
      `SELECT l.value -> 'open' FROM workers w CROSS JOIN json_each(w.leases) l WHERE w.leases IS NOT NULL AND l.value ->> 'queue' = ?`,
      queue,
    )
    .flatMap(([open]) => JSON.parse(open) as Places);

const leasedPlaces = (rows: Rows, queue: number, after: number, limit: number): number[] =>
  [...eachPlace(heldPlaces(rows, queue))]
    .filter((seq) => seq > after)
    .toSorted((a, b) => a - b)
    .slice(0, limit);

/**
 * Most items end as done, so that they are found by looking: an index of them would cost every settle. Not far, so that where they are rare nobody
 * looks for long.
 */
const scanDone = (rows: Rows, queue: number, after: number, limit: number): FoundItems => {
  const [first] = rows.all<{ seq: number | null; last: number }>(
    `SELECT min(seq) AS seq, (SELECT max(seq) FROM results WHERE queue = ?1) AS last FROM results WHERE queue = ?1 AND seq > ?2`,
    queue,
    after,
  );
  if (!first || first.seq === null) return { seqs: [], next: undefined };
  const upTo = Math.min(first.seq + SCAN, first.last);
  const seqs = rows
    .arrays<[number]>(
      `SELECT seq FROM results WHERE queue = ? AND seq > ? AND seq <= ? AND state = ${ENDED.done} ORDER BY seq LIMIT ?`,
      queue,
      after,
      upTo,
      limit,
    )
    .map(([seq]) => seq);
  if (seqs.length === limit) return { seqs, next: seqs.at(-1) };
  return { seqs, next: upTo < first.last ? upTo : undefined };
};

interface Taken extends ItemRef {
  readonly key: string | null;
  readonly scraper: number | null;
}

/** Where the items with these keys are, of whichever of the job's scrapers. By their hashes: it costs the same in any job. */
export const findKeys = (rows: Rows, job: Job, keys: readonly string[]): ItemRef[] =>
  [...new Set(keys)]
    .flatMap((key) => job.spec.scrapers.flatMap((_, scraper) => findKey(rows, job, key, scraper) ?? []))
    .toSorted((a, b) => a.queue - b.queue || a.seq - b.seq);

const findKey = (rows: Rows, job: Job, key: string, scraper: number): ItemRef | undefined => {
  for (let hash = itemHash(key, scraper, job); ; hash = nextHash(hash)) {
    const [taken] = rows.all<Taken>(
      `SELECT k.queue, k.seq, i.key, i.scraper FROM item_keys k LEFT JOIN items i ON i.queue = k.queue AND i.seq = k.seq
       WHERE k.job = ? AND k.hash = ?`,
      job.number,
      hash,
    );
    if (!taken) return undefined;
    if (taken.key === key && taken.scraper === scraper) return { queue: taken.queue, seq: taken.seq };
  }
};
