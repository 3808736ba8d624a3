import { isDeepStrictEqual } from "node:util";
import type { ItemState } from "../domain/item.ts";
import type { FieldStatus, JudgedField, JudgedRecord } from "../domain/record.ts";

/** A field in an example, shortened if it is long. `undefined`: the record has no such field. */
export interface FieldExcerpt {
  readonly status: FieldStatus;
  readonly value: unknown;
}

export interface FieldExample {
  readonly key: string;
  readonly before: FieldExcerpt | undefined;
  readonly after: FieldExcerpt | undefined;
}

/**
 * How a field differs in a pair of records. `gained` and `lost`: it has a value on one side only; `changed`: the values differ; `restated`: no
 * value on either side, but with another status (for example missing before, empty now).
 */
export const FIELD_CHANGES = ["gained", "lost", "changed", "restated"] as const;
export type FieldChange = (typeof FIELD_CHANGES)[number];

/** Each pair of records in which either has the field counts once. */
export type FieldDifference = Record<FieldChange | "same", number> & {
  readonly examples: Record<FieldChange, FieldExample[]>;
};

/** A count with the keys of the first items behind it. */
export interface Tally {
  count: number;
  readonly keys: string[];
}

/** The difference between two sets of records, *before* and *after*. Plain data: threads make parts of it, `mergeDifference` adds them up. */
export interface Difference {
  /** Items in both sets, and those of them that differ. */
  items: number;
  changedItems: number;
  readonly onlyBefore: Tally;
  readonly onlyAfter: Tally;
  /** Pairs of records that were compared field by field. */
  records: number;
  /** Records without a counterpart on the other side, with their items' keys. */
  readonly recordsGained: Tally;
  readonly recordsLost: Tally;
  /** Items with another state, by `before → after`, such as `failed → done`. */
  readonly states: Map<string, Tally>;
  readonly fields: Map<string, FieldDifference>;
}

export const newDifference = (): Difference => ({
  items: 0,
  changedItems: 0,
  onlyBefore: newTally(),
  onlyAfter: newTally(),
  records: 0,
  recordsGained: newTally(),
  recordsLost: newTally(),
  states: new Map(),
  fields: new Map(),
});

const newTally = (): Tally => ({ count: 0, keys: [] });

export const count = (tally: Tally, key: string, most: number, by = 1): void => {
  tally.count += by;
  if (tally.keys.length < most) tally.keys.push(key);
};

export const tallyOf = (tallies: Map<string, Tally>, name: string): Tally => {
  let tally = tallies.get(name);
  if (!tally) tallies.set(name, (tally = newTally()));
  return tally;
};

export const fieldOf = (difference: Difference, name: string): FieldDifference => {
  let field = difference.fields.get(name);
  if (!field) {
    const examples = { gained: [], lost: [], changed: [], restated: [] };
    field = { gained: 0, lost: 0, changed: 0, restated: 0, same: 0, examples };
    difference.fields.set(name, field);
  }
  return field;
};

/** Adds a later part to an earlier one, whose examples come first. */
export const mergeDifference = (into: Difference, part: Difference, most: number): void => {
  into.items += part.items;
  into.changedItems += part.changedItems;
  into.records += part.records;
  for (const name of ["onlyBefore", "onlyAfter", "recordsGained", "recordsLost"] as const)
    addTally(into[name], part[name], most);
  for (const [name, tally] of part.states) addTally(tallyOf(into.states, name), tally, most);
  for (const [name, from] of part.fields) {
    const field = fieldOf(into, name);
    field.same += from.same;
    for (const change of FIELD_CHANGES) {
      field[change] += from[change];
      const examples = field.examples[change];
      examples.push(...from.examples[change].slice(0, Math.max(0, most - examples.length)));
    }
  }
};

const addTally = (into: Tally, part: Tally, most: number): void => {
  into.count += part.count;
  into.keys.push(...part.keys.slice(0, Math.max(0, most - into.keys.length)));
};

export const isNothing = ({
  changedItems,
  onlyBefore,
  onlyAfter,
}: Pick<Difference, "changedItems" | "onlyBefore" | "onlyAfter">): boolean =>
  changedItems + onlyBefore.count + onlyAfter.count === 0;

/** One item in one set of records. */
export interface ItemSide {
  readonly state: ItemState;
  readonly records: readonly JudgedRecord[];
}

interface CompareOptions {
  /** Examples kept for each kind of change. */
  readonly most: number;
  /** Prefix of the field names if the item is not of the job's root scraper. */
  readonly prefix?: string;
  /** Compares only these fields, with prefixes; all by default. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** Counts the differences between two sides of one item. */
export const compareItems = (
  difference: Difference,
  key: string,
  before: ItemSide,
  after: ItemSide,
  { most, prefix = "", only }: CompareOptions,
): void => {
  difference.items++;
  let isChanged = false;
  if (before.state !== after.state) {
    isChanged = true;
    count(tallyOf(difference.states, `${before.state} → ${after.state}`), key, most);
  }
  const { pairs, lost, gained } = pairUp(before.records, after.records);
  if (lost > 0) count(difference.recordsLost, key, most, lost);
  if (gained > 0) count(difference.recordsGained, key, most, gained);
  if (lost + gained > 0) isChanged = true;
  for (const [old, now] of pairs) {
    difference.records++;
    for (const name of fieldNames(old, now)) {
      if (only && !only.has(prefix + name)) continue;
      const was = own(old, name);
      const is = own(now, name);
      const field = fieldOf(difference, prefix + name);
      const change = changeOf(was, is);
      field[change]++;
      if (change === "same") continue;
      isChanged = true;
      const examples = field.examples[change];
      if (examples.length < most) examples.push({ key, before: excerpt(was), after: excerpt(is) });
    }
  }
  if (isChanged) difference.changedItems++;
};

type Pair = readonly [JudgedRecord, JudgedRecord];

/**
 * Records of one item match by order. Equal records at both ends are matched first, so that an inserted row does not make all rows after it
 * look changed.
 */
const pairUp = (before: readonly JudgedRecord[], after: readonly JudgedRecord[]) => {
  const least = Math.min(before.length, after.length);
  const pairs: Pair[] = [];
  if (before.length === after.length) {
    for (let i = 0; i < least; i++) pairs.push([before[i]!, after[i]!]);
    return { pairs, lost: 0, gained: 0 };
  }
  let start = 0;
  while (start < least && isSame(before[start]!, after[start]!)) start++;
  let end = 0;
  while (end < least - start && isSame(before.at(-1 - end)!, after.at(-1 - end)!)) end++;
  for (let i = 0; i < least - end; i++) pairs.push([before[i]!, after[i]!]);
  for (let i = end; i > 0; i--) pairs.push([before.at(-i)!, after.at(-i)!]);
  return { pairs, lost: before.length - least, gained: after.length - least };
};

const isSame = (before: JudgedRecord, after: JudgedRecord): boolean =>
  fieldNames(before, after).every((name) => changeOf(own(before, name), own(after, name)) === "same");

const fieldNames = (before: JudgedRecord, after: JudgedRecord): string[] => {
  const names = Object.keys(after.fields);
  for (const name of Object.keys(before.fields)) if (!Object.hasOwn(after.fields, name)) names.push(name);
  return names;
};

const own = ({ fields }: JudgedRecord, name: string): JudgedField | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

const changeOf = (before: JudgedField | undefined, after: JudgedField | undefined): FieldChange | "same" => {
  const was = before?.status === "present";
  const is = after?.status === "present";
  if (was && is) return isEqual(before.value, after.value) ? "same" : "changed";
  if (was) return "lost";
  if (is) return "gained";
  return before?.status === after?.status ? "same" : "restated";
};

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && isDeepStrictEqual(a, b));

/** Examples are for people: longer values are cut. */
const LONG = 300;

const excerpt = (field: JudgedField | undefined): FieldExcerpt | undefined => {
  if (!field) return undefined;
  const { status, value } = field;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { status, value: text.length > LONG ? `${text.slice(0, LONG)}…` : value };
};
