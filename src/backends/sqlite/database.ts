import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { LedgerError } from "../../ports/ledger.ts";
import { LARGE_WAL } from "./checkpoint-thread.ts";
import { type SteadyClock, steadyClock } from "./clock-step.ts";
import { LEDGER_SCHEMA, migrate, type Schema } from "./migrate.ts";

export interface SqliteOptions {
  /** The ledger's clock, in ms. */
  readonly now?: () => number;
  /** By default the machine's own. */
  readonly steady?: SteadyClock;
  /** How long to wait for another process's write lock. */
  readonly lockMs?: number;
  /** Sync to disk at every commit, not only when something must survive a power cut. */
  readonly alwaysSync?: boolean;
  /** Move the write-ahead log into the database file inside commits. Off if slot timers must not wait for it. */
  readonly checkpoints?: boolean;
  /** Number of pages to cache. Loading a million keys needs more than working on their items. */
  readonly cacheMb?: number;
  /** Called with each statement that is run. */
  readonly onStatement?: (sql: string) => void;
}

/** A write holds the lock for at most about 20 ms, so a few retries at random times within a second find it free. */
const LOCK_RETRY_MS = 3;
/** How long one connection may block the event loop in one turn; the remaining work waits for the next turn. */
const TURN_MS = 20;

/**
 * One connection with its prepared statements. Work inside a transaction is synchronous and short. Waiting for another process's
 * lock is not: it returns to the event loop, so that slot timers are never delayed by a lock.
 */
export class Database {
  readonly file: string;
  /** The ledger's clock, which does not wait for a transaction to end. */
  readonly clock: () => number;
  readonly steady: SteadyClock;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #lists = new Map<string, StatementSync>();
  readonly #lockMs: number;
  readonly #onStatement: SqliteOptions["onStatement"];
  readonly #alwaysSync: boolean;
  #syncs = true;
  #transactionAt: number | undefined;
  /** How long it has blocked the event loop in this turn. */
  #turnMs = 0;

  private constructor(file: string, db: DatabaseSync, options: SqliteOptions) {
    this.file = file;
    this.#db = db;
    this.clock = options.now ?? Date.now;
    // A clock that a caller provides is not compared with the machine's.
    this.steady = options.steady ?? (options.now ? { nowMs: options.now, boot: "" } : steadyClock());
    this.#onStatement = options.onStatement;
    this.#lockMs = options.lockMs ?? 30_000;
    this.#alwaysSync = options.alwaysSync ?? false;
  }

  static async open(
    file: string,
    options: SqliteOptions,
    schemas: readonly Schema[] = [LEDGER_SCHEMA],
  ): Promise<Database> {
    let db: DatabaseSync;
    try {
      makeFolder(dirname(file));
      makePrivate(file);
      db = new DatabaseSync(file, { timeout: 0 });
    } catch (error) {
      throw explain(error, file);
    }
    const database = new Database(file, db, options);
    try {
      await database.#settled(() => {
        db.exec("PRAGMA journal_mode = WAL");
        db.exec("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
        db.exec(`PRAGMA cache_size = -${(options.cacheMb ?? 16) * 1024}`);
        db.exec(`PRAGMA wal_autocheckpoint = ${options.checkpoints === false ? 0 : 4000}`);
      });
      await database.write(() => schemas.forEach((schema) => migrate(db, file, schema)));
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }

  /** A prepared statement, kept for the life of the connection. */
  sql(text: string): StatementSync {
    this.#onStatement?.(text);
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  get<T>(text: string, ...values: SQLInputValue[]): T | undefined {
    return this.sql(text).get(...values) as T | undefined;
  }

  all<T>(text: string, ...values: SQLInputValue[]): T[] {
    return this.sql(text).all(...values) as T[];
  }

  /** Rows as lists of their values. */
  arrays<T extends readonly unknown[]>(text: string, ...values: SQLInputValue[]): T[] {
    return this.#list(text).all(...values) as unknown as T[];
  }

  /** The same, row by row, for large results. */
  each<T extends readonly unknown[]>(text: string, ...values: SQLInputValue[]): Iterable<T> {
    return this.#list(text).iterate(...values) as unknown as Iterable<T>;
  }

  #list(text: string): StatementSync {
    this.#onStatement?.(text);
    let statement = this.#lists.get(text);
    if (!statement) {
      statement = this.#db.prepare(text);
      statement.setReturnArrays(true);
      this.#lists.set(text, statement);
    }
    return statement;
  }

  /** Runs a statement and returns the number of changed rows. */
  run(text: string, ...values: SQLInputValue[]): number {
    return Number(this.sql(text).run(...values).changes);
  }

  /**
   * In a write transaction, the time at which it began: slots are booked, and returned as delays, relative to the same moment,
   * however long the process waits in between.
   */
  now(): number {
    return this.#transactionAt ?? this.clock();
  }

  /** One write transaction. `durable: false` for changes that may be lost in a power cut (but never in a crash of a process). */
  async write<T>(work: () => T, durable = true): Promise<T> {
    return await this.#settled(() => {
      this.#sync(durable || this.#alwaysSync);
      this.#db.exec("BEGIN IMMEDIATE");
      this.#transactionAt = this.clock();
      try {
        const result = work();
        this.#db.exec("COMMIT");
        return result;
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
        throw error;
      } finally {
        this.#transactionAt = undefined;
      }
    });
  }

  /** A consistent view over several reads. */
  async read<T>(work: () => T): Promise<T> {
    return await this.#settled(() => {
      this.#db.exec("BEGIN");
      try {
        return work();
      } finally {
        if (this.#db.isTransaction) this.#db.exec("COMMIT");
      }
    });
  }

  /**
   * Moves the write-ahead log into the database file. This blocks nobody, and so may never reach the end of the log: a log that
   * has grown large is blocked for a moment.
   */
  async checkpoint(): Promise<void> {
    await this.#settled(() => {
      const mode = statSync(`${this.file}-wal`).size > LARGE_WAL ? "RESTART" : "PASSIVE";
      this.#db.exec(`PRAGMA wal_checkpoint(${mode})`);
    });
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  /** A different value after each commit, of this process or another. */
  version(): string {
    const others = this.get<{ data_version: number }>("PRAGMA data_version")!.data_version;
    return `${others} ${this.get<{ n: number }>("SELECT total_changes() AS n")!.n}`;
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #sync(on: boolean): void {
    if (on === this.#syncs) return;
    this.#db.exec(`PRAGMA synchronous = ${on ? "FULL" : "NORMAL"}`);
    this.#syncs = on;
  }

  #countTurn(ms: number): void {
    if (this.#turnMs === 0) setImmediate(() => (this.#turnMs = 0));
    this.#turnMs += ms;
  }

  async #settled<T>(work: () => T): Promise<T> {
    const giveUpAt = performance.now() + this.#lockMs;
    for (;;) {
      // Work that does not wait for a lock would otherwise run to the end of its loop before anything else.
      while (this.#turnMs > TURN_MS) await nextTurn();
      const begunAt = performance.now();
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw explain(error, this.file);
      } finally {
        this.#countTurn(performance.now() - begunAt);
      }
      await delay(LOCK_RETRY_MS * (0.5 + Math.random()));
    }
  }
}

/** Step by step: a recursive `mkdirSync` never returns where no folder can be created (`/proc`). */
const makeFolder = (path: string): void => {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
};

/** SQLite makes its files readable for everyone whom the umask allows; the write-ahead log gets the permissions of the database file. */
export const makePrivate = (file: string): void => {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
};

/** SQLite's primary result codes, https://www.sqlite.org/rescode.html */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

const primaryCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined;

const isBusy = (error: unknown): boolean => {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
};

const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Turns errors of SQLite and the file system into an error that names the file and says what to do. */
export const explain = (error: unknown, file: string): unknown => {
  if (error instanceof LedgerError) return error;
  const cause = { cause: error };
  switch (primaryCode(error) ?? systemCode(error)) {
    case BUSY:
    case LOCKED:
      return new LedgerError(
        "locked",
        `${file}: another process holds the ledger's lock. Stop it or wait, then run the command again; nothing was lost.`,
        cause,
      );
    case FULL:
    case IOERR:
    case "ENOSPC":
      return new LedgerError(
        "no-space",
        `${file}: the disk is full or cannot be written. Free some space, then continue with \`sluice resume\`; ` +
          `items that were settled are safe.`,
        cause,
      );
    case READONLY:
    case CANTOPEN:
    case "EACCES":
    case "EROFS":
    case "EPERM":
    case "ENOTDIR":
    case "ENOENT":
    case "EEXIST":
      return new LedgerError(
        "read-only",
        `${dirname(file)}: the data folder cannot be written. Make it writable, or choose another with --data DIR.`,
        cause,
      );
    case CORRUPT:
    case NOTADB:
      return new LedgerError(
        "damaged",
        `${file}: not a Sluice ledger, or damaged. Restore it from a backup, or move it away and rebuild it from the archive ` +
          `with \`sluice rebuild\`.`,
        cause,
      );
    case undefined:
    default:
      return error;
  }
};
