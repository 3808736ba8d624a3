import { isDeepStrictEqual } from "node:util";
import type { KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { JudgedField } from "../domain/record.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { explainEach, explainField, explainPages, type FieldExplanation } from "./explain-field.ts";
import type { Emitted, Expected, ExpectedField, FoundOnPages, FoundRecord } from "./fixture.ts";

/** One difference between the expected and the actual result. */
export type Difference =
  | {
      readonly what: "field";
      readonly record: number;
      readonly field: string;
      /** Undefined for a field that is new, or that no longer exists. */
      readonly expected: ExpectedField | undefined;
      readonly got: JudgedField | undefined;
    }
  | { readonly what: "records"; readonly expected: number; readonly got: number }
  | {
      readonly what: "emitted";
      /** Name of the scraper that the inputs are for; undefined for rejected inputs. */
      readonly target: string | undefined;
      readonly expected: number;
      readonly got: number;
      /** Expected but missing; both lists are empty if only the order differs. */
      readonly gone: readonly unknown[];
      readonly added: readonly unknown[];
    }
  | { readonly what: "failure"; readonly expected: string | undefined; readonly got: Failure | undefined };

interface Comparison {
  /** Number of compared fields. */
  readonly checked: number;
  /** Number of compared emitted inputs. */
  readonly inputs: number;
  readonly differences: readonly Difference[];
}

/** Compares field by field: status and value must be equal. The selector that found the value, and its spelling on the page, may change. */
export const compareRecords = (
  expected: Expected,
  { records, emitted, failure }: FoundOnPages,
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
  const inputs = compareEmitted(expected.emitted, emitted);
  return { checked, inputs: inputs.count, differences: [...differences, ...inputs.differences] };
};

const compareEmitted = (
  expected: Emitted | undefined,
  got: Emitted | undefined,
): { readonly count: number; readonly differences: readonly Difference[] } => {
  const differences: Difference[] = [];
  let count = 0;
  const hold = (target: string | undefined, before: readonly unknown[], now: readonly unknown[]): void => {
    count += Math.max(before.length, now.length);
    if (isDeepStrictEqual(before, now)) return;
    const gone = without(before, now);
    const added = without(now, before);
    differences.push({ what: "emitted", target, expected: before.length, got: now.length, gone, added });
  };
  const targets = new Set([...Object.keys(expected?.inputs ?? {}), ...Object.keys(got?.inputs ?? {})]);
  for (const target of targets)
    hold(target, own(expected?.inputs ?? {}, target) ?? [], own(got?.inputs ?? {}, target) ?? []);
  hold(undefined, expected?.rejected ?? [], got?.rejected ?? []);
  return { count, differences };
};

/** Each of the others cancels one equal value. */
const without = (inputs: readonly unknown[], others: readonly unknown[]): unknown[] => {
  const counts = new Map<string, number>();
  for (const other of others) {
    const text = JSON.stringify(other);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return inputs.filter((input) => {
    const text = JSON.stringify(input);
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
};

const own = <T>(fields: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

const isSame = (expected: ExpectedField | undefined, got: JudgedField | undefined): boolean =>
  expected !== undefined &&
  got !== undefined &&
  expected.status === got.status &&
  isDeepStrictEqual(expected.value ?? null, got.value ?? null);

/** The piece of the page that a difference is about, and the reason for it. */
export const explainDifference = (
  ready: CompiledScraper,
  pages: readonly KeptPage[],
  records: readonly FoundRecord[],
  difference: Difference,
): FieldExplanation | undefined => {
  if (difference.what === "records") return difference.got === 0 ? explainEach(ready, pages) : undefined;
  if (difference.what === "failure")
    return difference.got?.kind === "structure-changed" ? explainPages(ready, pages) : undefined;
  if (difference.what === "emitted") return undefined;
  const { field, record, got } = difference;
  return got === undefined ? undefined : explainField(ready, pages, records, { record, field });
};
