import type { RunShares } from "../../src/domain/drift.ts";

/**
 * Made-up histories of scrapers. Only the shape of a run comes from the program; what shares there are, how they vary and what goes wrong is
 * decided here.
 */
export interface Scenario {
  readonly seed: number;
  readonly scrapers: number;
  readonly fields: number;
  readonly weeks: number;
  /** Size of the Beta distribution by which a share varies from week to week. */
  readonly phi: number;
  /** Standard deviation of one shift of the log-odds, for all fields of a scraper, in the tested week. */
  readonly seasonSd?: number;
  /** Items of a week; drawn between sixty and twenty thousand when left out. */
  readonly items?: number;
  /** This share of the fields loses ten points of its present values in the tested week. */
  readonly broken?: number;
}

export interface MadeScraper {
  readonly history: readonly RunShares[];
  readonly tested: RunShares;
  readonly broken: ReadonlySet<string>;
}

const WEEK_MS = 7 * 24 * 3_600_000;

export const makeScrapers = (scenario: Scenario): MadeScraper[] => {
  const random = randomFrom(scenario.seed);
  return Array.from({ length: scenario.scrapers }, () => makeScraper(scenario, random));
};

/** The usual shares of one field. */
interface Field {
  readonly name: string;
  readonly present: number;
  /** Of the records without a value, those that are missing and not empty. */
  readonly missing: number;
  readonly changed: number;
  readonly wild: number;
  readonly outside: number;
  readonly commonest: number;
}

const makeScraper = (scenario: Scenario, random: Random): MadeScraper => {
  const items = scenario.items ?? Math.round(60 * (20_000 / 60) ** random.uniform());
  // Most fields are nearly always there; some are optional.
  const fields = Array.from({ length: scenario.fields }, (_, at): Field => ({
    name: `field${at}`,
    present: Math.max(0.15, logistic(2.2 + 1.2 * random.normal())),
    missing: random.uniform() * 0.5,
    changed: 0.2 * random.uniform() ** 2,
    wild: 0.01 * random.uniform(),
    outside: 0.002 + 0.003 * random.uniform(),
    commonest: 0.4 * random.uniform() ** 2,
  }));
  const first = Date.UTC(2031, 0, 6) + Math.floor(random.uniform() * 52) * WEEK_MS;
  const week = (at: number, change: (field: Field) => Field = (field) => field): RunShares => {
    const count = Math.max(1, Math.round(items * (1 + 0.01 * random.normal())));
    const vary = (mean: number): number => random.beta(mean * scenario.phi, (1 - mean) * scenario.phi);
    return {
      id: `week ${at}`,
      at: first + at * WEEK_MS,
      items: count,
      pages: count,
      bytes: count * 30_000 * (1 + 0.01 * random.normal()),
      shares: fields.map(change).flatMap((field) => {
        const present = random.binomial(count, vary(field.present));
        const missing = random.binomial(count - present, vary(field.missing));
        const of = present;
        const valued = (share: number) => ({ hits: random.binomial(of, vary(share)), of });
        return [
          { measure: "no-value", field: field.name, share: { hits: count - present, of: count } },
          { measure: "unread", field: field.name, share: { hits: missing, of: count } },
          { measure: "changed", field: field.name, share: valued(field.changed) },
          { measure: "wild", field: field.name, share: valued(field.wild) },
          { measure: "outside", field: field.name, share: valued(field.outside) },
          { measure: "commonest", field: field.name, share: valued(field.commonest) },
        ];
      }),
    };
  };
  const history = Array.from({ length: scenario.weeks }, (_, at) => week(at));
  const broken = new Set(
    fields.filter(() => random.uniform() < (scenario.broken ?? 0)).map(({ name }) => name),
  );
  const season = (scenario.seasonSd ?? 0) * random.normal();
  const tested = week(scenario.weeks, (field) => {
    const present = season === 0 ? field.present : logistic(logit(field.present) + season);
    if (!broken.has(field.name)) return { ...field, present };
    // What is lost is missing.
    const lost = Math.min(0.1, present);
    const missing = (1 - present) * field.missing + lost;
    return { ...field, present: present - lost, missing: missing / (1 - present + lost) };
  });
  return { history, tested, broken };
};

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));
const logit = (share: number): number => Math.log(share / (1 - share));

interface Random {
  uniform(): number;
  normal(): number;
  beta(a: number, b: number): number;
  binomial(n: number, p: number): number;
}

const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  // mulberry32
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  /** Marsaglia and Tsang, 2000. */
  const gamma = (shape: number): number => {
    if (shape < 1) return gamma(shape + 1) * (1 - uniform()) ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  };
  const beta = (a: number, b: number): number => {
    const [x, y] = [gamma(a), gamma(b)];
    return x + y === 0 ? 0 : x / (x + y);
  };
  /** By the median of uniforms where there are many: exact, and as fast for a million as for a thousand. */
  const binomial = (n: number, p: number): number => {
    let [left, share, hits] = [n, p, 0];
    while (left > 50) {
      const middle = 1 + Math.floor(left / 2);
      const split = beta(middle, left + 1 - middle);
      if (split <= share) {
        hits += middle;
        left -= middle;
        share = (share - split) / (1 - split);
      } else {
        left = middle - 1;
        share /= split;
      }
    }
    for (let at = 0; at < left; at++) if (uniform() < share) hits++;
    return hits;
  };
  return { uniform, normal, beta, binomial };
};
