/**
 * Decides whether a new version of a scraper is worse than the present one while both run on items of the same jobs. For every field, an item is bad if the field
 * is missing or malformed in it, or if the item failed or is absent.
 *
 * The test is a one-sided sequential two-sample e-process for Bernoulli data (Turner, Ly, Grünwald: arXiv 2106.02693). A block is one item of the canary
 * and some of the rest. Before a block is seen, the shares of bad items so far say how to bet that the canary is worse. If it is not, the product of what the
 * bets pay exceeds X with a probability of at most 1/X, however often anybody looks.
 */

/** How many items, and how many of them were bad. */
export type BadCount = readonly [items: number, bad: number];

/** Results of one version, by field. */
export interface ArmCounts {
  readonly items: number;
  readonly fields: Readonly<Record<string, BadCount>>;
}

export interface CanaryCounts {
  readonly canary: ArmCounts;
  readonly control: ArmCounts;
}

/**
 * What a job has seen of a canary since the last evaluation: a document that settling items adds to. The evaluation removes it in
 * the same commit, so nothing is counted twice, and no items are read.
 */
export interface CanaryNews extends CanaryCounts {
  readonly job: string;
  /** Items of the canary that ended after it was rolled back: they have to be extracted again. */
  readonly late: number;
}

export const canaryPrefix = (scraper: string, version: string): string => `${scraper}/${version}/`;

/** Represents the item as a whole, beside the fields: bad if it failed or is absent. No field has a name with brackets. */
export const WHOLE_ITEM = "(item)";

interface FieldState {
  /** Natural logarithm of what the bets have paid. */
  readonly logE: number;
  /** Over the blocks so far. */
  readonly canary: BadCount;
  readonly control: BadCount;
  /** Not yet in a block. */
  readonly waiting: { readonly canary: BadCount; readonly control: BadCount };
}

export interface CanaryState {
  /** Items of the canary that have ended. */
  readonly items: number;
  readonly fields: Readonly<Record<string, FieldState>>;
}

export interface CanaryRule {
  /** Fields that are tested, with `WHOLE_ITEM`. */
  readonly fields: readonly string[];
  /** Fields that must be shown to be good enough before the canary is promoted. */
  readonly required: readonly string[];
  /** Share of the items that the canary runs. */
  readonly share: number;
  /** Probability that a version that is not worse is rolled back, over all fields. */
  readonly alpha: number;
  /** How much worse a required field may be: a share of the items. */
  readonly tolerance: number;
  /** After this many items of the canary, a person decides. */
  readonly mostItems: number;
}

export const DEFAULT_CANARY = { alpha: 0.01, tolerance: 0.01, mostItems: 2000 } as const;

/** Small jobs need more of their items in the canary to say anything. */
export const canaryShare = (items: number): number => (items < 10_000 ? 0.1 : 0.05);

export const newCanary = (): CanaryState => ({ items: 0, fields: {} });

const NONE: BadCount = [0, 0];
const NEW_FIELD: FieldState = {
  logE: 0,
  canary: NONE,
  control: NONE,
  waiting: { canary: NONE, control: NONE },
};

/**
 * Adds what has ended since the last time. The order of these items is drawn at random: the real order is unknown, and a random
 * order is as good.
 */
export const observe = (
  state: CanaryState,
  counts: CanaryCounts,
  rule: Pick<CanaryRule, "fields" | "share">,
  random: () => number,
): CanaryState => ({
  items: state.items + counts.canary.items,
  fields: Object.fromEntries(
    rule.fields.map((name) => {
      const before = own(state.fields, name) ?? NEW_FIELD;
      const waiting = {
        canary: add(before.waiting.canary, own(counts.canary.fields, name)),
        control: add(before.waiting.control, own(counts.control.fields, name)),
      };
      return [name, bet({ ...before, waiting }, rule.share, random)];
    }),
  ),
});

const own = <Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined;

const add = (a: BadCount, b: BadCount = NONE): BadCount => [a[0] + b[0], a[1] + b[1]];

/** As long as there are items of both versions. */
const bet = (field: FieldState, share: number, random: () => number): FieldState => {
  const usual = Math.max(1, Math.round((1 - share) / share));
  let { logE, canary, control } = field;
  const waiting = { canary: [...field.waiting.canary], control: [...field.waiting.control] } as Pools;
  while (waiting.canary[0] > 0 && waiting.control[0] > 0) {
    const size = Math.max(1, Math.min(usual, Math.floor(waiting.control[0] / waiting.canary[0])));
    const one: BadCount = [1, draw(waiting.canary, 1, random)];
    const others: BadCount = [size, draw(waiting.control, size, random)];
    logE += payOf(shareOf(canary), shareOf(control), one, others);
    [canary, control] = [add(canary, one), add(control, others)];
  }
  return { logE, canary, control, waiting };
};

interface Pools {
  readonly canary: [number, number];
  readonly control: [number, number];
}

const draw = (pool: [number, number], count: number, random: () => number): number => {
  let bad = 0;
  for (let n = 0; n < count; n++) {
    const isBad = pool[1] > 0 && random() * pool[0] < pool[1];
    pool[0]--;
    if (!isBad) continue;
    pool[1]--;
    bad++;
  }
  return bad;
};

const PRIOR = 0.18;

const shareOf = ([items, bad]: BadCount): number => (bad + PRIOR) / (items + 2 * PRIOR);

/** Never bets that the canary is better, which does no harm. */
const payOf = (worse: number, usual: number, canary: BadCount, control: BadCount): number => {
  if (worse <= usual) return 0;
  const both = (canary[0] * worse + control[0] * usual) / (canary[0] + control[0]);
  return ratio(canary, worse, both) + ratio(control, usual, both);
};

const ratio = ([items, bad]: BadCount, share: number, both: number): number =>
  (bad > 0 ? bad * Math.log(share / both) : 0) +
  (items > bad ? (items - bad) * Math.log((1 - share) / (1 - both)) : 0);

export interface CanaryFinding {
  readonly field: string;
  readonly canary: BadCount;
  readonly control: BadCount;
  /** How much more likely the observation is if the canary is worse: 1 means no evidence. */
  readonly evidence: number;
}

export type CanaryVerdict =
  | { readonly verdict: "going" | "good" | "undecided" }
  | {
      readonly verdict: "bad";
      /** The fields that decided it, clearest first. */
      readonly findings: readonly CanaryFinding[];
    };

export const judgeCanary = (state: CanaryState, rule: CanaryRule): CanaryVerdict => {
  const limit = Math.log(rule.fields.length / rule.alpha);
  const findings = canaryFindings(state).filter(({ evidence }) => Math.log(evidence) >= limit);
  if (findings.length > 0) return { verdict: "bad", findings };
  const isGood = rule.required.every((name) => {
    const field = own(state.fields, name);
    return field !== undefined && mostWorsening(seen(field)) < rule.tolerance;
  });
  if (isGood) return { verdict: "good" };
  return { verdict: state.items >= rule.mostItems ? "undecided" : "going" };
};

/** For people: the results of every field, worst first. */
export const canaryFindings = (state: CanaryState): CanaryFinding[] =>
  Object.entries(state.fields)
    .map(([field, one]) => ({ field, ...seen(one), evidence: Math.exp(Math.min(one.logE, LARGEST)) }))
    .toSorted((a, b) => b.evidence - a.evidence);

/** Infinity has no JSON. */
const LARGEST = 600;

const seen = ({ canary, control, waiting }: FieldState): { canary: BadCount; control: BadCount } => ({
  canary: add(canary, waiting.canary),
  control: add(control, waiting.control),
});

/** One-sided 99 %: the bound is checked many times. */
const Z = 2.326;

/** Upper bound of the difference of two shares, from Wilson's bounds of each (Newcombe 1998, method 10). */
const mostWorsening = ({ canary, control }: { canary: BadCount; control: BadCount }): number => {
  if (canary[0] === 0 || control[0] === 0) return 1;
  const [share, usual] = [canary[1] / canary[0], control[1] / control[0]];
  const [, high] = wilson(canary);
  const [low] = wilson(control);
  return share - usual + Math.hypot(high - share, usual - low);
};

const wilson = ([items, bad]: BadCount): [low: number, high: number] => {
  const share = bad / items;
  const middle = (share + Z ** 2 / (2 * items)) / (1 + Z ** 2 / items);
  const half =
    (Z / (1 + Z ** 2 / items)) * Math.sqrt((share * (1 - share)) / items + Z ** 2 / (4 * items ** 2));
  return [middle - half, middle + half];
};
