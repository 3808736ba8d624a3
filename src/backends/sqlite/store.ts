import { randomSeed } from "../../ledger/item-keys.ts";
import { SETS, READ_ONLY } from "../../ledger/loads.ts";
import type { Kind } from "../../ledger/records.ts";
import {
  type Changes,
  type LedgerStore,
  Loaded,
  Miss,
  Transaction,
  type Want,
  type Wants,
} from "../../ledger/transaction.ts";
import { writeRecords } from "../sql/rows.ts";
import {
  ADD_SUMS,
  argsOf,
  CHANGE_QUEUES,
  deleteOf,
  formOf,
  groupWants,
  inOrder,
  INSERT_EVENTS,
  REST_JOB,
  selectOf,
  selectOnly,
  unionOf,
  WAKE_JOB,
} from "../sql/statements.ts";
import { FORMATS, type RowFormat, type Value } from "../sql/tables.ts";
import { watchClock } from "./clock-step.ts";
import type { Database } from "./database.ts";

/** Each round loads something new: a rule that needs more rounds than this has a bug. */
const MOST_ROUNDS = 1000;

export const sqliteStore = (db: Database): LedgerStore => {
  const noticeClock = watchClock(db);
  return {
    now: () => db.now(),
    transact: async (wants, work, durable = true) =>
      await db.write(() => {
        noticeClock();
        const { result, tx } = run(db, wants, work);
        save(db, tx);
        return result;
      }, durable),
    read: async (wants, work) => await db.read(() => run(db, wants, work).result),
  };
};

/** Runs a rule until everything that it needs is loaded. */
const run = <T>(
  db: Database,
  wants: Wants,
  work: (tx: Transaction) => T,
): { readonly result: T; readonly tx: Transaction } => {
  const loaded = new Loaded();
  const now = db.now();
  let drawn: number | undefined;
  const random = (): number => (drawn ??= randomSeed());
  load(db, loaded, typeof wants === "function" ? wants(now) : wants);
  for (let round = 0; ; round++) {
    const tx = new Transaction(loaded, now, random);
    try {
      return { result: work(tx), tx };
    } catch (error) {
      if (!(error instanceof Miss)) throw error;
      if (round === MOST_ROUNDS)
        throw new Error(
          `A ledger rule did not finish after ${round} rounds of loading; it last asked for ${error.wants[0]?.name}.`,
          {
            cause: error,
          },
        );
      load(db, loaded, error.wants);
    }
  }
};

const load = (db: Database, loaded: Loaded, wants: readonly Want[]): void => {
  const [first] = wants;
  const onlySql = wants.length === 1 ? selectOnly(first!.name) : undefined;
  if (first && onlySql !== undefined) {
    const format = FORMATS[SETS[first.name].kind];
    const rows = db.arrays<Value[]>(onlySql, ...first.args);
    return loaded.setReadOnly(
      first,
      rows.map((row) => format.read(row)),
    );
  }
  const groups = [...groupWants(wants)].map(([name, some]) => ({
    kind: SETS[name].kind,
    wants: some,
    form: formOf(name, some),
    found: new Map<number, object[]>(),
  }));
  const keep = (group: (typeof groups)[number], at: number, record: object): void => {
    const known = group.found.get(at);
    if (at < 0) loaded.add(group.kind, record as never);
    else if (known) known.push(record);
    else group.found.set(at, [record]);
  };
  const [only] = groups;
  if (only && groups.length === 1) {
    const format = FORMATS[only.kind];
    for (const row of db.arrays<[number, ...Value[]]>(selectOf(only.form), argsOf(only.form, wants)))
      keep(only, row[0], format.read(row, 1));
  } else if (only) {
    const args = groups.map(({ form, wants: some }) => argsOf(form, some));
    for (const [number, at, row] of db.arrays<[number, number, string]>(
      unionOf(groups.map(({ form }) => form)),
      ...args,
    )) {
      const group = groups[number]!;
      keep(group, at, FORMATS[group.kind].read(JSON.parse(row) as Value[]));
    }
  }
  for (const { kind, wants: some, form, found } of groups)
    for (const [at, want] of some.entries())
      if (form !== want.name) loaded.setKnown(kind, want);
      else if (READ_ONLY.has(want.name)) loaded.setReadOnly(want, inOrder(want, found.get(at) ?? []));
      else
        loaded.setList(
          want,
          inOrder(want, found.get(at) ?? []).map((record) => loaded.add(kind, record as never)),
        );
};

const save = (db: Database, { records, appended, tried, events, sums, queues, wakes }: Changes): void => {
  for (const [kind, changes] of records) {
    const format: RowFormat<Kind> = FORMATS[kind];
    const kept = [...changes.values()].filter((record) => record !== null);
    writeRecords(db, kind, kept);
    const dropped =
      kept.length === changes.size ? [] : [...changes.keys()].filter((id) => changes.get(id) === null);
    if (dropped.length > 0) db.run(deleteOf(format), JSON.stringify(dropped.map((id) => id.split("\u0000"))));
  }
  for (const [kind, added] of appended) writeRecords(db, kind, added);
  for (const { kind, records: some, onWritten } of tried) onWritten(writeRecords(db, kind, some, "nothing"));
  for (const [job, change] of queues) {
    db.run(CHANGE_QUEUES[change], job);
    if (change !== "open") db.run(REST_JOB, job);
  }
  for (const [job, at] of wakes) db.run(WAKE_JOB, at, job);
  if (events.length > 0)
    db.run(
      INSERT_EVENTS,
      db.now(),
      JSON.stringify(events.map(({ type, job, facts }) => [type, job, JSON.stringify(facts)])),
    );
  if (sums.size > 0) db.run(ADD_SUMS, JSON.stringify([...sums]));
};
