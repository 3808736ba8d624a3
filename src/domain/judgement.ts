import { FIELD_STATUSES } from "./record.ts";
import type { JudgedField, JudgedRecord, RawField, RawRecord } from "./record.ts";

interface JudgedPage {
  /** structure-changed: the page loaded, but nothing that it must have is where it should be. */
  readonly verdict: "ok" | "structure-changed";
  readonly records: readonly JudgedRecord[];
}

/** Judges all records of one item together. Nothing is dropped: a changed page keeps the fields that it has. */
export function judgePage(records: readonly RawRecord[], required: readonly string[]): JudgedPage {
  const judged = records.map((record) => judgeRecord(record, required));
  const isFound = judged.some(({ fields }) => required.some((name) => fields[name]?.status !== "missing"));
  // Without required fields nothing can be decided: a list may be empty.
  return { verdict: required.length > 0 && !isFound ? "structure-changed" : "ok", records: judged };
}

/** A record is partial when a required field is missing or malformed. An empty one is the site's own answer. */
export function judgeRecord(record: RawRecord, required: readonly string[]): JudgedRecord {
  const fields: Record<string, JudgedField> = {};
  for (const [name, field] of Object.entries(record.fields)) set(fields, name, judgeField(field));
  let quality: JudgedRecord["quality"] = "complete";
  for (const name of required) {
    if (!Object.hasOwn(fields, name)) set(fields, name, { status: "missing", value: null });
    const status = fields[name]?.status;
    if (status === "missing" || status === "malformed") quality = "partial";
  }
  return { fields, quality };
}

/** How often each field had each status: for every name the counts in the order of FIELD_STATUSES, one after the other. */
export function countFields(records: readonly JudgedRecord[], names: readonly string[]): number[] {
  const counts = Array.from({ length: names.length * FIELD_STATUSES.length }, () => 0);
  for (const { fields } of records) {
    for (const [index, name] of names.entries()) {
      const status = Object.hasOwn(fields, name) ? fields[name]?.status : undefined;
      const at = index * FIELD_STATUSES.length + FIELD_STATUSES.indexOf(status ?? "missing");
      counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return counts;
}

function judgeField({ raw, by, at, problem, unavailable, isEmpty, value }: RawField): JudgedField {
  if (raw === null) return { status: "missing", value: null, ...(problem !== undefined && { why: problem }) };
  const status = problem !== undefined ? "malformed" : isEmpty ? "empty" : "present";
  const judged: Writable<JudgedField> = {
    status,
    value: status === "present" ? value : null,
    raw: capped(raw),
  };
  if (by !== undefined) judged.by = by;
  if (at !== undefined) judged.at = at;
  if (problem !== undefined) judged.why = problem;
  else if (unavailable !== undefined && isEmpty) judged.why = `unavailable: ${unavailable}`;
  return judged;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

const RAW_LENGTH = 500;

function capped(text: string): string {
  if (text.length <= RAW_LENGTH) return text;
  // Half a surrogate pair is not a character.
  const last = text.charCodeAt(RAW_LENGTH - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? RAW_LENGTH - 1 : RAW_LENGTH);
}

/** Names may come from a page: `__proto__` is a field like any other. */
function set(fields: Record<string, JudgedField>, name: string, field: JudgedField): void {
  if (name === "__proto__") Object.defineProperty(fields, name, { value: field, enumerable: true });
  else fields[name] = field;
}
