import { join } from "node:path";
import type { Stores } from "../archive/manifest.ts";
import {
  CELL_STATUSES,
  type CellCounts,
  type DatasetField,
  type DatasetSpec,
  fillGap,
  type Release,
  type ReleaseColumn,
  RELEASE_FORMATS,
  type ReleaseFile,
} from "../domain/release.ts";
import { commonType, typeOfValue } from "../export/export-rows.ts";
import { openOutput } from "../export/outputs/open-output.ts";
import type { Column, ColumnType, TableRow } from "../export/outputs/text-writer.ts";
import { LastRows } from "./read-release.ts";
import { putFile } from "./release-files.ts";
import {
  cellOf,
  type ChosenSource,
  DatasetError,
  type JoinedRow,
  loadSources,
  type SourceFacts,
} from "./source-rows.ts";

type Written = Pick<Release, "rows" | "dropped" | "filled" | "columns" | "sources" | "files">;

/** Rows that are written at a time. */
const BATCH = 500;
const OWN = new Set(["key", "_gaps"]);

/**
 * Writes the files of a release into a folder of the blob store: rows in the order of their keys, as JSON lines and in the other formats, and their
 * schema. Memory does not grow with the rows.
 */
export const writeReleaseFiles = async (
  stores: Stores,
  spec: DatasetSpec,
  {
    sources,
    folder,
    last,
  }: {
    readonly sources: readonly ChosenSource[];
    readonly folder: string;
    /** The current release, for values that are carried. */
    readonly last: Release | undefined;
  },
): Promise<Written> => {
  using loaded = await loadSources(stores, sources);
  const fields = fieldsOf(spec, loaded.sources, last);
  const columns: Column[] = [
    { name: "key" },
    ...fields.map(({ name, type }) => ({ name, type })),
    { name: "_gaps", type: "json" },
  ];
  const formats = RELEASE_FORMATS.filter(
    (one) => one === "jsonl" || (spec.formats ?? RELEASE_FORMATS).includes(one),
  );
  const paths = formats.map((format) => ({
    name: `data.${format}`,
    path: join(loaded.folder, `data.${format}`),
  }));
  await using writers = new AsyncDisposableStack();
  const outputs = paths.map(({ path }) => writers.use(openOutput(path)));
  for (const output of outputs) await output.open(columns);
  const tally = new RowTally(fields, loaded.sources.length);
  await using lastRows = new LastRows(stores.blobs, carries(fields) ? last : undefined);
  let batch: TableRow[] = [];
  const flush = async (): Promise<void> => {
    for (const output of outputs) await output.write(batch);
    batch = [];
  };
  for (const joined of loaded.rows()) {
    if (!isRow(spec, joined, loaded.sources.length)) continue;
    const row = await rowOf(joined, fields, tally, lastRows);
    if (row) batch.push(row);
    if (batch.length >= BATCH) await flush();
  }
  await flush();
  for (const output of outputs) await output.close();
  const schema: ReleaseColumn[] = [
    { name: "key", type: "text" },
    ...fields.map(({ name, type, as, gaps }) => ({ name, type, source: as, gaps })),
    { name: "_gaps", type: "json" },
  ];
  const files: ReleaseFile[] = [];
  for (const { name, path } of paths) files.push(await putFile(stores.blobs, folder, name, { path }));
  files.push(
    await putFile(stores.blobs, folder, "schema.json", `${JSON.stringify({ columns: schema }, null, 2)}\n`),
  );
  return {
    rows: tally.rows,
    dropped: tally.dropped,
    filled: tally.filled,
    columns: schema,
    sources: loaded.sources.map(({ counts }, at) => ({ ...counts, fields: tally.fieldsOf(at) })),
    files,
  };
};

interface ChosenField extends Required<Pick<DatasetField, "name" | "from" | "gaps">> {
  readonly source: number;
  readonly as: string;
  readonly type: ColumnType;
}

/** The fields that the dataset names, or all; the second of two with one name is `SOURCE.NAME`. */
const fieldsOf = (
  { fields, gaps = {} }: DatasetSpec,
  sources: readonly SourceFacts[],
  last: Release | undefined,
): ChosenField[] => {
  const chosen = fields?.map((field) => findField(field, sources)) ?? allFields(sources);
  const names = chosen.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at || OWN.has(name));
  if (twice !== undefined)
    throw new DatasetError(`field ${twice}: the name is taken. Give the field another one: { name, from }.`);
  return chosen.map(({ name, from, source, own }) => {
    const rules = { ...gaps, ...own };
    const { counts, fields: known } = sources[source]!;
    const types = new Set(known.get(from));
    const policies = new Set(Object.values(rules));
    if (policies.has("default") && rules.default != null) types.add(typeOfValue(rules.default, false));
    const before = last?.columns.find((column) => column.name === name);
    if (policies.has("carry") && before) types.add(before.type as ColumnType);
    return { name, from, source, as: counts.as, gaps: rules, type: commonType(types) };
  });
};

type FoundField = Pick<ChosenField, "name" | "from" | "source"> & { readonly own?: DatasetField["gaps"] };

const findField = (
  { name, from = name, source, gaps }: DatasetField,
  sources: readonly SourceFacts[],
): FoundField => {
  const at = sources.findIndex(
    ({ counts, fields }) => (source === undefined || source === counts.as) && fields.has(from),
  );
  if (at >= 0) return { name, from, source: at, ...(gaps && { own: gaps }) };
  const known = sources.flatMap(({ counts, fields }) =>
    [...fields.keys()].map((one) => `${counts.as}.${one}`),
  );
  throw new DatasetError(
    `field ${name}: no source has ${source === undefined ? "" : `${source}.`}${from}. There are ${known.slice(0, 50).join(", ") || "none"}.`,
  );
};

const allFields = (sources: readonly SourceFacts[]): FoundField[] => {
  const taken = new Set(OWN);
  return sources.flatMap(({ counts, fields }, source) =>
    [...fields.keys()].map((from) => {
      const name = taken.has(from) ? `${counts.as}.${from}` : from;
      taken.add(name);
      return { name, from, source };
    }),
  );
};

const carries = (fields: readonly ChosenField[]): boolean =>
  fields.some(({ gaps }) => Object.values(gaps).includes("carry"));

const isRow = ({ join: how = "first" }: DatasetSpec, { parts }: JoinedRow, sources: number): boolean => {
  const withRecord = [...parts].filter(([, { record }]) => record !== undefined).map(([source]) => source);
  if (how === "any") return withRecord.length > 0;
  return how === "all" ? withRecord.length === sources : withRecord.includes(0);
};

const rowOf = async (
  joined: JoinedRow,
  fields: readonly ChosenField[],
  tally: RowTally,
  lastRows: LastRows,
): Promise<TableRow | undefined> => {
  const last = await lastRows.find(joined.key);
  const row = Object.create(null) as Record<string, unknown>;
  const marks: Record<string, string> = {};
  let isDropped = false;
  for (const { name, from, source, gaps } of fields) {
    const cell = cellOf(joined, source, from);
    tally.count(source, name, cell.status);
    const filled = fillGap(name, cell, gaps, last);
    if (filled === "drop") {
      tally.drop(name);
      isDropped = true;
      continue;
    }
    row[name] = filled.value;
    if (filled.mark !== undefined) marks[name] = filled.mark;
  }
  if (isDropped) return undefined;
  tally.add(marks);
  return { ...row, key: joined.key, _gaps: marks };
};

const noCells = (): Record<string, number> => Object.fromEntries(CELL_STATUSES.map((status) => [status, 0]));

class RowTally {
  rows = 0;
  readonly dropped: Record<string, number> = {};
  readonly filled: Record<string, Record<string, number>> = {};
  readonly #cells: readonly Map<string, Record<string, number>>[];

  constructor(fields: readonly ChosenField[], sources: number) {
    this.#cells = Array.from({ length: sources }, () => new Map<string, Record<string, number>>());
    for (const { source, name } of fields) this.#cells[source]!.set(name, noCells());
  }

  count(source: number, field: string, status: string): void {
    const cells = this.#cells[source]!.get(field)!;
    cells[status] = (cells[status] ?? 0) + 1;
  }

  drop(field: string): void {
    this.dropped[field] = (this.dropped[field] ?? 0) + 1;
  }

  /** Of values that were carried, the day they come from is one mark each; marks of gaps that were kept are counted by status. */
  add(marks: Readonly<Record<string, string>>): void {
    this.rows++;
    for (const [field, mark] of Object.entries(marks)) {
      const filled = (this.filled[field] ??= {});
      filled[mark] = (filled[mark] ?? 0) + 1;
    }
  }

  fieldsOf(source: number): Record<string, CellCounts> {
    return Object.fromEntries(this.#cells[source]!) as Record<string, CellCounts>;
  }
}
