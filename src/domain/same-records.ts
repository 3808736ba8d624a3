import type { JudgedField } from "./record.ts";

type Reading = Pick<JudgedField, "status" | "value">;
export type RecordFields = Readonly<Record<string, Reading>>;

const NONE: Reading = { status: "missing", value: null };
const hasNone = ({ status }: Reading): boolean => status === "missing" || status === "empty";

/** Equal status and value. Where a field is optional, it does not matter in which way it has no value. */
export const isSameField = (a: Reading, b: Reading, isRequired: boolean): boolean =>
  (!isRequired && hasNone(a) && hasNone(b)) ||
  (a.status === b.status && isSameJson(a.value ?? null, b.value ?? null));

/** The order of members does not count. */
const isSameJson = (a: unknown, b: unknown): boolean => {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  const [own, other] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    own.length === other.size &&
    own.every(([name, value]) => other.has(name) && isSameJson(value, other.get(name)))
  );
};

/** The name of the first field that differs. */
export const differingField = (
  a: RecordFields,
  b: RecordFields,
  required: readonly string[],
): string | undefined =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].find(
    (name) => !isSameField(a[name] ?? NONE, b[name] ?? NONE, required.includes(name)),
  );

export const sameRecords = (
  a: readonly RecordFields[],
  b: readonly RecordFields[],
  required: readonly string[],
): boolean =>
  a.length === b.length &&
  a.every((record, at) => differingField(record, b[at] ?? {}, required) === undefined);
