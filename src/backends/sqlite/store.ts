import { Book, type Changes, Loaded, Miss, type Want } from "../../ledger/book.ts";
import { KIND_OF } from "../../ledger/loads.ts";
import type { Kind } from "../../ledger/records.ts";
import type { LedgerStore } from "../../ledger/store.ts";
import {
  ADD_SUMS,
  argsOf,
  deleteOf,
  groupWants,
  inOrder,
  INSERT_EVENTS,
  selectOf,
  unionOf,
  WAKE_JOB,
} from "../sql/statements.ts";
import { writeRecords } from "../sql/rows.ts";
import { FORMATS, type RowFormat, type Value } from "../sql/tables.ts";
import { watchClock } from "./clock-step.ts";
import type { Database } from "./database.ts";

/** A rule that asks for more again and again is at fault. */
const MOST_ROUNDS = 50;

export const sqliteStore = (db: Database): LedgerStore => {
  const noticeClock = watchClock(db);
  const transact: LedgerStore["transact"] = async (wants, work, durable = true) =>
    await db.write(() => {
      noticeClock();
      const loaded = new Loaded();
      const now = db.now();
      load(db, loaded, typeof wants === "function" ? wants(now) : wants);
      for (let round = 0; ; round++) {
        const book = new Book(loaded, now);
        try {
          const result = work(book);
          save(db, book);
          return result;
        } catch (error) {
          if (!(error instanceof Miss) || round === MOST_ROUNDS) throw error;
          load(db, loaded, error.wants);
        }
      }
    }, durable);
  return { now: db.now, transact };
};

const load = (db: Database, loaded: Loaded, wants: readonly Want[]): void => {
  const groups = groupWants(wants);
  const names = [...groups.keys()];
  const found = new Map(wants.map((want) => [want, [] as object[]]));
  const [only] = names;
  if (only !== undefined && names.length === 1) {
    const format = FORMATS[KIND_OF[only]];
    for (const row of db.arrays<[number, ...Value[]]>(selectOf(only), argsOf(wants)))
      found.get(wants[row[0]]!)!.push(format.read(row, 1));
  } else if (names.length > 1) {
    const args = names.map((name) => argsOf(groups.get(name)!));
    for (const [number, at, row] of db.arrays<[number, number, string]>(unionOf(names), ...args)) {
      const name = names[number]!;
      const record = FORMATS[KIND_OF[name]].read(JSON.parse(row) as Value[]);
      found.get(groups.get(name)![at]!)!.push(record);
    }
  }
  for (const [want, records] of found) {
    const kind = KIND_OF[want.name];
    loaded.setList(
      want,
      inOrder(want, records).map((record) => loaded.add(kind, record as never)),
    );
  }
};

const save = (db: Database, { records, events, sums, wakes }: Changes): void => {
  for (const [kind, changes] of records) {
    const format: RowFormat<Kind> = FORMATS[kind];
    const kept: object[] = [];
    const dropped: string[] = [];
    for (const [id, record] of changes)
      if (record) kept.push(record);
      else dropped.push(id);
    writeRecords(db, kind, kept);
    if (dropped.length > 0) db.run(deleteOf(format), JSON.stringify(dropped.map((id) => id.split("\u0000"))));
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
