import type { PgConnection } from "./connection.ts";
import { RunAgain } from "./errors.ts";
import { shiftTimes } from "./shift-times.ts";

/** A process that is frozen, or cut off, in the middle of its turn loses it after so long. */
const FROZEN_MS = 5_000;

/** Plans follow the order of joins and the indexes, whatever is known of the tables: they stay the same while a job grows from nothing to millions. */
const SETTINGS = [
  "join_collapse_limit = 1",
  "enable_hashjoin = off",
  "enable_mergejoin = off",
  "enable_seqscan = off",
  "plan_cache_mode = force_generic_plan",
  "jit = off",
  `idle_in_transaction_session_timeout = ${FROZEN_MS}`,
]
  .map((setting) => `; SET LOCAL ${setting}`)
  .join("");

export const BEGIN = `BEGIN${SETTINGS}`;
/** A commit that a crash of the server may forget, though never a crash of this process. */
export const BEGIN_UNSYNCED = `${BEGIN}; SET LOCAL synchronous_commit = off`;
export const BEGIN_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${SETTINGS}`;

/** So far a clock may be behind the one before, as after a failover to another machine, without time going back. */
const BEHIND_MS = 60_000;

const CLOCK =
  "coalesce($1::double precision, (extract(epoch FROM clock_timestamp()) * 1000)::double precision)";

const TAKE_TURN = `UPDATE locks SET value = value + 1, before = at,
  at = CASE WHEN at - ${CLOCK} BETWEEN 0 AND ${BEHIND_MS} THEN at ELSE ${CLOCK} END WHERE name = $2 RETURNING at, before`;

/**
 * Whoever changes the row of a lock is the only writer of its part until the transaction ends. Answers the time, which is read when the row was
 * got and not when it was asked for.
 */
export const takeTurn = async (
  connection: PgConnection,
  lock: "ledger" | "cursors" | "registry",
  given: (() => number) | undefined,
): Promise<number> => {
  const { rows } = await connection.query(TAKE_TURN, [given?.() ?? null, lock]);
  const [at, before] = rows[0] as [number, number];
  if (lock !== "ledger" || at >= before) return at;
  await shiftTimes(connection, at, before - at);
  await connection.query("COMMIT");
  throw new RunAgain("The clock of the database was set back, and times were moved.");
};

export const readClock = async (connection: PgConnection): Promise<number> => {
  const { rows } = await connection.query(`SELECT ${CLOCK}`, [null]);
  return rows[0]![0] as number;
};
