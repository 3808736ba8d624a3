import { openRecordSet } from "../archive/extracted-records.ts";
import { itemPages, type Stores } from "../archive/manifest.ts";
import { type ItemRecords, parseRecords } from "../archive/record-set.ts";
import { isStorageError } from "../archive/stored-bytes.ts";
import { keyOf, type Measure } from "../domain/drift.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobView } from "../domain/job.ts";
import { type Band, bandIn, bandOf, type FieldQuality, type RunQuality } from "../domain/quality.ts";
import { fieldPrefix, type JudgedField, type JudgedRecord } from "../domain/record.ts";
import { openItemIndex } from "../reextract/diff-sets.ts";

/** A field of a page that names its own fields may have any name; this many are counted. */
const MOST_FIELDS = 500;
const MOST_EXAMPLES = 10;

interface CountedRun {
  readonly quality: RunQuality;
  /** Keys of items behind each share, by the share's key. */
  readonly examples: ReadonlyMap<string, readonly string[]>;
}

/**
 * Counts how the records of a job are, compared by key with those of the run before it. Reads both once; memory does not grow with them.
 */
export const countQuality = async (
  stores: Stores,
  view: JobView,
  { before, earlier }: { readonly before?: JobView | undefined; readonly earlier: readonly RunQuality[] },
): Promise<CountedRun> => {
  const { spec } = view;
  using index = before ? await indexRecords(stores, before) : undefined;
  const run = new RunCounter(earlier);
  await using set = await openRecordSet(stores.blobs, spec.id, "current", skipDamage);
  for await (const page of itemPages(stores.ledger, spec.id))
    for await (const batch of set.recordsOf(page))
      for (const one of batch) {
        const prefix = prefixOf(view, one.item);
        const was = index?.take(prefix, one.item.key);
        run.add(prefix, one, was ? parseRecords(one.item.key, was) : []);
      }
  const { done, absent, failed, skipped } = run.items;
  return {
    quality: {
      scraper: spec.scraper,
      client: spec.client,
      job: spec.id,
      version: spec.version,
      endedAt: view.endedAt ?? 0,
      ...(before && { before: before.spec.id }),
      items: { done, absent, failed, skipped },
      records: run.records,
      requests: view.requests,
      bytes: view.bytes,
      fields: run.fields(),
    },
    examples: run.examples(),
  };
};

/** A job with damaged records is judged by the others. */
const skipDamage = (error: Error): void => {
  if (!isStorageError(error)) throw error;
};

const prefixOf = ({ spec }: JobView, item: ItemView): string => fieldPrefix(spec.scraper, item.scraper);

const indexRecords = async (stores: Stores, view: JobView): Promise<ReturnType<typeof openItemIndex>> => {
  const index = openItemIndex();
  try {
    await using set = await openRecordSet(stores.blobs, view.spec.id, "current", skipDamage);
    for await (const page of itemPages(stores.ledger, view.spec.id))
      for await (const batch of set.recordsOf(page))
        index.put(
          batch.map(({ item, lines, blob }) => ({
            scraper: prefixOf(view, item),
            key: item.key,
            state: item.state,
            lines,
            blob,
          })),
        );
    return index;
  } catch (error) {
    index[Symbol.dispose]();
    throw error;
  }
};

class RunCounter {
  readonly items = { done: 0, absent: 0, failed: 0, skipped: 0 };
  records = 0;
  readonly #earlier: readonly RunQuality[];
  readonly #fields = new Map<string, FieldCounter>();
  readonly #examples = new Map<string, readonly string[]>();

  constructor(earlier: readonly RunQuality[]) {
    this.#earlier = earlier;
  }

  add(prefix: string, { item, lines, blob }: ItemRecords, was: readonly JudgedRecord[]): void {
    const { state, key } = item;
    if (state === "done" || state === "absent" || state === "failed" || state === "skipped")
      this.items[state]++;
    if (state === "absent" || state === "failed") this.#note(state, key);
    for (const [at, record] of parseRecords(key, { lines, blob }).entries()) {
      this.records++;
      for (const [name, field] of Object.entries(record.fields))
        this.#fieldOf(prefix + name)?.add(key, field, was[at]?.fields[name]);
    }
  }

  fields(): Record<string, FieldQuality> {
    return Object.fromEntries([...this.#fields].map(([name, field]) => [name, field.quality()]));
  }

  examples(): ReadonlyMap<string, readonly string[]> {
    for (const [field, counter] of this.#fields)
      for (const [measure, keys] of counter.examples()) this.#examples.set(keyOf({ measure, field }), keys);
    return this.#examples;
  }

  #note(measure: Measure, key: string): void {
    const keys = this.#examples.get(measure) ?? [];
    if (keys.length < MOST_EXAMPLES) this.#examples.set(measure, [...keys, key]);
  }

  #fieldOf(name: string): FieldCounter | undefined {
    const known = this.#fields.get(name);
    if (known || this.#fields.size >= MOST_FIELDS) return known;
    const made = new FieldCounter(bandOf(this.#earlier, name));
    this.#fields.set(name, made);
    return made;
  }
}

const WILD = 3;
/** The ends of a range are estimated from this many numbers, chosen at random. */
const SAMPLE = 20_000;

class FieldCounter {
  readonly #counts = { present: 0, empty: 0, missing: 0, malformed: 0 };
  readonly #pairs = { paired: 0, changed: 0, pairedNumbers: 0, wild: 0, banded: 0, outside: 0 };
  readonly #values = new CommonValues();
  readonly #band: Band | undefined;
  readonly #numbers: number[] = [];
  #numberCount = 0;
  #random = 1;
  readonly #examples = new Map<Measure, string[]>();
  /** Keys that had a value in the run before: they tell more than those that never had one. */
  readonly #lost: string[] = [];

  constructor(band: Band | undefined) {
    this.#band = band;
  }

  add(key: string, field: JudgedField, was: JudgedField | undefined): void {
    this.#counts[field.status]++;
    if (field.status !== "present") {
      if (was?.status === "present" && this.#lost.length < MOST_EXAMPLES) this.#lost.push(key);
      this.#note("no-value", key);
      if (field.status !== "empty") this.#note("unread", key);
      return;
    }
    const { value } = field;
    const text = JSON.stringify(value) ?? "";
    this.#values.add(text, key);
    const number = numberOf(value);
    if (number !== undefined) this.#addNumber(number, key);
    if (was?.status !== "present") return;
    this.#pairs.paired++;
    if (JSON.stringify(was.value) !== text) {
      this.#pairs.changed++;
      this.#note("changed", key);
    }
    const before = numberOf(was.value);
    if (number === undefined || before === undefined || number <= 0 || before <= 0) return;
    this.#pairs.pairedNumbers++;
    if (number <= WILD * before && before <= WILD * number) return;
    this.#pairs.wild++;
    this.#note("wild", key);
  }

  quality(): FieldQuality {
    const band = bandIn(Float64Array.from(this.#numbers), this.#numberCount);
    const { count } = this.#values.commonest();
    return { ...this.#counts, ...this.#pairs, commonest: count, ...(band && { band }) };
  }

  *examples(): Generator<[Measure, readonly string[]]> {
    for (const [measure, keys] of this.#examples)
      if (measure !== "no-value" && measure !== "unread") yield [measure, keys];
      else yield [measure, [...new Set([...this.#lost, ...keys])].slice(0, MOST_EXAMPLES)];
    yield ["commonest", this.#values.commonest().keys];
  }

  #addNumber(number: number, key: string): void {
    this.#numberCount++;
    if (this.#numbers.length < SAMPLE) this.#numbers.push(number);
    else {
      // The same numbers give the same sample: a linear congruential generator is good enough, and needs no seed.
      this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
      const at = Math.floor((this.#random / 2 ** 32) * this.#numberCount);
      if (at < SAMPLE) this.#numbers[at] = number;
    }
    if (!this.#band) return;
    this.#pairs.banded++;
    if (number >= this.#band.low && number <= this.#band.high) return;
    this.#pairs.outside++;
    this.#note("outside", key);
  }

  #note(measure: Measure, key: string): void {
    const keys = this.#examples.get(measure) ?? [];
    if (keys.length < MOST_EXAMPLES) keys.push(key);
    this.#examples.set(measure, keys);
  }
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** Values counted by Misra and Gries: a count is too low by at most one in this many of all values. */
const MOST_VALUES = 512;
const LONGEST_VALUE = 200;

class CommonValues {
  readonly #counts = new Map<string, { count: number; readonly keys: string[] }>();

  add(text: string, key: string): void {
    const value = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)} ${text.length}` : text;
    const known = this.#counts.get(value);
    if (known) {
      known.count++;
      if (known.keys.length < MOST_EXAMPLES) known.keys.push(key);
    } else if (this.#counts.size < MOST_VALUES) this.#counts.set(value, { count: 1, keys: [key] });
    else
      for (const [other, entry] of this.#counts) {
        entry.count--;
        if (entry.count === 0) this.#counts.delete(other);
      }
  }

  commonest(): { readonly count: number; readonly keys: readonly string[] } {
    let most: { readonly count: number; readonly keys: readonly string[] } = { count: 0, keys: [] };
    for (const entry of this.#counts.values()) if (entry.count > most.count) most = entry;
    return most;
  }
}
