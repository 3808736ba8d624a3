import type { WorkSums } from "../../model/work-sums.ts";
import type { ClaimRequest, WorkerCard } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { kindBits } from "./kind-bits.ts";
import { addWorkSums } from "./work-sums.ts";

/** A worker among which a lane's places are divided. */
export interface Companion {
  /** Names of the lanes that it serves; all when undefined. */
  readonly lanes: ReadonlySet<string> | undefined;
  /** What it takes, see `kindBits`; all when undefined. */
  readonly kinds: number | undefined;
}

/**
 * The card is kept beside the worker's row, which only a claim makes: one that was given up and registers again is still given up, until it
 * has heard so.
 */
export const registerWorker = async (db: Database, card: WorkerCard, sums: WorkSums = {}): Promise<void> =>
  await db.write(() => {
    db.run(
      `INSERT INTO worker_cards (name, card, draining, lanes, kinds, registered_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET card = excluded.card, draining = excluded.draining, lanes = excluded.lanes,
         kinds = excluded.kinds, registered_at = excluded.registered_at`,
      card.name,
      JSON.stringify(card),
      card.isDraining ? 1 : 0,
      card.lanes ? JSON.stringify(card.lanes) : null,
      card.kinds ? kindBits(card.kinds) : null,
      db.now(),
    );
    addWorkSums(db, sums);
  }, false);

export const isDraining = (db: Database, worker: string): boolean =>
  db.get("SELECT 1 FROM worker_cards WHERE name = ? AND draining = 1", worker) !== undefined;

/** Those that take items of the same jobs. Which lanes and kinds they take is as their card has it, or as they ask. */
export const companionsOf = (db: Database, request: ClaimRequest): Companion[] => {
  const jobs = request.jobs ? JSON.stringify(request.jobs) : null;
  return db
    .all<{ name: string; lanes: string | null; kinds: number | null }>(
      `SELECT w.name, c.lanes, c.kinds FROM workers w LEFT JOIN worker_cards c ON c.name = w.name
       WHERE w.alone = 0 AND coalesce(c.draining, 0) = 0 AND (?1 IS NULL OR w.jobs IS NULL OR w.jobs = ?1)`,
      jobs,
    )
    .map(({ name, lanes, kinds }) =>
      name === request.worker
        ? { lanes: request.lanes && new Set(request.lanes), kinds: request.kinds && kindBits(request.kinds) }
        : {
            lanes: lanes === null ? undefined : new Set(JSON.parse(lanes) as string[]),
            kinds: kinds ?? undefined,
          },
    );
};

/** One that registered and was never heard of again. */
const FORGET_MS = 10 * 60_000;

export const forgetCards = (db: Database): void => {
  db.run(
    "DELETE FROM worker_cards WHERE registered_at < ? AND name NOT IN (SELECT name FROM workers)",
    db.now() - FORGET_MS,
  );
};
