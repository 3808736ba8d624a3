import { isDeepStrictEqual } from "node:util";
import type { Failure } from "../model/failure.ts";
import type { JudgedField } from "../model/record.ts";
import type { Expected, ExpectedField, FoundRecord } from "./fixture.ts";

/** One thing that is not as it was expected. */
export type Difference =
  | {
      readonly what: "field";
      readonly record: number;
      readonly field: string;
      /** Undefined: a field that was not expected, or one that is no more. */
      readonly expected: ExpectedField | undefined;
      readonly got: JudgedField | undefined;
    }
  | { readonly what: "records"; readonly expected: number; readonly got: number }
  | { readonly what: "failure"; readonly expected: string | undefined; readonly got: Failure | undefined };

export interface Comparison {
  /** Fields that were held against what was expected. */
  readonly checked: number;
  readonly differences: readonly Difference[];
}

/** Field by field: status and value have to be the same. Which selector found it, and how it was written there, may change. */
export const compareRecords = (
  expected: Expected,
  records: readonly FoundRecord[],
  failure: Failure | undefined,
): Comparison => {
  const differences: Difference[] = [];
  let checked = 0;
  if (expected.failure !== failure?.kind)
    differences.push({ what: "failure", expected: expected.failure, got: failure });
  if (expected.records.length !== records.length)
    differences.push({ what: "records", expected: expected.records.length, got: records.length });
  for (const [record, wanted] of expected.records.entries()) {
    const found = records[record]?.fields;
    if (found === undefined) {
      checked += Object.keys(wanted.fields).length;
      continue;
    }
    for (const field of new Set([...Object.keys(wanted.fields), ...Object.keys(found)])) {
      checked++;
      const before = own(wanted.fields, field);
      const got = own(found, field);
      if (!isSame(before, got)) differences.push({ what: "field", record, field, expected: before, got });
    }
  }
  return { checked, differences };
};

const own = <T>(fields: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

const isSame = (expected: ExpectedField | undefined, got: JudgedField | undefined): boolean =>
  expected !== undefined &&
  got !== undefined &&
  expected.status === got.status &&
  isDeepStrictEqual(expected.value ?? null, got.value ?? null);
