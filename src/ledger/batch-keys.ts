import type { ItemRef } from "../domain/item.ts";
import type { PlannedItem } from "../ports/ledger.ts";
import { type Transaction, type Want, want } from "./transaction.ts";
import { keyHash } from "./key-hash.ts";
import { queueFor } from "./queues.ts";
import type { ItemKey, Job } from "./records.ts";

export const itemHash = (key: string, scraper: number, { keySeed }: Pick<Job, "keySeed">): number =>
  keyHash(scraper === 0 ? key : `${scraper}:${key}`, keySeed);

/** The keys of a list of inputs, in its order. */
class BatchKeys {
  readonly seed: number | null;
  readonly hashes: readonly number[];
  readonly lanes: ReadonlySet<string>;
  /** Where one is reserved under its key, its place. */
  readonly places: (ItemRef | undefined)[] = [];
  #unknown: string | undefined;

  constructor(job: Pick<Job, "keySeed">, items: readonly PlannedItem[]) {
    this.seed = job.keySeed;
    this.hashes = items.map(({ key, scraper = 0 }) => itemHash(key, scraper, job));
    this.lanes = new Set(items.map(({ lane }) => lane));
  }

  reserve(key: ReservedKey): void {
    this.places[key.n] = key;
    this.#unknown = undefined;
  }

  /** The hashes whose places are not known, as a JSON list. */
  get unknown(): string {
    const { hashes, places } = this;
    return (this.#unknown ??= JSON.stringify(hashes.filter((_, n) => !places[n])));
  }

  /** Loads who has the places of the keys that are taken: items, or capped inputs. Answers whether anybody has. */
  loadTaken(tx: Transaction, job: number): boolean {
    const taken = tx.list("keys", job, this.unknown);
    const reserved = this.places.filter((place) => place !== undefined);
    const byQueue = Map.groupBy([...taken, ...reserved], ({ queue }) => queue);
    const wants = byQueue
      .entries()
      .flatMap(([queue, places]) => placeWants(queue, places))
      .toArray();
    tx.need(...wants);
    return wants.some((one) => tx.isAny(one));
  }
}

/** Places that were reserved together lie close to each other. */
const placeWants = (queue: number, places: readonly { readonly seq: number }[]): Want[] => {
  let [first, last] = [Infinity, 0];
  for (const { seq } of places) [first, last] = [Math.min(first, seq), Math.max(last, seq)];
  return last - first < 2 * places.length
    ? [want("itemsBetween", queue, first, last), want("cappedBetween", queue, first, last)]
    : places.flatMap(({ seq }) => [want("item", queue, seq), want("capped", queue, seq)]);
};

const batches = new WeakMap<readonly PlannedItem[], BatchKeys>();

/** Made once for a list, which is asked for again when more was loaded. */
export const batchKeys = (job: Pick<Job, "keySeed">, items: readonly PlannedItem[]): BatchKeys => {
  let keys = batches.get(items);
  if (keys?.seed !== job.keySeed) batches.set(items, (keys = new BatchKeys(job, items)));
  return keys;
};

/** A place that a key of a batch is to have. */
export interface ReservedKey extends ItemKey {
  /** Whose it is. */
  readonly batch: BatchKeys;
  readonly n: number;
}

/**
 * Keys arrive in any order, and each would change a page of its own in the index. So a large batch first puts its keys, sorted by their hashes, with
 * places that are reserved for them; then its items are inserted like any others. Any of these transactions may be the last before a crash: a place
 * without an item is passed over, and the key of such a place is as good as free.
 */
export const reservePlaces = (tx: Transaction, job: Job, items: readonly PlannedItem[]): ReservedKey[] => {
  const batch = batchKeys(job, items);
  const queues = new Map<string, number>();
  const tails = new Map<number, number>();
  const reserved = items.map(({ lane, scraper = 0 }, n) => {
    const id = `${scraper} ${lane}`;
    const queue = queues.get(id) ?? queueFor(tx, job, lane, scraper).id;
    queues.set(id, queue);
    const seq = (tails.get(queue) ?? tx.known("queue", queue)!.tail) + 1;
    tails.set(queue, seq);
    return { job: job.number, hash: batch.hashes[n]!, queue, seq, batch, n };
  });
  for (const [queue, tail] of tails) tx.patch("queue", tx.known("queue", queue)!, { tail });
  return reserved;
};

/** Puts those that no key has taken before. `onAll` is called where that is all of them. */
export const putKeys = (tx: Transaction, reserved: readonly ReservedKey[], onAll: () => void): void => {
  // They are sorted: a key that comes twice, or that has the hash of another, has one place.
  const first = reserved.filter(({ hash }, n) => hash !== reserved[n - 1]?.hash);
  tx.tryAll("key", first, (count) => {
    if (count === reserved.length) onAll();
  });
};

/** Those of them that were put. */
export const ownKeys = (tx: Transaction, job: number, reserved: readonly ReservedKey[]): ReservedKey[] => {
  const hashes = JSON.stringify(reserved.map(({ hash }) => hash));
  const stored = new Map(tx.list("keys", job, hashes).map((key) => [key.hash, key]));
  return reserved.filter(({ hash, queue, seq }) => {
    const key = stored.get(hash);
    return key?.queue === queue && key.seq === seq;
  });
};
