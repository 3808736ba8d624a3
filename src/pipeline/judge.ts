import type { Extraction } from "../extraction/extract-spec.ts";
import type { Failure } from "../domain/failure.ts";
import { countFields, judgePage } from "../domain/judgement.ts";
import type { JudgedRecord, RawRecord } from "../domain/record.ts";

export interface Judged {
  /** One JSON text per record. */
  readonly lines: readonly string[];
  readonly quality: "complete" | "partial";
  readonly fieldCounts: readonly number[];
  /** Required fields missing in any of the records: what the breaker watches. */
  readonly missing: readonly string[];
  /** Set if all required fields are missing. What was found is still stored. */
  readonly failure?: Failure;
}

/** The origin of a record, so that any field can be traced to its bytes. */
interface RecordOrigin {
  readonly job: string;
  readonly key: string;
  readonly scraper: string;
  readonly version: string;
}

/** Judges every field as present, empty, missing or malformed, and whether the page has changed its structure. */
export const judge = (raw: readonly RawRecord[], extraction: Extraction, origin: RecordOrigin): Judged => {
  const { verdict, records } = judgePage(raw, extraction.required);
  const isChanged = verdict === "structure-changed" && !(raw.length === 0 && extraction.mayBeEmpty === true);
  const missing = extraction.required.filter((name) =>
    records.some(({ fields }) => fields[name]?.status === "missing"),
  );
  return {
    lines: records.map((record, index) => recordLine(record, raw[index]!.from, origin)),
    quality: records.every(({ quality }) => quality === "complete") ? "complete" : "partial",
    fieldCounts: countFields(records, extraction.fieldNames),
    missing,
    ...(isChanged && { failure: changed(extraction, records.length) }),
  };
};

const recordLine = (
  record: JudgedRecord,
  from: string,
  { job, key, scraper, version }: RecordOrigin,
): string =>
  JSON.stringify({ key, job, scraper, version, from, quality: record.quality, fields: record.fields });

const changed = ({ required }: Extraction, records: number): Failure => ({
  kind: "structure-changed",
  detail:
    records === 0
      ? "the page loaded, but no record was found on it"
      : `the page loaded, but ${required.length === 1 ? "its one required field was not found" : `none of its ${required.length} required fields was found`} (${required.slice(0, 5).join(", ")}${required.length > 5 ? ", …" : ""})`,
});
