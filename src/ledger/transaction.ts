import type { WorkSum } from "../domain/work-sums.ts";
import type { EventType, NewEvent } from "../ports/event-log.ts";
import { SETS, type LoadArgs, type LoadKind, type LoadName, READ_ONLY } from "./loads.ts";
import { type Key, KEYS, type Kind, type Records } from "./records.ts";

/** One set of records that a rule asks for. */
export interface Want {
  readonly name: LoadName;
  readonly args: readonly (string | number | null)[];
}

/** A rule needs records that are not loaded: the store loads them and runs the rule again. */
export class Miss extends Error {
  readonly wants: readonly Want[];

  constructor(wants: readonly Want[]) {
    // Thrown in every transaction, and only a store looks at it: a stack trace would take longer than the rule.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super("not loaded");
    Error.stackTraceLimit = stackTraceLimit;
    this.wants = wants;
  }
}

export const want = <N extends LoadName>(name: N, ...args: LoadArgs<N>): Want => ({ name, args });

/** Called for every record that is touched: joining a list takes several times as long. */
const idOf = (key: Key): string => {
  if (key.length === 1) return `${key[0]}`;
  return key.length === 2 ? `${key[0]}\u0000${key[1]}` : key.join("\u0000");
};
const wantId = ({ name, args }: Want): string => `${name}\u0000${args.join("\u0000")}`;

const NONE: readonly string[] = [];

/** Records as they are stored, collected over the runs of one rule. */
export class Loaded {
  readonly #records = new Map<Kind, Map<string, object>>();
  readonly #lists = new Map<string, readonly string[]>();
  readonly #readOnly = new Map<string, readonly object[]>();

  add<K extends Kind>(kind: K, record: Records[K]): string {
    const id = idOfRecord(kind, record);
    const known = this.of(kind);
    if (!known.has(id)) known.set(id, record);
    return id;
  }

  setList(set: Want, ids: readonly string[]): void {
    this.#lists.set(wantId(set), ids);
  }

  setReadOnly(set: Want, records: readonly object[]): void {
    this.#readOnly.set(wantId(set), records);
  }

  readOnly(set: Want): readonly object[] | undefined {
    return this.#readOnly.get(wantId(set));
  }

  has(set: Want): boolean {
    return READ_ONLY.has(set.name) ? this.#readOnly.has(wantId(set)) : this.#lists.has(wantId(set));
  }

  /** For a want that is a record's key: by now it is known whether the record exists. */
  setKnown(kind: Kind, set: Want): void {
    const id = idOf(set.args as Key);
    this.setList(set, this.of(kind).has(id) ? [id] : NONE);
  }

  list(set: Want): readonly string[] | undefined {
    return this.#lists.get(wantId(set));
  }

  of(kind: Kind): Map<string, object> {
    let known = this.#records.get(kind);
    if (!known) this.#records.set(kind, (known = new Map()));
    return known;
  }
}

const keyOf = <K extends Kind>(kind: K, record: Records[K]): Key =>
  (KEYS[kind] as readonly string[]).map((name) => {
    const value = record[name as keyof Records[K]] as string | number | boolean;
    return typeof value === "boolean" ? Number(value) : value;
  });

const idOfRecord = <K extends Kind>(kind: K, record: Records[K]): string => {
  const [first, second, ...others] = KEYS[kind] as readonly string[] as readonly (keyof Records[K])[];
  if (others.length > 0) return idOf(keyOf(kind, record));
  const value = record[first!] as string | number;
  return second === undefined ? `${value}` : `${value}\u0000${record[second] as string | number}`;
};

/** `open`: all may give items out. `stop`: none may, and none is probing. `end`: items that are not leased now never will be. */
export type QueueChange = "open" | "stop" | "end";

interface TriedRecords {
  readonly kind: Kind;
  readonly records: readonly object[];
  /** Called with the number of written records. */
  readonly onWritten: (count: number) => void;
}

/** What a rule has changed, written as a whole. */
export interface Changes {
  /** By kind, new or replaced records; null for a deleted record. */
  readonly records: ReadonlyMap<Kind, ReadonlyMap<string, object | null>>;
  /** New records that the rule does not read again. */
  readonly appended: ReadonlyMap<Kind, readonly object[]>;
  /** Records that are written only if their keys are free. */
  readonly tried: readonly TriedRecords[];
  readonly events: readonly NewEvent[];
  readonly sums: ReadonlyMap<WorkSum, number>;
  /** Jobs whose queues all change in the same way, after the records are written: there may be tens of thousands of them. */
  readonly queues: ReadonlyMap<number, QueueChange>;
  /** Jobs whose lanes are all checked again from this time. */
  readonly wakes: ReadonlyMap<number, number>;
}

/**
 * What a rule works on: the loaded records, with its own changes on top. `list` and `one` throw `Miss` for sets that were not
 * requested before. Lists stay as they were loaded: a record that a rule adds is found by its key, but is not in lists.
 */
export class Transaction implements Changes {
  /** The ledger's clock, constant during one run. */
  readonly now: number;
  readonly records = new Map<Kind, Map<string, object | null>>();
  readonly appended = new Map<Kind, object[]>();
  readonly tried: TriedRecords[] = [];
  readonly events: NewEvent[] = [];
  readonly sums = new Map<WorkSum, number>();
  readonly queues = new Map<number, QueueChange>();
  readonly wakes = new Map<number, number>();
  /** A random integer of 53 bits, the same in every run of the rule. */
  readonly random: () => number;
  readonly #loaded: Loaded;

  constructor(loaded: Loaded, now: number, random: () => number) {
    this.#loaded = loaded;
    this.now = now;
    this.random = random;
  }

  /** The same records with the same changes, to try something out. */
  fork(): Transaction {
    const fork = new Transaction(this.#loaded, this.now, this.random);
    for (const [kind, changes] of this.records) fork.records.set(kind, new Map(changes));
    return fork;
  }

  /** Requests several sets at once: missing ones are loaded in one round. */
  need(...wants: readonly Want[]): void {
    const missing = wants.filter((one) => !this.#loaded.has(one));
    if (missing.length > 0) throw new Miss(missing);
  }

  /** Whether a set that is loaded has records. */
  isAny(set: Want): boolean {
    return (this.#loaded.list(set) ?? NONE).length > 0;
  }

  /**
   * Does the same for each. What several of them miss is loaded in one round: after the first miss, the others are still tried,
   * because the rule runs again from its beginning.
   */
  each<T>(all: Iterable<T>, work: (one: T) => void): void {
    const missing: Want[] = [];
    for (const one of all)
      try {
        work(one);
      } catch (error) {
        if (error instanceof Miss) missing.push(...error.wants);
        // It may be only a consequence of what was left undone before.
        else if (missing.length === 0) throw error;
      }
    if (missing.length > 0) throw new Miss(missing);
  }

  list<N extends LoadName>(name: N, ...args: LoadArgs<N>): readonly Records[LoadKind<N>][] {
    return this.#listOf<LoadKind<N>>({ name, args });
  }

  /** The first record of a list; for loads by a key. */
  one<N extends LoadName>(name: N, ...args: LoadArgs<N>): Records[LoadKind<N>] | undefined {
    return this.#listOf<LoadKind<N>>({ name, args })[0];
  }

  #listOf<K extends Kind>(asked: Want): readonly Records[K][] {
    if (READ_ONLY.has(asked.name)) {
      const records = this.#loaded.readOnly(asked);
      if (!records) throw new Miss([asked]);
      return records as readonly Records[K][];
    }
    const ids = this.#loaded.list(asked);
    if (!ids) throw new Miss([asked]);
    const kind = SETS[asked.name].kind as K;
    return ids.flatMap((id) => this.#current(kind, id) ?? []);
  }

  /** A known record: loaded by any list, or put by this rule. */
  known<K extends Kind>(kind: K, ...key: Key): Records[K] | undefined {
    const isAny = this.records.has(kind) || this.#loaded.of(kind).size > 0;
    return isAny ? this.#current(kind, idOf(key)) : undefined;
  }

  #current<K extends Kind>(kind: K, id: string): Records[K] | undefined {
    const changed = this.records.get(kind)?.get(id);
    if (changed !== undefined) return (changed ?? undefined) as Records[K] | undefined;
    return this.#loaded.of(kind).get(id) as Records[K] | undefined;
  }

  /** The first matching record among those that this rule has put. */
  added<K extends Kind>(kind: K, fits: (record: Records[K]) => boolean): Records[K] | undefined {
    for (const record of this.records.get(kind)?.values() ?? [])
      if (record && fits(record as Records[K])) return record as Records[K];
    return undefined;
  }

  put<K extends Kind>(kind: K, record: Records[K]): void {
    this.#changesOf(kind).set(idOfRecord(kind, record), record);
  }

  /** Puts one of very many new records. It is not found by its key. */
  append<K extends Kind>(kind: K, record: Records[K]): void {
    const known = this.appended.get(kind);
    if (known) known.push(record);
    else this.appended.set(kind, [record]);
  }

  /** Adds the records whose keys do not exist yet, without loading the existing ones. */
  tryAll<K extends Kind>(
    kind: K,
    records: readonly Records[K][],
    onWritten: TriedRecords["onWritten"],
  ): void {
    this.tried.push({ kind, records, onWritten });
  }

  /** Replaces some values of the current record. Returns the new record. */
  patch<K extends Kind>(kind: K, record: Records[K], values: Partial<Records[K]>): Records[K] {
    const id = idOfRecord(kind, record);
    const next = { ...(this.#current(kind, id) ?? record), ...values };
    this.#changesOf(kind).set(id, next);
    return next;
  }

  drop<K extends Kind>(kind: K, ...key: Key): void {
    this.#changesOf(kind).set(idOf(key), null);
  }

  #changesOf(kind: Kind): Map<string, object | null> {
    let known = this.records.get(kind);
    if (!known) this.records.set(kind, (known = new Map()));
    return known;
  }

  /** Written to the log together with the change, or not at all. */
  tell(type: EventType, job: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.events.push({ type, job, facts });
  }

  /** Adds to the sums over everything that workers have ever done. */
  count(name: WorkSum, value: number): void {
    if (value !== 0) this.sums.set(name, (this.sums.get(name) ?? 0) + value);
  }

  /** For all queues of a job at once. Loaded queue records do not show it. */
  changeQueues(job: number, change: QueueChange): void {
    this.queues.set(job, change);
  }

  /** All lanes of a job count as ready from this time. The next claim determines when they really are. */
  wakeJob(job: number, at: number): void {
    this.wakes.set(job, Math.min(at, this.wakes.get(job) ?? Infinity));
  }
}

/** What a rule needs first; of some rules, it depends on the time. */
export type Wants = readonly Want[] | ((now: number) => readonly Want[]);

/**
 * What the ledger's rules need from an engine. `transact` loads `wants` in one round and runs `work`, which is pure: if it needs
 * more, that is loaded and `work` runs again; if another transaction was first, it runs again from the beginning. The changes of
 * `work` are written as a whole, or not at all. `isDurable: false` for changes that may be lost in a power cut, but never in a
 * crash of a process. `appends`: the number of results that `work` probably appends; an engine may write many of them before it
 * takes its lock.
 */
export interface LedgerStore {
  readonly transact: <T>(
    wants: Wants,
    work: (tx: Transaction) => T,
    isDurable?: boolean,
    appends?: number,
  ) => Promise<T>;
  /** The same for a rule that changes nothing, with a consistent view of everything that it reads. */
  readonly read: <T>(wants: Wants, work: (tx: Transaction) => T) => Promise<T>;
  /** The ledger's clock, in ms. */
  readonly now: () => number;
}
