import type { Cap } from "../../model/job.ts";
import type { Database } from "./database.ts";
import type { PlacedItem } from "./insert-items.ts";

/** By how much the capped inputs of a job become more or fewer, by what keeps them out. */
export type CapChange = Record<Cap, number>;

export const noCapChange = (): CapChange => ({ items: 0, depth: 0, chain: 0, budget: 0, quota: 0 });

export const sumOf = ({ items, depth, chain, budget, quota }: CapChange): number =>
  items + depth + chain + budget + quota;

const INSERT_CAPPED = `INSERT OR IGNORE INTO capped (queue, seq, key, input, scraper, depth, chain, parent_queue, parent_seq, cap)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** `taken`: another input of another key has the place. */
export const insertCapped = (
  db: Database,
  { item, origin, queue, seq }: PlacedItem,
  cap: Cap,
): "new" | "there" | "taken" => {
  const { key, input, scraper = 0 } = item;
  const { depth, chain, parent } = origin;
  const from = [depth, chain, parent?.queue ?? null, parent?.seq ?? null] as const;
  if (db.run(INSERT_CAPPED, queue, seq, key, input, scraper, ...from, cap) === 1) return "new";
  const there = db.get<{ key: string; scraper: number }>(
    "SELECT key, scraper FROM capped WHERE queue = ? AND seq = ?",
    queue,
    seq,
  )!;
  return there.key === key && there.scraper === scraper ? "there" : "taken";
};

/** Found again from nearer by, a capped input is kept as that; and what keeps it out may have changed. */
export const updateCapped = (
  db: Database,
  { origin, queue, seq }: PlacedItem,
  cap: Cap,
  change: CapChange,
): void => {
  const there = db.get<{ cap: Cap; depth: number; chain: number }>(
    "SELECT cap, depth, chain FROM capped WHERE queue = ? AND seq = ?",
    queue,
    seq,
  )!;
  const { depth, chain, parent } = origin;
  if (depth > there.depth || (depth === there.depth && chain > there.chain)) return;
  db.run(
    "UPDATE capped SET cap = ?, depth = ?, chain = ?, parent_queue = ?, parent_seq = ? WHERE queue = ? AND seq = ?",
    cap,
    depth,
    chain,
    parent?.queue ?? null,
    parent?.seq ?? null,
    queue,
    seq,
  );
  change[there.cap]--;
  change[cap]++;
};

/** It becomes an item, or is folded into one. */
export const freeCapped = (db: Database, { queue, seq }: PlacedItem, change: CapChange): void => {
  const gone = db.get<{ cap: Cap }>(
    "DELETE FROM capped WHERE queue = ? AND seq = ? RETURNING cap",
    queue,
    seq,
  );
  if (gone) change[gone.cap]--;
};
