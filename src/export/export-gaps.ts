import type { JobSpec } from "../domain/job.ts";
import type { ExportEntry } from "./export-rows.ts";
import { OutputError } from "./outputs/open-output.ts";

/** What an export does where a field has no value. The archive keeps everything either way. */
export interface GapOptions {
  /** "drop" leaves out records without a value in a required field, and items without a record. */
  readonly gaps?: "keep" | "drop";
  /** What stands where the field has no value. */
  readonly fill?: ReadonlyMap<string, unknown>;
  /** Leaves out records without a value in one of these. */
  readonly dropWithout?: readonly string[];
}

/** Says of each entry whether and how it goes into the export, and counts what was left out and why. */
export class GapFilter {
  /** How often each gap kept an entry out; an entry may have several. */
  readonly reasons = new Map<string, number>();
  /** How many entries were left out. */
  leftOut = 0;
  readonly #spec: JobSpec;
  readonly #options: Required<GapOptions>;

  /** Throws `OutputError` `no-such-field` for a field that the job does not have. */
  constructor(spec: JobSpec, { gaps = "keep", fill = new Map(), dropWithout = [] }: GapOptions) {
    this.#spec = spec;
    this.#options = { gaps, fill, dropWithout };
    const known = new Set(spec.scrapers.flatMap(({ fields }) => fields));
    // A scraper that extracts by a function does not say which fields it has.
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

  /** The entry as it is written; undefined where it is left out. */
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
    // Of a page that is only kept, no record is expected.
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
