import { openRecordSet } from "../archive/extracted-records.ts";
import { specOf } from "../archive/extractions.ts";
import { itemPages, type Stores } from "../archive/manifest.ts";
import { openScratch, type ScratchDatabase } from "../archive/scratch-database.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobView } from "../domain/job.ts";
import { type JudgedRecord, withoutNuls } from "../domain/record.ts";
import type { Cell, CellStatus, DatasetSource, SourceCounts } from "../domain/release.ts";
import { typeOfValue, withRecords } from "../export/export-rows.ts";
import type { ColumnType } from "../export/outputs/text-writer.ts";

/** A dataset that cannot be written as it is declared. */
export class DatasetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatasetError";
  }
}

/** A source of a dataset with the job that it is read from. */
export interface ChosenSource extends DatasetSource {
  readonly as: string;
  readonly view: JobView;
}

/** The records of one key, one of each source that has it. */
export interface JoinedRow {
  readonly key: string;
  /** By the place of the source. Without a record: why. */
  readonly parts: ReadonlyMap<number, { readonly state: string; readonly record?: Record<string, Cell> }>;
}

export interface SourceFacts {
  readonly counts: Omit<SourceCounts, "fields">;
  /** In the order of the scraper's fields, then as first seen, with the types of their values. */
  readonly fields: ReadonlyMap<string, ReadonlySet<ColumnType>>;
}

/** The records of all sources by key, on disk: sources have their items in orders of their own, and may have millions. */
export interface SourceRows extends Disposable {
  readonly folder: string;
  readonly sources: readonly SourceFacts[];
  /** In byte order of keys. */
  rows(): Generator<JoinedRow>;
}

const TABLE = `CREATE TABLE parts (key TEXT NOT NULL, source INTEGER NOT NULL, state TEXT NOT NULL, record TEXT,
  PRIMARY KEY (key, source)) WITHOUT ROWID`;
/** Records of one source that are joined by the same value. */
const MOST_ALIKE = 1000;

export const loadSources = async (stores: Stores, sources: readonly ChosenSource[]): Promise<SourceRows> => {
  const scratch = openScratch("release", TABLE);
  try {
    const facts: SourceFacts[] = [];
    for (const [at, source] of sources.entries()) facts.push(await loadSource(stores, scratch, source, at));
    return {
      folder: scratch.folder,
      sources: facts,
      rows: () => joined(scratch),
      [Symbol.dispose]: () => scratch[Symbol.dispose](),
    };
  } catch (error) {
    scratch[Symbol.dispose]();
    throw error;
  }
};

const loadSource = async (
  { ledger, blobs }: Stores,
  { db }: ScratchDatabase,
  source: ChosenSource,
  place: number,
): Promise<SourceFacts> => {
  const { view, scraper, as } = source;
  const insert = db.prepare("INSERT OR IGNORE INTO parts (key, source, state, record) VALUES (?, ?, ?, ?)");
  await using set = await openRecordSet(blobs, view.spec.id);
  const spec = specOf(view.spec, set.extraction);
  const root = spec.scrapers[0];
  const wanted = source.records ?? (root?.extracts ? root.name : undefined);
  const known = spec.scrapers.filter(({ name }) => wanted === undefined || name === wanted);
  const dates = new Set(known.flatMap((one) => one.dates ?? []));
  const fields = new Map<string, Set<ColumnType>>(
    known.flatMap((one) => one.fields.map((name) => [name, new Set<ColumnType>()] as const)),
  );
  const items = { done: 0, absent: 0, failed: 0, skipped: 0 };
  let records = 0;
  const add = (item: ItemView, record: JudgedRecord | undefined, nth: number): void => {
    if (!record) {
      if (item.state === "absent" || item.state === "failed") put(item.key, item.state, null, 0);
      return;
    }
    records++;
    const cells = Object.entries(record.fields).map(([name, { status, value }]) => {
      const types = fields.get(name) ?? new Set();
      fields.set(name, types);
      if (status === "present") types.add(typeOfValue(value, dates.has(name)));
      return [name, { status, value: withoutNuls(value) }] as const;
    });
    const own = source.key === undefined ? item.key : record.fields[source.key]?.value;
    // Without the value that it is joined by, a record has no row.
    if (own === undefined || own === null || typeof own === "object") return;
    put(
      typeof own === "string" ? own : JSON.stringify(own),
      item.state,
      JSON.stringify(Object.fromEntries(cells)),
      source.key === undefined ? nth : 0,
    );
  };
  /** The second record of a key is `KEY#2`. */
  const put = (key: string, state: string, record: string | null, nth: number): void => {
    for (let at = nth; at < nth + MOST_ALIKE; at++)
      if (insert.run(at === 0 ? key : `${key}#${at + 1}`, place, state, record).changes > 0) return;
    throw new DatasetError(
      `source ${as}: more than ${MOST_ALIKE} records have the key ${key}. Join it by another field.`,
    );
  };
  for await (const page of itemPages(ledger, view.spec.id))
    for await (const entries of withRecords(set, page)) {
      db.exec("BEGIN");
      let last: ItemView | undefined;
      let nth = 0;
      for (const { item, record } of entries) {
        if (wanted !== undefined && item.scraper !== wanted) continue;
        const { state } = item;
        if (
          item !== last &&
          (state === "done" || state === "absent" || state === "failed" || state === "skipped")
        )
          items[state]++;
        nth = item === last ? nth + 1 : 0;
        last = item;
        add(item, record, nth);
      }
      db.exec("COMMIT");
    }
  await set.checkEnd();
  const { id: job, version } = view.spec;
  return {
    counts: {
      scraper,
      as,
      job,
      set: set.name,
      version: set.extraction?.scrapers[0]?.version ?? version,
      endedAt: view.endedAt ?? null,
      items,
      records,
    },
    fields,
  };
};

interface PartRow {
  readonly key: string;
  readonly source: number;
  readonly state: string;
  readonly record: string | null;
}

function* joined({ db }: ScratchDatabase): Generator<JoinedRow> {
  const found = db.prepare("SELECT key, source, state, record FROM parts ORDER BY key, source");
  let key: string | undefined;
  let parts = new Map<number, { state: string; record?: Record<string, Cell> }>();
  for (const one of found.iterate() as Iterable<unknown> as Iterable<PartRow>) {
    if (key !== undefined && one.key !== key) {
      yield { key, parts };
      parts = new Map();
    }
    key = one.key;
    const record = one.record === null ? undefined : (JSON.parse(one.record) as Record<string, Cell>);
    parts.set(one.source, { state: one.state, ...(record && { record }) });
  }
  if (key !== undefined) yield { key, parts };
}

/** A value of a joined row. */
export const cellOf = ({ parts }: JoinedRow, source: number, field: string): Cell => {
  const part = parts.get(source);
  if (part?.record) return part.record[field] ?? { status: "missing", value: null };
  const status: CellStatus = part?.state === "absent" ? "absent" : "not-collected";
  return { status, value: null };
};
