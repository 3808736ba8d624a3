import type { ItemRef } from "../domain/item.ts";
import type { PlannedItem } from "../ports/ledger.ts";
import { queueFor } from "./queues.ts";
import type { ItemKey, Job } from "./records.ts";
import { type Transaction, want, type Want } from "./transaction.ts";

/**
 * The seed of one job: its keys are hashed with it, so that nobody can choose keys that collide. Null in jobs created before
 * there were seeds.
 */
type KeySeed = number | null;

/** 53 random bits. */
export const randomSeed = (): number => {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high! >>> 11) * 0x100000000 + low!;
};

/**
 * 53 bits, so that it is a safe integer and a small index entry. It only finds candidates: keys with equal hashes are compared by
 * their text. HalfSipHash with one round per word and three at the end, over pairs of UTF-16 units.
 */
export const keyHash = (key: string, seed: KeySeed): number => {
  if (seed === null) return unseededHash(key);
  const low = seed | 0;
  const high = (seed / 0x100000000) | 0;
  let [v0, v1, v2, v3] = [low, high, low ^ 0x6c796765, high ^ 0x74656463];
  const words = (key.length + 1) >> 1;
  for (let n = 0; n < words + 4; n++) {
    const at = 2 * n;
    let word = 0;
    if (n < words) word = key.charCodeAt(at) | (at + 1 < key.length ? key.charCodeAt(at + 1) << 16 : 0);
    else if (n === words) word = key.length;
    else if (n === words + 1) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  const a = v1 ^ v3;
  const b = v0 ^ v2;
  return (a >>> 0) * 0x200000 + (b >>> 11);
};

/** The next place to look when a different key has this hash. */
export const nextHash = (hash: number): number => (hash + 1) % Number.MAX_SAFE_INTEGER;

const unseededHash = (key: string): number => {
  let a = 0x9e3779b1 | 0;
  let b = 0x85ebca77 | 0;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x27d4eb2f);
    b ^= b >>> 15;
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
  b = Math.imul(b ^ (b >>> 13), 0x846ca68b);
  a ^= b >>> 14;
  b ^= a >>> 11;
  return (a >>> 0) * 0x200000 + (b >>> 11);
};

export const itemHash = (key: string, scraper: number, { keySeed }: Pick<Job, "keySeed">): number =>
  keyHash(scraper === 0 ? key : `${scraper}:${key}`, keySeed);

/** The keys of a list of inputs, in the same order. */
class BatchKeys {
  readonly seed: number | null;
  readonly hashes: readonly number[];
  readonly lanes: ReadonlySet<string>;
  /** The place that is reserved for a key, if there is one. */
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

  /** The hashes whose places are unknown, as a JSON list. */
  get unknown(): string {
    const { hashes, places } = this;
    return (this.#unknown ??= JSON.stringify(hashes.filter((_, n) => !places[n])));
  }

  /** Loads the owners of the places of keys that are taken: items, or capped inputs. Returns whether there are any. */
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

/** Places that were reserved together are close to each other. */
const placeWants = (queue: number, places: readonly { readonly seq: number }[]): Want[] => {
  let [first, last] = [Infinity, 0];
  for (const { seq } of places) [first, last] = [Math.min(first, seq), Math.max(last, seq)];
  return last - first < 2 * places.length
    ? [want("itemsBetween", queue, first, last), want("cappedBetween", queue, first, last)]
    : places.flatMap(({ seq }) => [want("item", queue, seq), want("capped", queue, seq)]);
};

const batches = new WeakMap<readonly PlannedItem[], BatchKeys>();

/** Made once for a list, because the list is read again after more was loaded. */
export const batchKeys = (job: Pick<Job, "keySeed">, items: readonly PlannedItem[]): BatchKeys => {
  let keys = batches.get(items);
  if (keys?.seed !== job.keySeed) batches.set(items, (keys = new BatchKeys(job, items)));
  return keys;
};

/** A place for a key of a batch. */
export interface ReservedKey extends ItemKey {
  /** The owner of the place. */
  readonly batch: BatchKeys;
  readonly n: number;
}

/**
 * Keys arrive in any order, and each would change a different page of the index. So a large batch first inserts its keys, sorted
 * by hash, with places that are reserved for them; then its items are inserted like any others. A crash can happen after any of
 * these transactions: a place without an item is skipped, and the key of such a place counts as free.
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

/** Inserts the keys that are not taken. `onAll` is called if that is all of them. */
export const putKeys = (tx: Transaction, reserved: readonly ReservedKey[], onAll: () => void): void => {
  // They are sorted: a key that occurs twice, or has the same hash as another, gets one place.
  const first = reserved.filter(({ hash }, n) => hash !== reserved[n - 1]?.hash);
  tx.tryAll("key", first, (count) => {
    if (count === reserved.length) onAll();
  });
};

/** The keys that were inserted. */
export const ownKeys = (tx: Transaction, job: number, reserved: readonly ReservedKey[]): ReservedKey[] => {
  const hashes = JSON.stringify(reserved.map(({ hash }) => hash));
  const stored = new Map(tx.list("keys", job, hashes).map((key) => [key.hash, key]));
  return reserved.filter(({ hash, queue, seq }) => {
    const key = stored.get(hash);
    return key?.queue === queue && key.seq === seq;
  });
};
