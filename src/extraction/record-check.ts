import { ExtractionError } from "./extraction-error.ts";
import { valuesOf } from "./fields.ts";
import type { RawFields, RecordOf } from "./fields.ts";

/** Looks at a record as a whole. Fields are named as in the record, those of objects dotted. */
export type RecordCheck<F> = {
  // A method's parameter is compared both ways: a scraper's own record is one of all records.
  check(record: RecordOf<F>): true | Readonly<Record<string, string>>;
}["check"];

/** Makes the fields malformed that the check names. One that was not found stays missing. */
export function applyCheck(check: RecordCheck<never>, fields: RawFields): void {
  const verdict = askCheck(check, valuesOf(fields));
  if (verdict === true) return;
  for (const [name, problem] of Object.entries(verdict)) {
    const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (found === undefined)
      throw new ExtractionError("bad-check", `extract.check names ${name}, which is no field of the record`);
    if (found.raw === null) continue;
    const { unavailable: _, ...rest } = found;
    fields[name] = { ...rest, isEmpty: false, value: null, problem: String(problem) };
  }
}

function askCheck(check: RecordCheck<never>, record: Record<string, unknown>): true | object {
  let verdict: unknown;
  try {
    verdict = (check as (record: unknown) => unknown)(record);
  } catch (error) {
    throw new ExtractionError(
      "bad-check",
      `extract.check failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (verdict === true || (typeof verdict === "object" && verdict !== null)) return verdict;
  throw new ExtractionError(
    "bad-check",
    "extract.check must give true, or an object of fields with what is wrong",
  );
}
