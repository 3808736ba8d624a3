import { LedgerError } from "../../ports/ledger.ts";

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** The connection or the server is gone or temporarily unavailable. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOST = /^(?:08...|57P0[1-5]|53300|25006|25P03|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT)$/;
const LOST_MESSAGE =
  /Connection terminated|not queryable|timeout expired|read timeout|Connection ended|socket disconnected/i;

/** All network errors of the system: a missing route has other codes than a missing host. */
const NETWORK: ReadonlySet<unknown> = new Set(["connect", "read", "write", "getaddrinfo"]);

export const isLost = (error: unknown): boolean =>
  LOST.test(codeOf(error) ?? "") ||
  (error instanceof Error &&
    (LOST_MESSAGE.test(error.message) || ("syscall" in error && NETWORK.has(error.syscall))));

/** Serialization failures, deadlocks and locks that are not available at once: the same transaction may succeed if it is repeated. */
const RETRYABLE = /^(?:40001|40P01|55P03)$/;

export const isRetryable = (error: unknown): boolean => RETRYABLE.test(codeOf(error) ?? "");

/** Thrown for a transaction that must be repeated. */
export class RunAgain extends Error {
  readonly code = "40001";
}

/** A row should have been new, but its key exists. */
export const isTaken = (error: unknown): boolean => codeOf(error) === "23505";

/** What a person can do about it. `where` contains no password. */
export const problemOf = (error: unknown, where: string): unknown => {
  if (error instanceof LedgerError || !(error instanceof Error)) return error;
  const cause = { cause: error };
  const code = codeOf(error) ?? "";
  if (code.startsWith("28"))
    return new LedgerError(
      "unavailable",
      `${where}: PostgreSQL refused the user name or password. Correct the URL of the ledger.`,
      cause,
    );
  if (code === "3D000")
    return new LedgerError(
      "unavailable",
      `${where}: there is no such database. Create it with \`createdb\`, or correct the URL of the ledger.`,
      cause,
    );
  if (code === "42501")
    return new LedgerError(
      "read-only",
      `${where}: the user may not create or change tables. Grant it CREATE on the schema, or use the owner of the database.`,
      cause,
    );
  if (code === "53100")
    return new LedgerError(
      "no-space",
      `${where}: the disk of the database is full. Free some space; items that were settled are safe.`,
      cause,
    );
  if (isRetryable(error))
    return new LedgerError(
      "locked",
      `${where}: other transactions blocked this one for too long. Try again; nothing was lost.`,
      cause,
    );
  if (isLost(error))
    return new LedgerError(
      "unavailable",
      `${where}: the database does not answer, or has no primary. Start it, or correct the URL of the ledger; nothing was lost.`,
      cause,
    );
  return error;
};
