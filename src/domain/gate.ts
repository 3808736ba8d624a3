/**
 * Tests a new version of a scraper by comparing its results on stored pages with those of the previous version. Pairs make the
 * test exact: if both versions were equally good, losses and gains of a field would be equally likely.
 */

export const GATE_RULE = {
  /** Probability of a refusal without cause, over all fields. */
  alpha: 0.01,
  /** Share of the existing values that may be lost. */
  lostShare: 0.005,
} as const;

export interface GateExample {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Pairs of records in which either side has the field. */
export interface ComparedField {
  readonly name: string;
  readonly same: number;
  readonly gained: number;
  readonly lost: number;
  readonly changed: number;
  /** All pairs that differ, not only the first. */
  readonly examples: Readonly<Record<"gained" | "lost" | "changed", readonly GateExample[]>>;
}

/** Values that changed in the same way. */
export interface ChangeGroup {
  /** For example `1 day later`. */
  readonly change: string;
  readonly count: number;
  readonly examples: readonly GateExample[];
}

export interface GateField extends Omit<ComparedField, "examples"> {
  /** Probability of this many losses against this few gains if both versions were equally good. */
  readonly p: number;
  /** Why the version is refused because of this field. */
  readonly refused?: string;
  readonly lostExamples: readonly GateExample[];
  readonly gainedExamples: readonly GateExample[];
  readonly groups: readonly ChangeGroup[];
}

const EXAMPLES = 5;

export const judgeGate = (fields: readonly ComparedField[]): readonly GateField[] => {
  const before = valuesByKey(fields);
  return fields.map((field) => {
    const { examples, ...counts } = field;
    const { lost, gained } = counts;
    const p = signTest(lost, gained);
    const refused = whyRefused(counts, p, fields.length);
    return {
      ...counts,
      p,
      ...(refused !== undefined && { refused }),
      lostExamples: examples.lost.slice(0, EXAMPLES),
      gainedExamples: examples.gained.slice(0, EXAMPLES),
      groups: groupsOf(field, before),
    };
  });
};

const whyRefused = (
  { same, lost, gained, changed }: Omit<ComparedField, "examples">,
  p: number,
  fields: number,
): string | undefined => {
  if (lost > gained && p < GATE_RULE.alpha / fields)
    return `${lost} values lost and ${gained} gained; by chance, the probability of this is ${p.toExponential(1)}`;
  const had = same + lost + changed;
  if (lost > GATE_RULE.lostShare * had)
    return `${lost} of ${had} values lost, more than ${GATE_RULE.lostShare * 100} %`;
  return undefined;
};

/** One-sided: the probability of at least this many losses among the pairs where one side has a value. */
export const signTest = (lost: number, gained: number): number => {
  const pairs = lost + gained;
  if (lost === 0) return 1;
  // Terms of the binomial distribution by their logarithms: factorials of thousands do not fit a number.
  let log = -pairs * Math.LN2;
  let sum = 0;
  for (let heads = 0; heads <= pairs; heads++) {
    if (heads >= lost) sum += Math.exp(log);
    log += Math.log((pairs - heads) / (heads + 1));
  }
  return Math.min(1, sum);
};

type ValuesByKey = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** The earlier values of the changed fields, by item: values may have moved from one field to another. */
const valuesByKey = (fields: readonly ComparedField[]): ValuesByKey => {
  const values = new Map<string, Map<string, unknown>>();
  for (const { name, examples } of fields)
    for (const { key, before } of [...examples.changed, ...examples.lost]) {
      const known = values.get(key) ?? new Map<string, unknown>();
      values.set(key, known.set(name, before));
    }
  return values;
};

const groupsOf = ({ name, examples }: ComparedField, values: ValuesByKey): ChangeGroup[] => {
  const groups = Map.groupBy(examples.changed, ({ key, before, after }) => {
    const from = values.get(key)?.entries() ?? [];
    for (const [other, value] of from)
      if (other !== name && isSame(value, after)) return `has the value of ${other}`;
    return describeChange(before, after);
  });
  return [...groups]
    .map(([change, all]) => ({ change, count: all.length, examples: all.slice(0, EXAMPLES) }))
    .toSorted((a, b) => b.count - a.count);
};

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));

const DAY_MS = 24 * 60 * 60_000;

/** In words; equal changes get equal words. */
export const describeChange = (before: unknown, after: unknown): string => {
  if (typeof before !== typeof after || Array.isArray(before) !== Array.isArray(after))
    return `${kindOf(before)} becomes ${kindOf(after)}`;
  if (typeof before === "number" && typeof after === "number") return numberChange(before, after);
  if (typeof before === "string" && typeof after === "string") return textChange(before, after);
  if (Array.isArray(before) && Array.isArray(after) && before.length !== after.length)
    return `list of ${before.length} becomes list of ${after.length}`;
  return `another ${kindOf(after)}`;
};

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? "list" : value === null ? "null" : typeof value;

const numberChange = (before: number, after: number): string => {
  if (before === -after) return "other sign";
  const power = Math.log10(after / before);
  const whole = Math.round(power);
  if (whole !== 0 && Math.abs(power - whole) < 1e-9)
    return whole > 0 ? `× ${10 ** whole}` : `÷ ${10 ** -whole}`;
  if (Math.round(before) === Math.round(after) || Math.trunc(before) === Math.trunc(after))
    return "other decimals";
  return "another number";
};

const DATE = /^(\d{4}-\d{2}-\d{2})(?:T.*)?$/;

const textChange = (before: string, after: string): string => {
  const [was, is] = [DATE.exec(before)?.[1], DATE.exec(after)?.[1]];
  if (was !== undefined && is !== undefined) {
    const days = Math.round((Date.parse(is) - Date.parse(was)) / DAY_MS);
    if (days === 0) return "other time of day";
    if (Math.abs(days) <= 31)
      return `${Math.abs(days)} day${Math.abs(days) === 1 ? "" : "s"} ${days > 0 ? "later" : "earlier"}`;
    return "another date";
  }
  const plain = (text: string): string => text.replaceAll(/\s+/g, "").toLowerCase();
  if (plain(before) === plain(after)) return "letter case or spaces";
  if (after.includes(before)) return "longer, with the text before";
  if (before.includes(after)) return "shorter, a part of the text before";
  const [shape, now] = [shapeOf(before), shapeOf(after)];
  return shape === now ? `another text (${shape})` : `${shape} becomes ${now}`;
};

const LONGEST_SHAPE = 24;

/** `Aa 9` for a word and a number, whatever their length. */
const shapeOf = (text: string): string => {
  const shape = text
    .replaceAll(/\p{Lu}[\p{Lu}]*/gu, "A")
    .replaceAll(/\p{Ll}+/gu, "a")
    .replaceAll(/\d+/g, "9")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/((?:Aa?|a)(?: (?:Aa?|a))+)/g, "words");
  return shape.length > LONGEST_SHAPE ? `${shape.slice(0, LONGEST_SHAPE)}…` : shape;
};
