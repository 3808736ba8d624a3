import type { ItemRef, ItemState } from "../../domain/item.ts";
import { itemHash, nextHash } from "../../ledger/item-keys.ts";
import { ENDED, type Job } from "../../ledger/records.ts";
import { eachPlace, type Places } from "../../ledger/workers.ts";
import { all, arrays, type Steps } from "./steps.ts";

/** Some items of a queue, in order: ?1 is the queue, ?2 the place after which to start, ?3 the number. Each query uses an index. */
const backAs = (state: string): string =>
  `SELECT seq FROM retries WHERE queue = ?1 AND due_at IS NOT NULL AND state = '${state}' AND seq > ?2 ORDER BY seq LIMIT ?3`;
const endedAs = (state: keyof typeof ENDED): string =>
  `SELECT seq FROM results WHERE queue = ?1 AND state > 3 AND state = ${ENDED[state]} AND seq > ?2 ORDER BY seq LIMIT ?3`;
const ALL = "SELECT seq FROM items WHERE queue = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
const FRESH =
  "SELECT seq FROM items WHERE queue = ?1 AND seq > ?2 AND seq > (SELECT cursor FROM queues WHERE id = ?1) ORDER BY seq LIMIT ?3";
const OPEN = [FRESH, backAs("queued"), backAs("waiting"), backAs("suspect")];

/** `left`: the state of items that have not ended, see `leftAs`. */
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

/** Maximum number of places to check for done items; places of folded inputs are empty. */
const SCAN = 5_000;

interface FoundItems {
  /** Ascending. */
  readonly seqs: readonly number[];
  /** Where to continue; undefined if there are no more. */
  readonly next: number | undefined;
}

/** Places of the items of one queue in these states; without states, of all items. */
export function* findItems(
  queue: number,
  after: number,
  limit: number,
  states: ReadonlySet<ItemState> | undefined,
  left: "cancelled" | "failed" | undefined,
): Steps<FoundItems> {
  const sources = states ? [...states].flatMap((state) => sourcesOf(state, left)) : [ALL];
  const seqs = new Set<number>();
  for (const source of new Set(sources))
    for (const [seq] of yield* arrays<[number]>(source, queue, after, limit)) seqs.add(seq);
  if (states?.has("leased")) for (const seq of yield* leasedPlaces(queue, after, limit)) seqs.add(seq);
  const done = states?.has("done") ? yield* scanDone(queue, after, limit) : undefined;
  for (const seq of done?.seqs ?? []) seqs.add(seq);
  // Items beyond the point that the search for done items has reached must wait for it.
  const upTo = done?.next ?? Infinity;
  const found = [...seqs].filter((seq) => seq <= upTo).toSorted((a, b) => a - b);
  if (found.length >= limit) return { seqs: found.slice(0, limit), next: found[limit - 1] };
  return { seqs: found, next: done?.next };
}

/** The places of a queue that are leased to workers. */
export function* heldPlaces(queue: number): Steps<Places> {
  const rows = yield* arrays<[string]>(
    `SELECT @json(l.value) -> 'open' FROM workers w CROSS JOIN @elements(w.leases) l
     WHERE w.leases IS NOT NULL AND CAST(@json(l.value) ->> 'queue' AS BIGINT) = ?`,
    queue,
  );
  return rows.flatMap(([open]) => JSON.parse(open) as Places);
}

function* leasedPlaces(queue: number, after: number, limit: number): Steps<number[]> {
  return [...eachPlace(yield* heldPlaces(queue))]
    .filter((seq) => seq > after)
    .toSorted((a, b) => a - b)
    .slice(0, limit);
}

/**
 * Most items end as done, so they are found by scanning: an index would cost every settle. The scan is limited, so that it stays
 * short if they are rare.
 */
function* scanDone(queue: number, after: number, limit: number): Steps<FoundItems> {
  const [first] = yield* all<{ seq: number | null; last: number }>(
    `SELECT min(seq) AS seq, (SELECT max(seq) FROM results WHERE queue = ?1) AS last FROM results WHERE queue = ?1 AND seq > ?2`,
    queue,
    after,
  );
  if (!first || first.seq === null) return { seqs: [], next: undefined };
  const upTo = Math.min(first.seq + SCAN, first.last);
  const rows = yield* arrays<[number]>(
    `SELECT seq FROM results WHERE queue = ? AND seq > ? AND seq <= ? AND state = ${ENDED.done} ORDER BY seq LIMIT ?`,
    queue,
    after,
    upTo,
    limit,
  );
  const seqs = rows.map(([seq]) => seq);
  if (seqs.length === limit) return { seqs, next: seqs.at(-1) };
  return { seqs, next: upTo < first.last ? upTo : undefined };
}

interface Taken extends ItemRef {
  readonly key: string | null;
  readonly scraper: number | null;
}

/** Where the items with these keys are, for all of the job's scrapers. Found by their hashes: the cost does not depend on the job. */
export function* findKeys(job: Job, keys: readonly string[]): Steps<ItemRef[]> {
  const found: ItemRef[] = [];
  for (const key of new Set(keys))
    for (const scraper of job.spec.scrapers.keys()) {
      const ref = yield* findKey(job, key, scraper);
      if (ref) found.push(ref);
    }
  return found.toSorted((a, b) => a.queue - b.queue || a.seq - b.seq);
}

function* findKey(job: Job, key: string, scraper: number): Steps<ItemRef | undefined> {
  for (let hash = itemHash(key, scraper, job); ; hash = nextHash(hash)) {
    const [taken] = yield* all<Taken>(
      `SELECT k.queue, k.seq, i.key, i.scraper FROM item_keys k LEFT JOIN items i ON i.queue = k.queue AND i.seq = k.seq
       WHERE k.job = ? AND k.hash = ?`,
      job.number,
      hash,
    );
    if (!taken) return undefined;
    if (taken.key === key && taken.scraper === scraper) return { queue: taken.queue, seq: taken.seq };
  }
}
