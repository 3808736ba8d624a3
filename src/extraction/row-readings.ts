import type { FieldReading } from "./define-field.ts";
import type { CompiledFields, RawFields } from "./fields.ts";

/** A row of a list, and where it stands. */
export interface ReadRow {
  readonly fields: RawFields;
  readonly at: number | undefined;
}

/**
 * The rows of a table or an `each` as one value. A row of which nothing was found is left out. A required field that is
 * malformed or missing in any row makes the whole list malformed, there: a list with holes would look complete.
 */
export function readingOfRows<T>(
  rows: readonly ReadRow[],
  { leaves }: CompiledFields,
  found: { readonly raw: string; readonly by: string; readonly at: number },
  toRow: (fields: RawFields) => T,
  check: ((rows: readonly T[]) => true | string) | undefined,
): FieldReading<readonly T[]> {
  const values: T[] = [];
  for (const [index, { fields: row, at }] of rows.entries()) {
    if (Object.values(row).every(({ raw, isEmpty }) => raw === null || isEmpty)) continue;
    for (const [name, { isRequired }] of leaves) {
      const leaf = row[name];
      if (!isRequired || leaf === undefined) continue;
      const problem = leaf.problem ?? (leaf.raw === null ? "not found" : undefined);
      if (problem === undefined) continue;
      const why = `row ${index + 1}, ${name}: ${problem}`;
      return { ...found, at: leaf.at ?? at ?? found.at, isEmpty: false, value: null, problem: why };
    }
    values.push(toRow(row));
  }
  if (values.length === 0) return { ...found, isEmpty: true, value: null };
  return { ...found, ...checked(values, check) };
}

function checked<T>(
  values: readonly T[],
  check: ((rows: readonly T[]) => true | string) | undefined,
): { isEmpty: false; value: readonly T[] } | { isEmpty: false; value: null; problem: string } {
  let verdict: unknown = true;
  try {
    verdict = check === undefined || check(values);
  } catch (error) {
    verdict = `its own code failed: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (verdict === true) return { isEmpty: false, value: values };
  const problem = typeof verdict === "string" ? verdict : "its check did not say true";
  return { isEmpty: false, value: null, problem };
}
