import type { ItemRef } from "../domain/item.ts";
import { type Cap, CAPS, type JobSpec } from "../domain/job.ts";
import type { AddReply, PlannedItem } from "../ports/ledger.ts";
import { dayOf } from "./charge.ts";
import { batchKeys, nextHash } from "./item-keys.ts";
import { type JobFacts, queueFor, queueWants } from "./queues.ts";
import { type CappedItem, type Item, type Job, newRetry, type Queue } from "./records.ts";
import { ALL_WORKERS, newShare, wakeShare } from "./shares.ts";
import { type Transaction, want, type Want } from "./transaction.ts";
import { ACCEPTED_DAYS } from "./upkeep.ts";

/** Where an item comes from. */
export interface Origin {
  readonly depth: number;
  readonly chain: number;
  readonly parent?: ItemRef;
  /** Why such inputs are capped, however much room the job has. */
  readonly cap?: Cap;
}

/** Changes in the number of capped inputs of a job, by limit. */
type CapChange = Record<Cap, number>;

interface Inserted extends AddReply {
  readonly capChange: CapChange;
}

/** What is needed to find their queues. */
export const placeWants = (job: JobFacts, items: readonly PlannedItem[]): Want[] =>
  queueWants(job, batchKeys(job, items).lanes);

/** What is needed to insert them: one round of loads, if no two keys of the job have the same hash. */
export const insertWants = (job: JobFacts, items: readonly PlannedItem[]): Want[] => [
  ...placeWants(job, items),
  want("client", job.client),
  want("share", ALL_WORKERS, job.client),
  want("keys", job.number, batchKeys(job, items).unknown),
];

/**
 * Puts inputs into their queues. An input whose key the job already has is folded; an input beyond a limit of the job, or beyond
 * its client's quota, is stored as capped. `originOf` says where each comes from.
 */
export const insertItems = (
  tx: Transaction,
  number: number,
  items: readonly PlannedItem[],
  room: number,
  quotaRoom: number,
  originOf: (item: PlannedItem) => Origin,
): Inserted => {
  const job = tx.known("job", number)!;
  const keys = batchKeys(job, items);
  const isAnyThere = keys.loadTaken(tx, number);
  const came: Came = { reserved: new Map(), others: new Set() };
  const capChange = Object.fromEntries(CAPS.map((cap) => [cap, 0])) as CapChange;
  const arrivals = new Map<number, Arrival>();
  const byLane = new Map<string, Arrival>();
  const nextPlace = (lane: string, scraper: number): ItemRef => {
    const id = `${scraper} ${lane}`;
    let arrival = byLane.get(id);
    if (!arrival) byLane.set(id, (arrival = arrivalIn(tx, arrivals, queueFor(tx, job, lane, scraper))));
    return { queue: arrival.queue.id, seq: ++arrival.tail };
  };
  let [accepted, folded, capped] = [0, 0, 0];
  for (const [n, planned] of items.entries()) {
    const { scraper = 0 } = planned;
    const origin = originOf(planned);
    const first = keys.hashes[n]!;
    const own = keys.places[n];
    const isOwn = own !== undefined && !isAnyThere && !came.others.has(first);
    const { hash, at, there }: FoundKey = isOwn
      ? { hash: first, at: own }
      : findKey(tx, number, planned, { first, own, came });
    const isCapped = there !== undefined && "cap" in there;
    if (there && !isCapped) {
      folded++;
      continue;
    }
    const cap = origin.cap ?? (accepted >= room ? "items" : accepted >= quotaRoom ? "quota" : undefined);
    const place = at ?? nextPlace(planned.lane, scraper);
    if (!isOwn) came.others.add(hash);
    if (!at) tx.put("key", { job: number, hash, queue: place.queue, seq: place.seq });
    const { depth, chain, parent } = origin;
    const item: Item = {
      queue: place.queue,
      seq: place.seq,
      key: planned.key,
      input: planned.input,
      scraper,
      depth,
      chain,
      parentQueue: parent?.queue ?? null,
      parentSeq: parent?.seq ?? null,
    };
    if (cap !== undefined) {
      if (isCapped) {
        folded++;
        moveCapped(tx, there, origin, cap, capChange);
      } else {
        capped++;
        capChange[cap]++;
        tx.put("capped", { ...item, cap });
      }
      continue;
    }
    if (isCapped) freeCapped(tx, there, capChange);
    if (isOwn) {
      came.reserved.set(hash, item);
      tx.append("item", item);
    } else tx.put("item", item);
    enter(tx, arrivals, item);
    accepted++;
  }
  for (const arrival of arrivals.values()) writeArrival(tx, arrival);
  return { accepted, folded, capped, capChange };
};

interface Arrival {
  readonly queue: Queue;
  tail: number;
  /** The new items, and whether some have their place after the cursor, and some before. */
  count: number;
  hasFresh: boolean;
  hasDue: boolean;
}

const arrivalIn = (tx: Transaction, arrivals: Map<number, Arrival>, queue: Queue): Arrival => {
  let arrival = arrivals.get(queue.id);
  if (!arrival) {
    arrival = { queue, tail: queue.tail, count: 0, hasFresh: false, hasDue: false };
    arrivals.set(queue.id, arrival);
  }
  return arrival;
};

/** An item whose place the cursor has already passed is given out as due. */
const enter = (tx: Transaction, arrivals: Map<number, Arrival>, item: Item): void => {
  const arrival =
    arrivals.get(item.queue) ??
    arrivalIn(tx, arrivals, tx.known("queue", item.queue) ?? tx.one("queue", item.queue)!);
  arrival.count++;
  if (item.seq > arrival.queue.cursor) arrival.hasFresh = true;
  else {
    arrival.hasDue = true;
    tx.put("retry", { ...newRetry(item.queue, item.seq), dueAt: tx.now });
  }
};

const writeArrival = (tx: Transaction, { queue: { id }, tail, count, hasFresh, hasDue }: Arrival): void => {
  const queue = tx.known("queue", id)!;
  tx.patch("queue", queue, {
    tail: Math.max(tail, queue.tail),
    open: queue.open + count,
    hasFresh: queue.hasFresh || hasFresh,
    dueAt: hasDue ? Math.min(tx.now, queue.dueAt ?? Infinity) : queue.dueAt,
  });
  if (count > 0 && queue.isClaimable) wakeShare(tx, queue.lane, queue.client, tx.now);
};

type There = Item | CappedItem;

/** The new inputs of a batch, by hash: items in places that were reserved for them, and the hashes of the others. */
interface Came {
  readonly reserved: Map<number, Item>;
  readonly others: Set<number>;
}

/**
 * The hash under which a key is stored or can be stored, and who has it. `at`: the place of a key whose item never arrived, or
 * that is capped.
 */
interface FoundKey {
  readonly hash: number;
  readonly at?: ItemRef;
  readonly there?: There;
}

const findKey = (
  tx: Transaction,
  job: number,
  { key, scraper = 0 }: PlannedItem,
  { first, own, came }: { readonly first: number; readonly own: ItemRef | undefined; readonly came: Came },
): FoundKey => {
  for (let hash = first; ; hash = nextHash(hash)) {
    const taken =
      (hash === first ? own : undefined) ??
      tx.known("key", job, hash) ??
      (hash === first ? undefined : tx.one("key", job, hash));
    if (!taken) return { hash };
    const at = { queue: taken.queue, seq: taken.seq };
    // The owner of the place of a first hash is loaded.
    const there =
      came.reserved.get(hash) ??
      tx.known("item", at.queue, at.seq) ??
      tx.known("capped", at.queue, at.seq) ??
      (hash === first ? undefined : (tx.one("item", at.queue, at.seq) ?? tx.one("capped", at.queue, at.seq)));
    if (!there) return { hash, at };
    if (there.key === key && there.scraper === scraper) return { hash, at, there };
  }
};

/** A capped input that is found again at a smaller depth gets that depth, and the limit that caps it may change. */
const moveCapped = (
  tx: Transaction,
  there: CappedItem,
  origin: Origin,
  cap: Cap,
  change: CapChange,
): void => {
  const { depth, chain, parent } = origin;
  if (depth > there.depth || (depth === there.depth && chain > there.chain)) return;
  tx.patch("capped", there, {
    cap,
    depth,
    chain,
    parentQueue: parent?.queue ?? null,
    parentSeq: parent?.seq ?? null,
  });
  change[there.cap]--;
  change[cap]++;
};

/** It becomes an item. */
const freeCapped = (tx: Transaction, there: CappedItem, change: CapChange): void => {
  tx.drop("capped", there.queue, there.seq);
  change[there.cap]--;
};

/** Accepts those that now fit; for the others, the limit that still caps them is recorded. */
export const letInCapped = (
  tx: Transaction,
  rows: readonly CappedItem[],
  capOf: (row: CappedItem) => Cap | undefined,
  room: number,
  quotaRoom: number,
): { readonly accepted: number; readonly capChange: CapChange } => {
  const capChange = Object.fromEntries(CAPS.map((cap) => [cap, 0])) as CapChange;
  const arrivals = new Map<number, Arrival>();
  let accepted = 0;
  for (const row of rows) {
    const cap = capOf(row) ?? (accepted >= room ? "items" : accepted >= quotaRoom ? "quota" : undefined);
    if (cap !== undefined) {
      if (cap !== row.cap) moveCapped(tx, row, originOfCapped(row), cap, capChange);
      continue;
    }
    const { cap: _, ...item } = row;
    freeCapped(tx, row, capChange);
    tx.put("item", item);
    enter(tx, arrivals, item);
    accepted++;
  }
  for (const arrival of arrivals.values()) writeArrival(tx, arrival);
  return { accepted, capChange };
};

const originOfCapped = ({ depth, chain, parentQueue, parentSeq }: CappedItem): Origin => ({
  depth,
  chain,
  ...(parentQueue !== null && parentSeq !== null && { parent: { queue: parentQueue, seq: parentSeq } }),
});

const sumOf = (change: CapChange): number => Object.values(change).reduce((sum, n) => sum + n, 0);

/** Counts the new inputs, in the job and for its client's quota. */
export const countInserted = (
  tx: Transaction,
  number: number,
  { accepted, folded, capped, capChange }: Inserted,
): void => {
  // Capped inputs that came again and now fit: one of the two became an item, the other is folded into it.
  const freed = capped - sumOf(capChange);
  countInputs(tx, number, {
    received: accepted + folded + capped,
    accepted,
    folded: folded + freed,
    capChange,
  });
  // Capped inputs are stored like items. Inputs that the quota itself caps count on the day on which they are accepted.
  countForQuota(tx, number, accepted + capped - freed - capChange.quota);
};

export const countInputs = (
  tx: Transaction,
  number: number,
  change: {
    readonly received: number;
    readonly accepted: number;
    readonly folded: number;
    readonly capChange: CapChange;
  },
): void => {
  const job = tx.known("job", number)!;
  const capped = Object.fromEntries(CAPS.map((cap) => [cap, job.capped[cap] + change.capChange[cap]]));
  tx.patch("job", job, {
    received: job.received + change.received,
    accepted: job.accepted + change.accepted,
    folded: job.folded + change.folded,
    capped: capped as Job["capped"],
  });
};

const clientShare = (tx: Transaction, client: string) =>
  tx.known("share", ALL_WORKERS, client) ??
  tx.one("share", ALL_WORKERS, client) ??
  newShare(ALL_WORKERS, client);

export const countForQuota = (tx: Transaction, number: number, count: number): void => {
  if (count === 0) return;
  const share = clientShare(tx, tx.known("job", number)!.client);
  const today = dayOf(tx.now);
  const kept = Object.entries(share.accepted).filter(([day]) => Number(day) > today - ACCEPTED_DAYS);
  const accepted = { ...Object.fromEntries(kept), [today]: (share.accepted[today] ?? 0) + count };
  tx.put("share", { ...share, accepted });
};

/** Number of items that a client's jobs may still accept today (UTC); Infinity without a quota. */
export const quotaRoom = (tx: Transaction, client: string): number => {
  const perDay = tx.one("client", client)?.itemsPerDay ?? null;
  if (perDay === null) return Infinity;
  return Math.max(0, perDay - (clientShare(tx, client).accepted[dayOf(tx.now)] ?? 0));
};

/** Why an input is capped even if the job has room. */
export const capOf = (
  spec: JobSpec,
  { scraper, depth, chain }: Pick<Item, "scraper" | "depth" | "chain">,
): "depth" | "chain" | undefined => {
  if (depth > spec.maxDepth) return "depth";
  return chain > (spec.scrapers[scraper]?.maxChain ?? Infinity) ? "chain" : undefined;
};
