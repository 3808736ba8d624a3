import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Counters,
  type LedgerTable,
  type LedgerTables,
  type LedgerTarget,
  type LedgerUser,
  MigrateError,
  type TableProgress,
} from "../ports/ledger-tables.ts";

export interface MovedTable {
  readonly name: string;
  readonly rows: number;
  /** SHA-256 of all rows in the order of their key, the same on both sides. */
  readonly digest: string;
}

export interface MovedLedger {
  /** False if an earlier migration had moved everything. */
  readonly isNew: boolean;
  readonly tables: readonly MovedTable[];
  /** Rows that an interrupted migration had copied before. */
  readonly kept: number;
}

export interface MoveTools {
  readonly onProgress?: (progress: {
    readonly step: "copied" | "checked";
    readonly table: string;
    readonly rows: number;
    readonly of: number;
  }) => void;
  readonly onWait?: (user: LedgerUser, ledger: string) => void;
  /** Runs when the rows are copied and checked, before services can start on the target. */
  readonly beforeFinish?: () => Promise<void>;
}

/** The table that commands write to afterwards, so that a repeated migration finds more rows in the target. */
const GROWING = "audit";

/**
 * Copies a ledger with its registry, table by table, while nothing runs on either side. Services refuse to start on the target until all rows were
 * read back and found equal. If interrupted at any moment, it continues when it is run again; repeated afterwards, it changes nothing.
 */
export const migrateLedger = async (
  source: LedgerTables,
  target: LedgerTarget,
  tools: MoveTools = {},
): Promise<MovedLedger> => {
  if (source.shown === target.shown)
    throw new MigrateError("same", `${source.shown}: source and target are the same.`);
  for (const ledger of [source, target]) await refuseRunning(ledger, tools.onWait);
  const tables = sharedTables(source, target);
  if ((await target.state()) === "used") return await alreadyThere(source, target, tables);
  for (const table of tables) if (!isIn(target, table)) throw otherTables(table.name);
  const move = new Move(source, target, tools, await target.begin(source.shown));
  const moved: MovedTable[] = [];
  for (const table of tables) await move.copy(table, true);
  await target.setCounters(await source.counters());
  for (const table of tables) moved.push(await move.check(table));
  if (!isSame(await source.counters(), await target.counters())) throw differs("counters");
  await tools.beforeFinish?.();
  if (await source.hasChanged())
    throw new MigrateError(
      "changed",
      `${source.shown} was written to during the migration. Stop everything that uses it, then run \`sluice migrate\` again.`,
    );
  await target.finish();
  return { isNew: true, tables: moved, kept: move.kept };
};

const LOOK_MS = 500;

/** Workers that have just ended count as running for a few more seconds: wait for them. A worker that extends its time is still running. */
export const refuseRunning = async (
  ledger: LedgerTables,
  onWait?: (user: LedgerUser, ledger: string) => void,
): Promise<void> => {
  const seen = new Map<string, number>();
  for (let isFirst = true; ; isFirst = false) {
    const users = await ledger.users();
    if (users.length === 0) return;
    const running = users.find(({ name, until }) => !isFirst && until !== seen.get(name));
    if (running)
      throw new MigrateError(
        "running",
        `${ledger.shown} is in use by ${running.name}. Stop all workers and controllers, then run \`sluice migrate\` again.`,
      );
    if (isFirst) onWait?.(users[0]!, ledger.shown);
    for (const { name, until } of users) seen.set(name, until);
    await delay(LOOK_MS);
  }
};

/** Either may lack the tables of a registry that was never opened. Columns have one order, whatever that of the tables is. */
const sharedTables = (source: LedgerTables, target: LedgerTarget): readonly LedgerTable[] => {
  const tables = new Map<string, LedgerTable>();
  for (const { name, columns, key } of [...source.tables, ...target.tables]) {
    const table = { name, columns: columns.toSorted(), key };
    if (JSON.stringify(tables.get(name) ?? table) !== JSON.stringify(table)) throw otherTables(name);
    tables.set(name, table);
  }
  return [...tables.values()];
};

const otherTables = (name: string): MigrateError =>
  new MigrateError(
    "old-version",
    `Table ${name} differs between source and target. Both must be of this version of Sluice.`,
  );

const differs = (what: string): MigrateError =>
  new MigrateError(
    "differs",
    `${what}: the copy differs from the source. The target is not usable; the source was not changed. Run \`sluice migrate\` again.`,
  );

class Move {
  kept = 0;
  readonly #source: LedgerTables;
  readonly #target: LedgerTarget;
  readonly #tools: MoveTools;
  readonly #progress: ReadonlyMap<string, TableProgress>;

  constructor(
    source: LedgerTables,
    target: LedgerTarget,
    tools: MoveTools,
    progress: ReadonlyMap<string, TableProgress>,
  ) {
    this.#source = source;
    this.#target = target;
    this.#tools = tools;
    this.#progress = progress;
  }

  async copy(table: LedgerTable, goesOn: boolean): Promise<void> {
    if (!isIn(this.#source, table)) return;
    const from = goesOn ? this.#progress.get(table.name) : undefined;
    const of = await this.#source.count(table.name);
    const places = table.key.map((column) => table.columns.indexOf(column));
    let rows = from?.rows ?? 0;
    this.kept += rows;
    let sending: Promise<void> | undefined;
    // The next batch is read while the last one is written.
    for await (const batch of this.#source.rows(table, from?.after)) {
      await sending;
      const last = batch.at(-1)!;
      rows += batch.length;
      sending = this.#target.append(table, batch, { after: places.map((place) => last[place]!), rows });
      sending.catch(() => undefined);
      this.#tools.onProgress?.({ step: "copied", table: table.name, rows, of });
    }
    await sending;
  }

  /** If an earlier run had copied rows, the source may have changed since: then the table is copied again. */
  async check(table: LedgerTable): Promise<MovedTable> {
    const moved = await this.#compare(table);
    if (moved) return moved;
    if (!this.#progress.has(table.name)) throw differs(table.name);
    this.kept -= this.#progress.get(table.name)!.rows;
    await this.#target.clear(table);
    await this.copy(table, false);
    const again = await this.#compare(table);
    if (!again) throw differs(table.name);
    return again;
  }

  async #compare(table: LedgerTable): Promise<MovedTable | undefined> {
    const of = await this.#target.count(table.name);
    const onRows = (rows: number): void =>
      this.#tools.onProgress?.({ step: "checked", table: table.name, rows, of });
    const [own, theirs] = await Promise.all([
      digestOf(this.#source, table),
      digestOf(this.#target, table, Infinity, onRows),
    ]);
    return isSame(own, theirs) ? { name: table.name, ...own } : undefined;
  }
}

const isIn = (ledger: LedgerTables, { name }: LedgerTable): boolean =>
  ledger.tables.some((table) => table.name === name);

interface Digest {
  readonly rows: number;
  readonly digest: string;
}

/** The first rows, at most this many. */
const digestOf = async (
  ledger: LedgerTables,
  table: LedgerTable,
  most = Infinity,
  onRows?: (rows: number) => void,
): Promise<Digest> => {
  const hash = createHash("sha256");
  let rows = 0;
  if (isIn(ledger, table))
    for await (const all of ledger.rows(table)) {
      const batch = rows + all.length > most ? all.slice(0, most - rows) : all;
      if (batch.length === 0) continue;
      // The same text however the rows came in batches.
      hash.update(JSON.stringify(batch).slice(1, -1)).update(",");
      rows += batch.length;
      onRows?.(rows);
    }
  return { rows, digest: hash.digest("hex") };
};

const isSame = (a: Digest | Counters, b: Digest | Counters): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** A target with rows is right only if they are the source's. */
const alreadyThere = async (
  source: LedgerTables,
  target: LedgerTarget,
  tables: readonly LedgerTable[],
): Promise<MovedLedger> => {
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const rows = isIn(source, table) ? await source.count(table.name) : 0;
    const found = isIn(target, table) ? await target.count(table.name) : 0;
    const own = await digestOf(source, table);
    const isRight =
      (found === rows || (table.name === GROWING && found > rows)) &&
      isSame(own, await digestOf(target, table, rows));
    if (!isRight)
      throw new MigrateError(
        "not-empty",
        `${target.shown} holds other data (table ${table.name}: ${found} rows, the source has ${rows}). Nothing was changed. Name an empty database, ` +
          "or a ledger file that does not exist.",
      );
    moved.push({ name: table.name, ...own });
  }
  return { isNew: false, tables: moved, kept: moved.reduce((sum, { rows }) => sum + rows, 0) };
};
