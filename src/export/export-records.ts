import { openRecordSet } from "../archive/extracted-records.ts";
import { specOf } from "../archive/extractions.ts";
import { itemPages, type Stores } from "../archive/manifest.ts";
import { ArchiveError } from "../archive/stored-bytes.ts";
import type { Change } from "../domain/freshness.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobSpec } from "../domain/job.ts";
import { LedgerError } from "../ports/ledger.ts";
import { type ExportEntry, ExportShape, withRecords } from "./export-rows.ts";
import { type KeptFile, keptFiles, type PathOfFile } from "./kept-files.ts";
import { openOutput } from "./outputs/open-output.ts";
import { OutputError } from "./outputs/output-error.ts";
import type { RecordWriter } from "./outputs/text-writer.ts";

export interface ExportSettings extends GapOptions {
  /** Only rows of this scraper. */
  readonly scraper?: string;
  /** Which of the job's sets of records: `current`, `first` or an extraction. */
  readonly extraction?: string;
  /** Only items with these changes since the client last received them. */
  readonly changes?: readonly Change[];
  /** The path of a kept file for its row; without it, rows have none. */
  readonly pathOfFile?: PathOfFile;
  /** Receives errors of items with damaged records, which are left out. Without it, damage ends the export. */
  readonly onDamagedItem?: (error: ArchiveError) => void;
}

interface Exported {
  /** The exported set of records; `JOB@first` for those of the run itself. */
  readonly set: string;
  readonly rows: number;
  /** Fields without a column, because the first rows did not have them. */
  readonly leftOut: readonly string[];
  /** Entries that the gap settings left out, and how often each gap occurred in them. */
  readonly dropped: number;
  readonly gaps: ReadonlyMap<string, number>;
}

/** Columns and their types are derived from this many rows, or this much data: rows may be large. */
const LEARN_ROWS = 1000;
const LEARN_SIZE = 4 * 1024 * 1024;

/** Writes one row per record, or per item without one, to a path or to a writer. Memory does not grow with the job. */
export const exportJob = async (
  { ledger, blobs }: Stores,
  job: string,
  output: string | RecordWriter,
  settings: ExportSettings = {},
): Promise<Exported> => {
  const view = await ledger.readJob(job);
  if (!view) throw new LedgerError("no-such-job", `${job}: no such job. \`sluice jobs ls\` lists all jobs.`);
  await using writer = typeof output === "string" ? openOutput(output) : output;
  await using set = await openRecordSet(blobs, job, settings.extraction, (error) => {
    if (!settings.onDamagedItem || !(error instanceof ArchiveError) || error.item === undefined) throw error;
    settings.onDamagedItem(error);
  });
  const spec = specOf(view.spec, set.extraction);
  const filter = new GapFilter(spec, settings);
  const { scraper, changes } = settings;
  if (changes && !spec.freshness) throw noChanges(job);
  const filesOf = oncePerItem(settings.pathOfFile ?? (() => undefined));
  let shape: ExportShape | undefined;
  let waiting: ExportEntry[] = [];
  let size = 0;
  let rows = 0;
  const flush = async () => {
    if (!shape) {
      shape = new ExportShape(spec, waiting, settings);
      await writer.open(shape.columns);
    }
    const known = shape;
    await writer.write(waiting.map((entry) => known.row(entry)));
    rows += waiting.length;
    waiting = [];
  };
  for await (const page of itemPages(ledger, job))
    for await (const entries of withRecords(set, page)) {
      for (const entry of entries) {
        const { item } = entry;
        const isWanted =
          (scraper === undefined ? hasRow(spec, entry) : item.scraper === scraper) &&
          (!changes || (item.change !== undefined && changes.includes(item.change)));
        const written = isWanted ? filter.apply(entry) : undefined;
        if (!written) continue;
        waiting.push({ ...written, files: await filesOf(item) });
        if (!shape) size += (item.records?.length ?? 0) + JSON.stringify(item.input).length;
      }
      if (shape || waiting.length >= LEARN_ROWS || size >= LEARN_SIZE) await flush();
    }
  await set.checkEnd();
  await flush();
  await writer.close();
  return {
    set: set.name,
    rows,
    leftOut: shape?.leftOut ?? [],
    dropped: filter.leftOut,
    gaps: filter.reasons,
  };
};

/** An item may have many consecutive rows. */
const oncePerItem = (pathOf: PathOfFile): ((item: ItemView) => Promise<readonly KeptFile[]>) => {
  let last: { readonly item: ItemView; readonly files: readonly KeptFile[] } | undefined;
  return async (item) => {
    if (last?.item.ref !== item.ref) last = { item, files: await keptFiles(item, pathOf) };
    return last.files;
  };
};

const noChanges = (job: string): OutputError =>
  new OutputError(
    "no-changes",
    job,
    "the job was started without freshness, so changes are unknown",
    "Omit the filter, or start the job with `freshness` (--max-age or --only-changed)",
  );

/** An item of a scraper that only emits has its rows in other items. */
const hasRow = ({ scrapers }: JobSpec, { item, record }: ExportEntry): boolean =>
  scrapers.length === 1 ||
  record !== undefined ||
  item.state !== "done" ||
  scrapers.some(({ name, extracts }) => name === item.scraper && extracts);

/** How an export treats fields without a value. The archive keeps everything either way. */
export interface GapOptions {
  /** "drop" leaves out records without a value in a required field, and items without a record. */
  readonly gaps?: "keep" | "drop";
  /** Values for fields that have none. */
  readonly fill?: ReadonlyMap<string, unknown>;
  /** Leaves out records that lack a value in one of these fields. */
  readonly dropWithout?: readonly string[];
}

/** Decides whether and how each entry is exported, and counts what was left out and why. */
export class GapFilter {
  /** How often each gap left an entry out; an entry may have several. */
  readonly reasons = new Map<string, number>();
  /** How many entries were left out. */
  leftOut = 0;
  readonly #spec: JobSpec;
  readonly #options: Required<GapOptions>;

  /** Throws `OutputError` `no-such-field` for an unknown field. */
  constructor(spec: JobSpec, { gaps = "keep", fill = new Map(), dropWithout = [] }: GapOptions) {
    this.#spec = spec;
    this.#options = { gaps, fill, dropWithout };
    const known = new Set(spec.scrapers.flatMap(({ fields }) => fields));
    // The fields of a scraper that extracts with a function are unknown.
    const isKnown =
      spec.extracts && spec.scrapers.every(({ fields, extracts }) => fields.length > 0 || !extracts);
    const wrong = [...fill.keys(), ...dropWithout].find((name) => isKnown && !known.has(name));
    if (wrong !== undefined)
      throw new OutputError(
        "no-such-field",
        wrong,
        "the job has no such field",
        `It has ${[...known].join(", ") || "none"}`,
      );
  }

  /** The entry as it is written; undefined if it is left out. */
  apply(entry: ExportEntry): ExportEntry | undefined {
    const reasons = this.#reasonsOf(entry);
    if (reasons.length === 0) return this.#filled(entry);
    this.leftOut++;
    for (const reason of reasons) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    return undefined;
  }

  #reasonsOf({ item, record }: ExportEntry): string[] {
    const { gaps, fill, dropWithout } = this.#options;
    const scraper = this.#spec.scrapers.find(({ name }) => name === item.scraper);
    const required = gaps === "drop" ? (scraper?.required ?? []) : [];
    // A page that is only kept needs no record.
    if (!record)
      return scraper?.extracts && (gaps === "drop" || dropWithout.length > 0)
        ? [`${item.state} without a record`]
        : [];
    return [...new Set([...dropWithout, ...required])]
      .filter((name) => record.fields[name]?.status !== "present" && !fill.has(name))
      .map((name) => `no ${name}`);
  }

  #filled(entry: ExportEntry): ExportEntry {
    const { fill } = this.#options;
    if (fill.size === 0 || !entry.record) return entry;
    const { record } = entry;
    const fields = { ...record.fields };
    for (const [name, value] of fill) {
      const field = fields[name];
      if (field && field.status !== "present") fields[name] = { ...field, value };
    }
    return { ...entry, record: { ...record, fields } };
  }
}
