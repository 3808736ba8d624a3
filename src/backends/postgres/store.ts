import { isDeepStrictEqual } from "node:util";
import { randomSeed } from "../../ledger/item-keys.ts";
import { READ_ONLY, SETS } from "../../ledger/loads.ts";
import type { Kind, Result } from "../../ledger/records.ts";
import {
  type Changes,
  type LedgerStore,
  Loaded,
  Miss,
  Transaction,
  type Want,
  type Wants,
} from "../../ledger/transaction.ts";
import { groupWants, inOrder } from "../sql/statements.ts";
import { FORMATS, type Value } from "../sql/tables.ts";
import { arrayOf, type PgConnection } from "./connection.ts";
import { isTaken, RunAgain } from "./errors.ts";
import { type LikelyItems, NextItems } from "./next-items.ts";
import type { PgPool } from "./pool.ts";
import {
  ADD_SUMS,
  CHANGE_QUEUES,
  deleteRows,
  groupOf,
  INSERT_EVENTS,
  insertRows,
  type LoadGroup,
  type OnTaken,
  REST_JOB,
  selectLoad,
  type Statement,
  unionLoads,
  WAKE_JOB,
} from "./statements.ts";
import { decodeText } from "./texts.ts";
import { begin, flush, readClock, takeTurn } from "./turn.ts";

/** Each round loads something new: a rule that needs more rounds than this has a bug. */
const MOST_ROUNDS = 1000;

/** Minimum number of appended records for writing them before the turn is taken. */
const MANY = 50;

/** The time of the transaction, in loads that are sent before it is known: null for the database, which knows the time. */
const NOW = -1;
const withoutNow = ({ name, args }: Want): Want => ({
  name,
  args: args.map((arg) => (arg === NOW ? null : arg)),
});

export interface StoreOptions {
  /** The ledger's clock, in ms; by default the database's. */
  readonly now?: () => number;
  /** Called with everything that was committed durably. */
  readonly onDurable?: (changes: Changes) => void;
}

export interface PgStore extends LedgerStore {
  /** A different value after each change. */
  readonly version: () => Promise<number>;
}

export const postgresStore = (pool: PgPool, { now: given, onDurable }: StoreOptions = {}): PgStore => {
  /** The database's clock, compared with the monotonic clock. */
  let aheadMs = Date.now() - performance.now();
  const now = (): number => given?.() ?? performance.now() + aheadMs;
  const nextItems = new NextItems();
  /** `clock`: the time of the transaction, requested before the loads. */
  const loadFirst = async (
    connection: PgConnection,
    wants: Wants,
    clock: Promise<number>,
    more: readonly Want[] = [],
  ): Promise<{ readonly at: number; readonly loaded: Loaded; readonly likely: LikelyItems | undefined }> => {
    const loaded = new Loaded();
    const wantsAt = (time: number): Want[] => [
      ...(typeof wants === "function" ? wants(time) : wants),
      ...more,
    ];
    const asked = wantsAt(NOW).map(withoutNow);
    const first = fetchRows(connection, asked);
    const isClaim = asked.some(({ name }) => name === "readyQueues");
    const likely = isClaim ? nextItems.load(connection) : undefined;
    const [at, groups] = await Promise.all([clock, first, likely?.keep(loaded)]);
    keep(loaded, groups, wantsAt(at));
    return { at, loaded, likely };
  };
  /**
   * Begins a transaction with a try of its rule, and writes the results that the rule appends, while other processes may have the
   * turn: writing them takes longest. If the rule appends others when it runs in its turn, nothing of this remains.
   */
  const appendEarly = async (
    connection: PgConnection,
    begun: Promise<unknown>,
    wants: Wants,
    work: (tx: Transaction) => unknown,
  ): Promise<EarlyResults | undefined> => {
    const [{ at, loaded }] = await Promise.all([
      loadFirst(connection, wants, readClock(connection, given)),
      begun,
    ]);
    try {
      const { tx, missed } = await run(connection, loaded, at, work);
      const results = resultsOf(tx);
      const written = Promise.all(insertAll(connection, "result", results, "fail"));
      return { results, missed, written: written.catch(runAgainIfTaken) };
    } catch {
      // What it loaded may be from different times. In its turn, the rule says what is wrong.
      await connection.query("ROLLBACK", []);
      return undefined;
    }
  };
  return {
    now,
    transact: (wants, work, isDurable = true, appends = 0) => {
      let onTaken: OnTaken = "fail";
      let isEarly = appends >= MANY;
      return pool.withConnection(async (connection) => {
        const beginOwn = (): Promise<unknown> => begin(connection, isDurable ? "durable" : "unsynced");
        const early = isEarly ? await appendEarly(connection, beginOwn(), wants, work) : undefined;
        isEarly = false;
        const begun = early ? early.written : beginOwn();
        const turn = takeTurn(connection, "ledger", given, early !== undefined);
        const first = loadFirst(connection, wants, turn, early?.missed);
        const [{ at, loaded, likely }] = await Promise.all([first, begun]);
        aheadMs = at - performance.now();
        const { result, tx, missed } = await run(connection, loaded, at, work);
        nextItems.note(likely, missed, tx);
        if (early && !isSame(resultsOf(tx), early.results)) {
          await connection.query("ROLLBACK", []);
          throw new RunAgain("Something has changed since the results were written.");
        }
        try {
          const sent = save(connection, tx, at, onTaken, early && "result");
          const hasChanged = sent.length > 0;
          sent.push(connection.query("COMMIT", []));
          // What one worker was given must not be given to another because the server has crashed.
          if (!isDurable && hasChanged) sent.push(flush(connection));
          await Promise.all(sent);
        } catch (error) {
          if (onTaken === "update") throw error;
          onTaken = "update";
          return runAgainIfTaken(error);
        }
        if (isDurable) onDurable?.(tx);
        return result;
      });
    },
    read: (wants, work) =>
      pool.withConnection(async (connection) => {
        const at = now();
        const loaded = new Loaded();
        const asked = typeof wants === "function" ? wants(at) : wants;
        const [, groups] = await Promise.all([begin(connection, "read"), fetchRows(connection, asked)]);
        keep(loaded, groups, asked);
        const { result } = await run(connection, loaded, at, work);
        await connection.query("COMMIT", []);
        return result;
      }),
    version: () =>
      pool.withConnection(async (connection) => {
        const { rows } = await connection.query("SELECT value FROM locks WHERE name = 'ledger'", []);
        return rows[0]![0] as number;
      }),
  };
};

/** Results that are written before the turn is taken. */
interface EarlyResults {
  readonly results: readonly Result[];
  /** What the rule needed in addition to its first loads. */
  readonly missed: readonly Want[];
  readonly written: Promise<unknown>;
}

const runAgainIfTaken = (error: unknown): never => {
  if (!isTaken(error)) throw error;
  throw new RunAgain("A record that counts as new was there.", { cause: error });
};

const resultsOf = ({ appended }: Changes): readonly Result[] => (appended.get("result") ?? []) as Result[];

/** Whether results differ only in the time at which the rule was tried and run. Most of their values are the same objects. */
const isSame = (some: readonly Result[], others: readonly Result[]): boolean =>
  some.length === others.length &&
  some.every((result, i) => {
    for (const name in result) {
      const [a, b] = [result[name as keyof Result], others[i]![name as keyof Result]];
      if (a !== b && name !== "endedAt" && !isEqualList(a, b) && !isDeepStrictEqual(a, b)) return false;
    }
    return true;
  });

/** Each result has its own list about the attempt, which `isDeepStrictEqual` takes long for. */
const isEqualList = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((value, i) => value === b[i]);

/** Runs a rule until everything that it needs is loaded. */
const run = async <T>(
  connection: PgConnection,
  loaded: Loaded,
  now: number,
  work: (tx: Transaction) => T,
): Promise<{ readonly result: T; readonly tx: Transaction; readonly missed: readonly Want[] }> => {
  const missed: Want[] = [];
  let drawn: number | undefined;
  const random = (): number => (drawn ??= randomSeed());
  for (let round = 0; ; round++) {
    const tx = new Transaction(loaded, now, random);
    try {
      return { result: work(tx), tx, missed };
    } catch (error) {
      if (!(error instanceof Miss)) {
        await connection.query("ROLLBACK", []);
        throw error;
      }
      if (round === MOST_ROUNDS)
        throw new Error(
          `A ledger rule did not finish after ${round} rounds of loading; it last asked for ${error.wants[0]?.name}.`,
          { cause: error },
        );
      missed.push(...error.wants);
      keep(loaded, await fetchRows(connection, error.wants), error.wants);
    }
  }
};

/** The rows of the requested loads, by load and number of the argument list. */
type FoundRows = readonly (LoadGroup & { readonly found: ReadonlyMap<number, readonly object[]> })[];

const fetchRows = async (connection: PgConnection, wants: readonly Want[]): Promise<FoundRows> => {
  const groups = [...groupWants(wants)].map(([name, some]) => ({
    ...groupOf(name, some),
    kind: SETS[name].kind,
    found: new Map<number, object[]>(),
  }));
  const add = (group: (typeof groups)[number], at: number, record: object): void => {
    const known = group.found.get(at - 1);
    if (known) known.push(record);
    else group.found.set(at - 1, [record]);
  };
  const [only] = groups;
  if (!only) return [];
  if (groups.length === 1) {
    const format = FORMATS[only.kind];
    for (const row of (await ask(connection, selectLoad(only))).rows)
      add(only, row[0] as number, format.read(row as Value[], 1));
    return groups;
  }
  for (const [number, at, row] of (await ask(connection, unionLoads(groups))).rows) {
    const group = groups[number as number]!;
    const values = (JSON.parse(row as string) as Value[]).map((value) =>
      typeof value === "string" ? decodeText(value) : value,
    );
    add(group, at as number, FORMATS[group.kind].read(values));
  }
  return groups;
};

const ask = (connection: PgConnection, { text, values }: Statement) => connection.query(text, values);

/** `wants`: the requested ones, in the same order. */
const keep = (loaded: Loaded, groups: FoundRows, wants: readonly Want[]): void => {
  const named = groupWants(wants);
  for (const { form, wants: asked, found } of groups) {
    const { name } = asked[0]!;
    const { kind } = SETS[name];
    for (const record of found.get(-1) ?? []) loaded.add(kind, record as never);
    for (const [at, want] of named.get(name)!.entries()) {
      // Without arguments there is only one set.
      const records = [...(found.get(want.args.length === 0 ? 0 : at) ?? [])];
      if (form !== name) loaded.setKnown(kind, want);
      else if (READ_ONLY.has(name)) loaded.setReadOnly(want, inOrder(want, records));
      else
        loaded.setList(
          want,
          inOrder(want, records).map((record) => loaded.add(kind, record as never)),
        );
    }
  }
};

/** Maximum number of rows in one statement: its arrays stay small enough to be sent and parsed at once. */
export const MOST_ROWS = 5_000;

const insertAll = (
  connection: PgConnection,
  kind: Kind,
  records: readonly object[],
  onTaken: OnTaken,
): Promise<unknown>[] => {
  const sent: Promise<unknown>[] = [];
  for (let from = 0; from < records.length; from += MOST_ROWS)
    sent.push(ask(connection, insertRows(kind, records.slice(from, from + MOST_ROWS), onTaken)));
  return sent;
};

/** `onTaken`: for appended records. `written`: the kind of appended records that are written already. */
const save = (
  connection: PgConnection,
  changes: Changes,
  now: number,
  onTaken: OnTaken,
  written: Kind | undefined,
): Promise<unknown>[] => {
  const { records, appended, tried, events, sums, queues, wakes } = changes;
  const sent: Promise<unknown>[] = [];
  for (const [kind, changed] of records) {
    const kept = [...changed.values()].filter((record) => record !== null);
    sent.push(...insertAll(connection, kind, kept, "update"));
    const dropped = [...changed.keys()].filter((id) => changed.get(id) === null);
    if (dropped.length > 0)
      sent.push(
        ask(
          connection,
          deleteRows(
            kind,
            dropped.map((id) => id.split("\u0000")),
          ),
        ),
      );
  }
  for (const [kind, added] of appended)
    if (kind !== written) sent.push(...insertAll(connection, kind, added, onTaken));
  for (const { kind, records: some, onWritten } of tried)
    if (some.length > 0)
      sent.push(ask(connection, insertRows(kind, some, "nothing")).then(({ count }) => onWritten(count)));
    else onWritten(0);
  for (const [job, change] of queues) {
    sent.push(connection.query(CHANGE_QUEUES[change], [job]));
    if (change !== "open") sent.push(connection.query(REST_JOB, [job]));
  }
  for (const [job, at] of wakes) sent.push(connection.query(WAKE_JOB, [at, job]));
  if (events.length > 0)
    sent.push(
      connection.query(INSERT_EVENTS, [
        now,
        arrayOf(events.map(({ type }) => type)),
        arrayOf(events.map(({ job }) => job)),
        arrayOf(events.map(({ facts }) => JSON.stringify(facts))),
        events.length,
      ]),
    );
  if (sums.size > 0)
    sent.push(connection.query(ADD_SUMS, [arrayOf([...sums.keys()]), arrayOf([...sums.values()])]));
  return sent;
};
