import type { PgConnection } from "./connection.ts";
import { RunAgain } from "./errors.ts";
import { NOW_SETTING } from "./loads.ts";
import { shiftTimes } from "./shift-times.ts";

/** A process that is frozen or cut off during its turn loses the turn after this time. */
const FROZEN_MS = 5_000;

/**
 * Plans follow the order of joins and the indexes, whatever the statistics of the tables: they stay the same while a job grows
 * from nothing to millions.
 */
const SETTINGS = {
  join_collapse_limit: "1",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  idle_in_transaction_session_timeout: `${FROZEN_MS}`,
};

/** One statement that is planned once: seven times `SET LOCAL` would take longer than taking the turn. */
const set = (settings: Readonly<Record<string, string>>): string =>
  `SELECT length(concat(${Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(", ")}))`;

const BEGIN = {
  durable: ["BEGIN", set(SETTINGS)],
  /**
   * A commit that does not wait for the disk, so that the turn ends sooner. A crash of the server, or a failover, may lose it
   * unless `flush` follows.
   */
  unsynced: ["BEGIN", set({ ...SETTINGS, synchronous_commit: "off" })],
  read: ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", set(SETTINGS)],
} as const;

export const begin = (connection: PgConnection, how: keyof typeof BEGIN): Promise<unknown> =>
  Promise.all([connection.query(BEGIN[how][0], []), connection.query(BEGIN[how][1], [])]);

/** How far a clock may be behind the previous one, as after a failover to another machine, without time going back. */
const BEHIND_MS = 60_000;

const CLOCK =
  "coalesce($1::double precision, (extract(epoch FROM clock_timestamp()) * 1000)::double precision)";

/** Also notes it for the loads. */
const noted = (time: string): string =>
  `set_config('${NOW_SETTING}', (${time})::text, true)::double precision`;

const TAKE_TURN = `UPDATE locks SET value = value + 1, before = at,
  at = CASE WHEN at - ${CLOCK} BETWEEN 0 AND ${BEHIND_MS} THEN at ELSE ${CLOCK} END WHERE name = $2 RETURNING ${noted("at")}, before`;

/**
 * The process that updates the row of a lock is the only writer of its part until the transaction ends. Returns the time, which
 * is read when the row is locked, not when the lock is requested. `hasWritten`: this transaction has changed something before.
 */
export const takeTurn = async (
  connection: PgConnection,
  lock: "ledger" | "cursors" | "registry",
  given: (() => number) | undefined,
  hasWritten = false,
): Promise<number> => {
  const { rows } = await connection.query(TAKE_TURN, [given?.() ?? null, lock]);
  const [at, before] = rows[0] as [number, number];
  if (lock !== "ledger" || at >= before) return at;
  if (!hasWritten) await shiftTimes(connection, at, before - at);
  await connection.query(hasWritten ? "ROLLBACK" : "COMMIT", []);
  throw new RunAgain("The clock of the database was set back, and times were moved.");
};

const FLUSH = "UPDATE locks SET value = value + 1 WHERE name = $1";
const FLUSH_ROWS = 32;
const FLUSH_ROW = `flush-${Math.floor(Math.random() * FLUSH_ROWS)}`;

/**
 * A separate commit that waits for the disk and for synchronous replicas, and therefore for all commits before it. It is sent
 * after a commit that did not wait: other processes take their turns in the meantime. A process that needs the same row waits a
 * little longer; the number of rows makes this rare.
 */
export const flush = (connection: PgConnection): Promise<unknown> => connection.query(FLUSH, [FLUSH_ROW]);

export const readClock = async (connection: PgConnection, given?: () => number): Promise<number> => {
  const { rows } = await connection.query(`SELECT ${noted(CLOCK)}`, [given?.() ?? null]);
  return rows[0]![0] as number;
};
