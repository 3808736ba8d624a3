import { Client, type QueryArrayConfig } from "pg";
import {
  type Counters,
  type LedgerTable,
  type LedgerTarget,
  type LedgerUser,
  MigrateError,
  type Row,
  type TableProgress,
} from "../../ports/ledger-tables.ts";
import {
  CONTROLLERS,
  hasRows,
  quoted,
  quotedList,
  readColumns,
  RowBatch,
  WORKERS,
} from "../sql/ledger-tables.ts";
import { parseAddress, type PgAddress } from "./address.ts";
import { encodeText } from "./texts.ts";
import { copyIn, copyOut, readLine } from "./copy.ts";
import { isLost, problemOf } from "./errors.ts";
import { migrate, MOVING } from "./migrate.ts";
import { openPool } from "./pool.ts";

/** Tables that are not part of the ledger's content. */
const OTHERS: ReadonlySet<string> = new Set(["schema_migrations", "migration", "locks"]);
const NUMBERS: ReadonlySet<string> = new Set(["bigint", "smallint", "integer", "double precision"]);

/** Columns with their own values, in order; columns of the key have a position in it. */
const COLUMNS = `SELECT c.relname, a.attname, format_type(a.atttypid, NULL), array_position(i.indkey::int2[], a.attnum)
  FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  ORDER BY c.relname, a.attnum`;

const CHANGES = "SELECT sum(value) FROM locks";
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)";

interface PgTable extends LedgerTable {
  readonly isNumber: ReadonlyMap<string, boolean>;
}

/** Opens a ledger in PostgreSQL for `sluice migrate`. For a target, the tables are created first. */
export const openPostgresTables = async (
  url: string,
  { isTarget }: { readonly isTarget: boolean },
): Promise<LedgerTarget> => {
  const address = parseAddress(url);
  const pool = await openPool(url, { most: 1 });
  try {
    await migrate(pool, { isMoving: isTarget, isReading: !isTarget });
  } finally {
    await pool.close();
  }
  const tables = new PostgresTables(await connect(address), address.shown);
  await tables.open();
  return tables;
};

/** COPY needs a connection that is not pipelined. */
const connect = async ({ hosts, config, shown }: PgAddress): Promise<Client> => {
  let problem: unknown;
  for (const { host, port } of hosts) {
    const client = new Client({
      ...config,
      host,
      port,
      connectionTimeoutMillis: 5_000,
      application_name: "sluice-migrate",
      keepAlive: true,
    });
    // A running query fails, too.
    client.on("error", () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ readonly isStandby: boolean }>(
        'SELECT pg_is_in_recovery() AS "isStandby"',
      );
      if (!rows[0]!.isStandby) return client;
      problem = Object.assign(new Error("a standby, not the primary"), { code: "ECONNREFUSED" });
    } catch (error) {
      problem = error;
      if (!isLost(error)) break;
    }
    await client.end().catch(() => undefined);
  }
  throw problemOf(problem, shown);
};

class PostgresTables implements LedgerTarget {
  readonly shown: string;
  tables: readonly PgTable[] = [];
  readonly #client: Client;
  /** Identifies this run: a run that starts later takes over. */
  readonly #run: string = crypto.randomUUID();
  #changes: unknown;

  constructor(client: Client, shown: string) {
    this.#client = client;
    this.shown = shown;
  }

  async open(): Promise<void> {
    const columns = await this.#query<[string, string, string, number | null]>(COLUMNS);
    const byTable = Map.groupBy(columns, ([table]) => table);
    this.tables = [...byTable]
      .filter(([name]) => !OTHERS.has(name))
      .map(([name, own]) => ({
        name,
        columns: own.map(([, column]) => column),
        key: own
          .filter(([, , , place]) => place !== null)
          .toSorted((a, b) => a[3]! - b[3]!)
          .map(([, column]) => column),
        isNumber: new Map(own.map(([, column, type]) => [column, NUMBERS.has(type)])),
      }));
    [[this.#changes]] = (await this.#query<[unknown]>(CHANGES)) as [[unknown]];
  }

  async users(): Promise<readonly LedgerUser[]> {
    const found = await Promise.all(
      [WORKERS, CONTROLLERS].map((sql) => this.#query<[string, string]>(sql.replace("?1", NOW))),
    );
    return found.flat().map(([name, until]) => ({ name, until: Number(until) }));
  }

  async count(table: string): Promise<number> {
    return await this.#number(`SELECT count(*) FROM ${quoted(table)}`);
  }

  async *rows({ name, columns, key }: LedgerTable, after?: Row): AsyncGenerator<readonly Row[]> {
    const own = this.tables.find((table) => table.name === name)!;
    const isNumber = columns.map((column) => own.isNumber.get(column)!);
    const rest = after ? ` WHERE (${quotedList(key)}) > (${after.map(literal).join(", ")})` : "";
    const from = `SELECT ${readColumns(columns)} FROM ${quoted(name)}${rest} ORDER BY ${quotedList(key)}`;
    const batch = new RowBatch();
    try {
      for await (const lines of copyOut(this.#client, `COPY (${from}) TO STDOUT`))
        for (const line of lines) if (batch.add(readLine(line, isNumber))) yield batch.take();
    } catch (error) {
      throw problemOf(error, this.shown);
    }
    if (batch.size > 0) yield batch.take();
  }

  async counters(): Promise<Counters> {
    const of = (table: string): Promise<number> =>
      this.#number(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${table}_seq_seq`);
    return {
      events: await this.#number("SELECT value FROM locks WHERE name = 'events'"),
      deliveries: await of("deliveries"),
      audit: await of("audit"),
    };
  }

  async hasChanged(): Promise<boolean> {
    const [[changes]] = (await this.#query<[unknown]>(CHANGES)) as [[unknown]];
    return changes !== this.#changes;
  }

  async state(): Promise<"empty" | "unfinished" | "used"> {
    if ((await this.#query("SELECT 1 FROM schema_migrations WHERE part = $1", [MOVING])).length > 0)
      return "unfinished";
    for (const { name } of this.tables) if ((await this.#number(hasRows(name))) > 0) return "used";
    return "empty";
  }

  async begin(source: string): Promise<ReadonlyMap<string, TableProgress>> {
    return await this.#transaction(async () => {
      await this.#query(
        "CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, run text NOT NULL, after json, rows bigint NOT NULL)",
      );
      const [marked] = await this.#query<[string]>(
        "SELECT fingerprint FROM schema_migrations WHERE part = $1 FOR UPDATE",
        [MOVING],
      );
      if (marked?.[0] !== source) {
        await this.#query(`TRUNCATE migration, ${quotedList(this.tables.map(({ name }) => name))}`);
        await this.#query(
          "INSERT INTO schema_migrations (part, version, fingerprint) VALUES ($1, 0, $2) ON CONFLICT (part, version) DO UPDATE SET fingerprint = $2",
          [MOVING, source],
        );
        for (const { name } of this.tables)
          await this.#query("INSERT INTO migration (name, run, rows) VALUES ($1, '', 0)", [name]);
      }
      await this.#query("UPDATE migration SET run = $1", [this.#run]);
      const done = await this.#query<[string, Row, string]>(
        "SELECT name, after, rows FROM migration WHERE after IS NOT NULL",
      );
      return new Map(done.map(([name, after, rows]) => [name, { after, rows: Number(rows) }]));
    });
  }

  async append(table: LedgerTable, rows: readonly Row[], { after, rows: sum }: TableProgress): Promise<void> {
    await this.#transaction(async () => {
      await this.#note(table, JSON.stringify(after), sum);
      await copyIn(
        this.#client,
        `COPY ${quoted(table.name)} (${quotedList(table.columns)}) FROM STDIN`,
        rows,
      );
    });
  }

  async clear(table: LedgerTable): Promise<void> {
    await this.#transaction(async () => {
      await this.#note(table, null, 0);
      await this.#query(`TRUNCATE ${quoted(table.name)}`);
    });
  }

  async setCounters({ events, deliveries, audit }: Counters): Promise<void> {
    await this.#query("UPDATE locks SET value = $1 WHERE name = 'events'", [events]);
    for (const [table, value] of Object.entries({ deliveries, audit }))
      await this.#query(`SELECT setval('${table}_seq_seq', $1, $2)`, [Math.max(value, 1), value > 0]);
    // Plans of other statements need no statistics; those of the check do.
    await this.#query("ANALYZE");
  }

  async finish(): Promise<void> {
    await this.#transaction(async () => {
      const mine = await this.#query("SELECT 1 FROM migration WHERE run = $1 FOR UPDATE", [this.#run]);
      if (mine.length !== this.tables.length) throw this.#takenOver();
      await this.#query("DROP TABLE migration");
      await this.#query("DELETE FROM schema_migrations WHERE part = $1", [MOVING]);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #note({ name }: LedgerTable, after: string | null, rows: number): Promise<void> {
    const noted = await this.#query(
      "UPDATE migration SET after = $1, rows = $2 WHERE name = $3 AND run = $4 RETURNING 1",
      [after, rows, name, this.#run],
    );
    if (noted.length === 0) throw this.#takenOver();
  }

  #takenOver(): MigrateError {
    return new MigrateError(
      "other-run",
      `${this.shown}: another \`sluice migrate\` has taken over this database. Let that one finish.`,
    );
  }

  async #transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.#query("BEGIN");
    try {
      const result = await work();
      await this.#query("COMMIT");
      return result;
    } catch (error) {
      await this.#query("ROLLBACK").catch(() => undefined);
      throw this.#explain(error);
    }
  }

  async #query<T extends unknown[]>(text: string, values?: unknown[]): Promise<T[]> {
    const config: QueryArrayConfig = { text, rowMode: "array", ...(values && { values }) };
    try {
      return (await this.#client.query<T>(config)).rows;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async #number(sql: string): Promise<number> {
    return Number((await this.#query<[string]>(sql))[0]![0]);
  }

  /** For a row that cannot be stored: its position, but not its content. */
  #explain(error: unknown): unknown {
    const { where, code = "" } = error as { readonly where?: string; readonly code?: string };
    // The run that took over has finished.
    if (code === "42P01") return this.#takenOver();
    const [, place] = /^COPY ([^:]+)/m.exec(where ?? "") ?? [];
    return place !== undefined && /^2[23]/.test(code)
      ? new MigrateError(
          "bad-row",
          `${this.shown}: a row of the source cannot be stored (${place}, code ${code}). \`sluice fsck\` checks the source. The source was not changed.`,
          { cause: error },
        )
      : problemOf(error, this.shown);
  }
}

const literal = (cell: Row[number]): string =>
  typeof cell === "string" ? `'${encodeText(cell).replaceAll("'", "''")}'` : `${cell}`;
