import { type BreakerState, seedBreaker } from "../../model/breaker-state.ts";
import { kindsOf } from "../../model/collector-kind.ts";
import type { ItemRef } from "../../model/item.ts";
import type { Cap, JobSpec, PinnedScraper } from "../../model/job.ts";
import { RANGES } from "../../model/number-range.ts";
import type { AddReply, PlannedItem } from "../../ports/ledger.ts";
import { type CapChange, freeCapped, insertCapped, noCapChange, updateCapped } from "./capped-items.ts";
import type { Database } from "./database.ts";
import type { JobRow } from "./job-row.ts";
import { keyHash, type KeySeed, nextHash } from "./key-hash.ts";
import { kindBits } from "./kind-bits.ts";
import { laneId } from "./lane-row.ts";
import { refreshLane } from "./refresh-lane.ts";

/** A planned item with the place it was given. */
export interface PlacedItem {
  readonly item: PlannedItem;
  readonly origin: Origin;
  queue: number;
  seq: number;
  hash: number;
  /** Set once the key is known to be taken by an item that exists. */
  isFolded: boolean;
  /** The same input is there already, capped. */
  isCapped: boolean;
}

/** Where an item comes from. */
export interface Origin {
  readonly depth: number;
  readonly chain: number;
  readonly parent?: ItemRef;
  /** What keeps such inputs out, however much room the job has. */
  readonly cap?: Cap;
}

const GIVEN: Origin = { depth: 0, chain: 0 };

interface Taken {
  readonly queue: number;
  readonly seq: number;
  readonly key: string | null;
  readonly scraper: number | null;
  /** Of a capped input that has the place. */
  readonly capped_key: string | null;
  readonly capped_scraper: number | null;
}

/** Keys are folded per scraper: an item is one key of one of them. */
const isSame = (
  { key, scraper = 0 }: PlannedItem,
  taken: { key: string | null; scraper: number | null },
): boolean => taken.key === key && taken.scraper === scraper;

/** Gives each item its queue and place, in the order given. A place whose item is folded later stays empty. */
export const placeItems = (
  db: Database,
  job: JobRow,
  spec: JobSpec,
  items: readonly PlannedItem[],
  originOf: (item: PlannedItem) => Origin = () => GIVEN,
): PlacedItem[] => {
  const queues = new Map<string, { readonly id: number; tail: number; readonly scrapers: Set<number> }>();
  const placed = items.map((item) => {
    const { lane, key, scraper = 0 } = item;
    let queue = queues.get(lane);
    if (!queue) {
      queue = { ...openQueue(db, job, spec, lane, scraper), scrapers: new Set() };
      queues.set(lane, queue);
    }
    if (!queue.scrapers.has(scraper)) {
      queue.scrapers.add(scraper);
      if (spec.scrapers.length > 1) lowerPace(db, queue.id, pacesOf(spec, scraper));
    }
    const hash = itemHash(key, scraper, job.key_seed);
    const place = { queue: queue.id, seq: ++queue.tail, hash };
    return { item, origin: originOf(item), ...place, isFolded: false, isCapped: false };
  });
  for (const queue of queues.values())
    db.run("UPDATE queues SET tail = ? WHERE id = ?", queue.tail, queue.id);
  return placed;
};

export const itemHash = (key: string, scraper: number, seed: KeySeed): number =>
  keyHash(scraper === 0 ? key : `${scraper}:${key}`, seed);

const openQueue = (
  db: Database,
  job: JobRow,
  spec: JobSpec,
  laneName: string,
  scraper: number,
): { readonly id: number; readonly tail: number } => {
  const lane = laneId(db, laneName);
  const find = () =>
    db.get<{ id: number; tail: number }>(
      "SELECT id, tail FROM queues WHERE job = ? AND lane = ?",
      job.number,
      lane,
    );
  const found = find();
  if (found) return found;
  const baseline = db.get<{ breaker: string }>(
    "SELECT breaker FROM baselines WHERE scraper = ? AND lane = ?",
    spec.scraper,
    lane,
  );
  const { pace, sitePace = pace } = pacesOf(spec, scraper);
  db.run(
    // Never an id that a removed queue had: workers and answered items may still name it.
    `INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, own_per_second, own_concurrency, breaker, claimable, priority, freshness, kinds)
     VALUES ((SELECT 1 + max(last_queue, coalesce((SELECT max(id) FROM queues), 0)) FROM service),
       ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    job.number,
    lane,
    job.client,
    orNull(sitePace.perSecond),
    sitePace.burst,
    sitePace.concurrency,
    pace.perSecond < sitePace.perSecond ? pace.perSecond : null,
    pace.concurrency < sitePace.concurrency ? pace.concurrency : null,
    baseline ? JSON.stringify(seedBreaker(JSON.parse(baseline.breaker) as BreakerState)) : null,
    job.state === "loading" || job.state === "running" ? 1 : 0,
    spec.priority ?? 0,
    spec.freshness ? JSON.stringify(spec.freshness) : null,
    kindBits(kindsOf(spec)),
  );
  return find()!;
};

type Paces = Pick<PinnedScraper, "pace" | "sitePace">;

const pacesOf = (spec: JobSpec, scraper: number): Paces => {
  const paces: Paces = spec.scrapers[scraper] ?? spec;
  // Jobs of older versions may have a rate that is no longer taken: it was the client's, not the scraper's.
  return paces.sitePace === undefined && paces.pace.perSecond < RANGES.perSecond.min
    ? { pace: paces.pace, sitePace: { ...paces.pace, perSecond: HEALED_PER_SECOND } }
    : paces;
};

/** What a scraper that says nothing declares. */
const HEALED_PER_SECOND = 2;

const orNull = (perSecond: number): number | null => (perSecond === Infinity ? null : perSecond);

/** A queue is as slow as the slowest of the scrapers that have had items in it. */
export const lowerPace = (db: Database, queue: number, { pace, sitePace = pace }: Paces): void => {
  db.run(
    `UPDATE queues SET per_second = min(coalesce(per_second, ?1), coalesce(?1, per_second)),
       burst = min(burst, ?2), concurrency = min(concurrency, ?3),
       own_per_second = min(coalesce(own_per_second, ?4), coalesce(?4, own_per_second)),
       own_concurrency = min(coalesce(own_concurrency, ?5), coalesce(?5, own_concurrency)) WHERE id = ?6`,
    orNull(sitePace.perSecond),
    sitePace.burst,
    sitePace.concurrency,
    pace.perSecond < sitePace.perSecond ? pace.perSecond : null,
    pace.concurrency < sitePace.concurrency ? pace.concurrency : null,
    queue,
  );
};

/**
 * Claims the keys. A key that is taken by an item that exists folds this one; a key whose item never arrived (its writer was
 * killed between the two steps) hands its place on, so that the item is not lost. `pending` are the keys that the caller has
 * claimed, by their hashes, and not yet inserted.
 */
export const insertKeys = (
  db: Database,
  job: number,
  placed: readonly PlacedItem[],
  pending: Map<number, PlannedItem> = new Map(),
): void => {
  const insert = db.sql("INSERT OR IGNORE INTO item_keys (job, hash, queue, seq) VALUES (?, ?, ?, ?)");
  for (const entry of placed) {
    while (Number(insert.run(job, entry.hash, entry.queue, entry.seq).changes) === 0) {
      const taken = db.get<Taken>(
        `SELECT k.queue, k.seq, i.key, i.scraper, c.key AS capped_key, c.scraper AS capped_scraper FROM item_keys k
         LEFT JOIN items i ON i.queue = k.queue AND i.seq = k.seq LEFT JOIN capped c ON c.queue = k.queue AND c.seq = k.seq
         WHERE k.job = ? AND k.hash = ?`,
        job,
        entry.hash,
      )!;
      const waiting = taken.key === null ? pending.get(entry.hash) : undefined;
      const other = waiting ? { key: waiting.key, scraper: waiting.scraper ?? 0 } : taken;
      const isCapped = other.key === null && taken.capped_key !== null;
      const there = isCapped ? { key: taken.capped_key, scraper: taken.capped_scraper } : other;
      if (there.key !== null && !isSame(entry.item, there)) {
        entry.hash = nextHash(entry.hash);
        continue;
      }
      if (other.key === null) ({ queue: entry.queue, seq: entry.seq } = taken);
      else entry.isFolded = true;
      entry.isCapped = isCapped;
      break;
    }
    if (!entry.isFolded) pending.set(entry.hash, entry.item);
  }
};

interface Arrival {
  readonly cursor: number;
  readonly lane: number;
  readonly job: number;
  count: number;
}

export interface Inserted extends AddReply {
  /** How the capped inputs of the job have changed, by what keeps them out. */
  readonly capChange: CapChange;
}

/**
 * Inserts the rows and makes them claimable; what finds no room in its job, or in its client's quota, is kept as capped. An item whose place the cursor has already passed is given
 * out as due.
 */
export const insertItems = (
  db: Database,
  placed: readonly PlacedItem[],
  room: number,
  quotaRoom = Infinity,
): Inserted => {
  const added = new Map<number, Arrival>();
  const arrival = (queue: number): Arrival => {
    let row = added.get(queue);
    if (!row) {
      const known = db.get<Omit<Arrival, "count">>(
        "SELECT cursor, lane, job FROM queues WHERE id = ?",
        queue,
      )!;
      added.set(queue, (row = { ...known, count: 0 }));
    }
    return row;
  };
  const capChange = noCapChange();
  let [accepted, folded, capped] = [0, 0, 0];
  for (const entry of placed) {
    const cap =
      entry.origin.cap ?? (accepted >= room ? "items" : accepted >= quotaRoom ? "quota" : undefined);
    if (entry.isFolded) folded++;
    else if (cap !== undefined) {
      if (keepCapped(db, entry, cap, { capChange, jobOf: (queue) => arrival(queue).job })) capped++;
      else folded++;
    } else {
      if (entry.isCapped) freeCapped(db, entry, capChange);
      if (insertItem(db, entry, arrival)) accepted++;
      else folded++;
    }
  }
  for (const [queue, { lane, count }] of added) {
    if (count === 0) continue;
    db.run("UPDATE queues SET open = open + ?, ready_at = 0 WHERE id = ?", count, queue);
    refreshLane(db, lane);
  }
  return { accepted, folded, capped, capChange };
};

const INSERT_ITEM = `INSERT OR IGNORE INTO items (queue, seq, key, input, due_at, scraper, depth, chain, parent_queue, parent_seq)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** False when another process, with the same key in its batch, was first. */
const insertItem = (db: Database, entry: PlacedItem, arrival: (queue: number) => Arrival): boolean => {
  const { key, input, scraper = 0 } = entry.item;
  const { depth, chain, parent } = entry.origin;
  while (!entry.isFolded) {
    const { queue, seq } = entry;
    const row = arrival(queue);
    const dueAt = seq <= row.cursor ? db.now() : null;
    const from = [scraper, depth, chain, parent?.queue ?? null, parent?.seq ?? null] as const;
    if (db.run(INSERT_ITEM, queue, seq, key, input, dueAt, ...from) === 1) {
      row.count++;
      return true;
    }
    const taken = db.get<{ key: string; scraper: number }>(
      "SELECT key, scraper FROM items WHERE queue = ? AND seq = ?",
      queue,
      seq,
    )!;
    if (isSame(entry.item, taken)) return false;
    placeAgain(db, row.job, entry);
  }
  return false;
};

/** False when the job has the same input, capped or not. */
const keepCapped = (
  db: Database,
  entry: PlacedItem,
  cap: Cap,
  { capChange, jobOf }: { readonly capChange: CapChange; readonly jobOf: (queue: number) => number },
): boolean => {
  while (!entry.isFolded) {
    const answer = entry.isCapped ? "there" : insertCapped(db, entry, cap);
    if (answer === "there") {
      updateCapped(db, entry, cap, capChange);
      return false;
    }
    if (answer === "new") {
      capChange[cap]++;
      return true;
    }
    placeAgain(db, jobOf(entry.queue), entry);
  }
  return false;
};

/** A process that took this one for dead gave the place to another key with the same hash. */
const placeAgain = (db: Database, job: number, entry: PlacedItem): void => {
  entry.seq = db.get<{ tail: number }>(
    "UPDATE queues SET tail = tail + 1 WHERE id = ? RETURNING tail",
    entry.queue,
  )!.tail;
  entry.hash = nextHash(entry.hash);
  insertKeys(db, job, [entry]);
};
