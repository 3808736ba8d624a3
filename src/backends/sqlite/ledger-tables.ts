import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Counters,
  type LedgerTable,
  type LedgerTables,
  type LedgerTarget,
  type LedgerUser,
  MigrateError,
  type Row,
  type TableProgress,
} from "../../ports/ledger-tables.ts";
import { CONTROLLERS, quoted, quotedList, readColumns, RowBatch, WORKERS } from "../sql/ledger-tables.ts";
import { Database, explain } from "./database.ts";
import { LEDGER_SCHEMA, printOf, REGISTRY_SCHEMA, type Schema } from "./migrate.ts";

const COUNTED = ["events", "deliveries", "audit"] as const;

/** For reading only, with the content at this moment. */
export const openSqliteTables = async (file: string): Promise<LedgerTables> => {
  if (!existsSync(file))
    throw new MigrateError(
      "no-ledger",
      `${file}: there is no such ledger. Name its file, as in sqlite:data/sluice.db.`,
    );
  try {
    return new SqliteTables(file);
  } catch (error) {
    throw explain(error, file);
  }
};

class SqliteTables implements LedgerTables {
  readonly shown: string;
  readonly tables: readonly LedgerTable[];
  readonly #file: string;
  readonly #db: DatabaseSync;
  /** The moment that everything is read from. */
  #version: unknown;

  constructor(file: string) {
    this.#file = file;
    this.shown = `sqlite:${file}`;
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 30_000 });
    try {
      for (const schema of [LEDGER_SCHEMA, REGISTRY_SCHEMA]) refuseOld(this.#db, file, schema);
      this.tables = tablesOf(this.#db);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  async users(): Promise<readonly LedgerUser[]> {
    const has = (name: string): boolean => this.tables.some((table) => table.name === name);
    return [WORKERS, ...(has("duties") ? [CONTROLLERS] : [])].flatMap((sql) =>
      (this.#list(sql).all(Date.now()) as unknown as [string, number][]).map(([name, until]) => ({
        name,
        until,
      })),
    );
  }

  async count(table: string): Promise<number> {
    return this.#moment(`SELECT count(*) FROM ${quoted(table)}`).get()![0] as number;
  }

  async *rows({ name, columns, key }: LedgerTable, after?: Row): AsyncGenerator<readonly Row[]> {
    const rest = after ? ` WHERE (${quotedList(key)}) > (${key.map(() => "?").join(", ")})` : "";
    const sql = `SELECT ${readColumns(columns)} FROM ${quoted(name)}${rest} ORDER BY ${quotedList(key)}`;
    const batch = new RowBatch();
    try {
      for (const row of this.#moment(sql).iterate(...((after ?? []) as SQLInputValue[])))
        if (batch.add(row as unknown as Row)) {
          yield batch.take();
          await nextTurn();
        }
    } catch (error) {
      throw explain(error, this.#file);
    }
    if (batch.size > 0) yield batch.take();
  }

  async counters(): Promise<Counters> {
    const stored = this.#moment("SELECT name, seq FROM sqlite_sequence").all() as unknown as [
      string,
      number,
    ][];
    const of = (table: string): number => stored.find(([name]) => name === table)?.[1] ?? 0;
    return Object.fromEntries(COUNTED.map((table) => [table, of(table)])) as Counters;
  }

  async hasChanged(): Promise<boolean> {
    if (this.#db.isTransaction) this.#db.exec("COMMIT");
    return this.#dataVersion() !== this.#version;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
  }

  #dataVersion(): unknown {
    return this.#db.prepare("PRAGMA data_version").get()!["data_version"];
  }

  /** The first reader fixes the moment for all that follow. */
  #moment(sql: string): ReturnType<DatabaseSync["prepare"]> {
    if (!this.#db.isTransaction) {
      this.#version ??= this.#dataVersion();
      this.#db.exec("BEGIN");
    }
    return this.#list(sql);
  }

  #list(sql: string): ReturnType<DatabaseSync["prepare"]> {
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }
}

/** A ledger that is only read cannot be upgraded. Its registry may be missing. */
const refuseOld = (db: DatabaseSync, file: string, { part, migrations }: Schema): void => {
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get())
    throw new MigrateError("no-ledger", `${file}: not a ledger of this version of Sluice.`);
  const stored = db
    .prepare("SELECT fingerprint FROM schema_migrations WHERE part = ? ORDER BY version")
    .all(part);
  const isKnown =
    (part === "registry" && stored.length === 0) ||
    (stored.length === migrations.length &&
      stored.every(({ fingerprint }, i) => fingerprint === printOf(migrations[i]!)));
  if (!isKnown)
    throw new MigrateError(
      "old-version",
      `${file}: the tables are of another version of Sluice. Let this version upgrade them first, for example with \`sluice jobs ls --ledger sqlite:${file}\`.`,
    );
};

const tablesOf = (db: DatabaseSync): LedgerTable[] =>
  db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name",
    )
    .all()
    .map(({ name }) => name as string)
    .filter((name) => name !== "schema_migrations" && name !== "registry_version")
    .map((name) => {
      const columns = db.prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid").all(name) as {
        name: string;
        pk: number;
      }[];
      return {
        name,
        columns: columns.map((column) => column.name),
        key: columns
          .filter(({ pk }) => pk > 0)
          .toSorted((a, b) => a.pk - b.pk)
          .map((column) => column.name),
      };
    });

/**
 * Written under another name and renamed at the end: if the process is killed before that, nothing changes, and the next run
 * starts over.
 */
export const openSqliteTarget = async (file: string, part: string): Promise<LedgerTarget> => {
  if (existsSync(file)) return new SqliteTarget(file, part, new SqliteTables(file));
  await rm(part, { force: true });
  (await Database.open(part, {}, [LEDGER_SCHEMA, REGISTRY_SCHEMA])).close();
  return new SqliteTarget(file, part);
};

class SqliteTarget implements LedgerTarget {
  readonly shown: string;
  readonly #file: string;
  readonly #part: string;
  /** Of the rows that are there. */
  #there: SqliteTables | undefined;
  readonly #db: DatabaseSync | undefined;
  #hasBegun = false;
  readonly tables: readonly LedgerTable[];

  constructor(file: string, part: string, there?: SqliteTables) {
    this.shown = `sqlite:${file}`;
    this.#file = file;
    this.#part = part;
    this.#there = there;
    this.#db = there ? undefined : new DatabaseSync(part);
    this.#db?.exec("PRAGMA synchronous = OFF");
    this.tables = there?.tables ?? tablesOf(this.#db!);
  }

  get #read(): SqliteTables {
    return (this.#there ??= new SqliteTables(this.#part));
  }

  users = (): Promise<readonly LedgerUser[]> => this.#read.users();
  count = (table: string): Promise<number> => this.#read.count(table);
  rows = (table: LedgerTable, after?: Row): AsyncIterable<readonly Row[]> => this.#read.rows(table, after);
  counters = (): Promise<Counters> => this.#read.counters();
  hasChanged = (): Promise<boolean> => this.#read.hasChanged();

  /** An existing file is never written, not even an empty ledger. */
  async state(): Promise<"empty" | "used"> {
    return this.#db ? "empty" : "used";
  }

  async begin(): Promise<ReadonlyMap<string, TableProgress>> {
    this.#hasBegun = true;
    for (const { name } of this.tables) this.#db!.exec(`DELETE FROM ${quoted(name)}`);
    return new Map();
  }

  async append({ name, columns }: LedgerTable, rows: readonly Row[]): Promise<void> {
    const db = this.#db!;
    const insert = db.prepare(
      `INSERT INTO ${quoted(name)} (${quotedList(columns)}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    db.exec("BEGIN");
    for (const row of rows) insert.run(...(row as SQLInputValue[]));
    db.exec("COMMIT");
    await nextTurn();
  }

  async clear({ name }: LedgerTable): Promise<void> {
    this.#db!.exec(`DELETE FROM ${quoted(name)}`);
  }

  async setCounters(counters: Counters): Promise<void> {
    const db = this.#db!;
    for (const table of COUNTED) {
      db.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(table);
      db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(table, counters[table]);
    }
    // The following checks use another connection.
    await this.#there?.[Symbol.asyncDispose]();
    this.#there = undefined;
  }

  async finish(): Promise<void> {
    await this.#there?.[Symbol.asyncDispose]();
    this.#there = undefined;
    this.#db!.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#db!.close();
    await sync(this.#part, "r+");
    await rename(this.#part, this.#file);
    await sync(dirname(this.#file), "r");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#there?.[Symbol.asyncDispose]();
    if (this.#db?.isOpen) this.#db.close();
    if (!this.#hasBegun) await rm(this.#part, { force: true });
  }
}

const sync = async (path: string, flags: string): Promise<void> => {
  await using file = await open(path, flags);
  await file.sync();
};
