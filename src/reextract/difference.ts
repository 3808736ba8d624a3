import type { FieldStatus } from "../domain/record.ts";

/** What a field said, cut short where it is long. `undefined`: the record has no such field. */
export interface FieldSaid {
  readonly status: FieldStatus;
  readonly value: unknown;
}

export interface FieldExample {
  readonly key: string;
  readonly before: FieldSaid | undefined;
  readonly after: FieldSaid | undefined;
}

/**
 * What became of a field in a pair of records. `gained` and `lost`: a value came or went; `changed`: another value; `restated`: no
 * value before or after, but for another reason (a place that was missing is empty now).
 */
export const FIELD_CHANGES = ["gained", "lost", "changed", "restated"] as const;
export type FieldChange = (typeof FIELD_CHANGES)[number];

/** Every pair of records in which either has the field is counted once. */
export type FieldDifference = Record<FieldChange | "same", number> & {
  readonly examples: Record<FieldChange, FieldExample[]>;
};

/** A count with the keys of the first items behind it. */
export interface Tally {
  count: number;
  readonly keys: string[];
}

/** What differs between two sets of records, *before* and *after*. Plain data: threads make parts of it, `mergeDifference` adds them up. */
export interface Difference {
  /** Items in both sets, and of these those that differ in anything. */
  items: number;
  changedItems: number;
  readonly onlyBefore: Tally;
  readonly onlyAfter: Tally;
  /** Pairs of records that were compared field by field. */
  records: number;
  /** Records of an item that have no counterpart on the other side, counted by record, with their items' keys. */
  readonly recordsGained: Tally;
  readonly recordsLost: Tally;
  /** By `before → after`: items that ended otherwise, such as `failed → done`. */
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

/** Adds a later part to an earlier one; the earlier one's examples come first. */
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
