import { draw } from "./draw.ts";

/**
 * Everything that can be wrong with a parcel, and what a scraper has to report for it in the end. `percent` is the share
 * of parcels under `--troubles all`: small enough together that the job as a whole is healthy. `scripted` marks what only
 * the scripted variant can do, and its answer there; the plain variant shows these parcels as they are.
 */
export const TROUBLES = {
  // The detail page misbehaves when it is first asked for and is fine afterwards.
  timeout: { percent: 0.4, answer: "done" },
  reset: { percent: 0.5, answer: "done" },
  throttle: { percent: 0.5, answer: "done" },
  unavailable: { percent: 0.5, answer: "done" },
  error: { percent: 0.5, answer: "done" },
  // Always the same.
  drip: { percent: 0.5, answer: "done" },
  block: { percent: 0.25, answer: "blocked" },
  captcha: { percent: 0.25, answer: "captcha" },
  maintenance: { percent: 0.25, answer: "maintenance" },
  hang: { percent: 0.25, answer: "timeout" },
  trickle: { percent: 0.25, answer: "timeout" },
  changed: { percent: 0.25, answer: "structure-changed" },
  huge: { percent: 0.25, answer: "too-large" },
  bomb: { percent: 0.25, answer: "too-large" },
  absent: { percent: 2, answer: "absent" },
  // The page comes, and says something odd.
  "rows-gone": { percent: 1, answer: "done" },
  placeholder: { percent: 2, answer: "done" },
  malformed: { percent: 1, answer: "done" },
  mention: { percent: 1, answer: "done" },
  redirect: { percent: 2, answer: "done" },
  // Last, so that the parcels above have the same trouble in both variants.
  loop: { percent: 0.15, answer: "done", scripted: "browser" },
  endless: { percent: 0.15, answer: "done", scripted: "timeout" },
  dialogs: { percent: 0.3, answer: "done", scripted: "done" },
  unload: { percent: 0.3, answer: "done", scripted: "done" },
  popups: { percent: 0.15, answer: "done", scripted: "done" },
} as const satisfies Readonly<Record<string, TroubleRow>>;

interface TroubleRow {
  readonly percent: number;
  readonly answer: string;
  readonly scripted?: string;
}

export type Trouble = keyof typeof TROUBLES;
const isTrouble = (name: string): name is Trouble => Object.hasOwn(TROUBLES, name);
export const TROUBLE_NAMES: readonly Trouble[] = Object.keys(TROUBLES).filter(isTrouble);
/** Those that the plain variant has, too. */
export const PLAIN_TROUBLES = TROUBLE_NAMES.filter((name) => !("scripted" in TROUBLES[name]));

type Row = (typeof TROUBLES)[Trouble];
export type Answer =
  | Row["answer"]
  | (Row extends infer One ? (One extends { scripted: infer A } ? A : never) : never);

/** What has to be reported in the end. */
export const answerFor = (trouble: Trouble | undefined, isScripted: boolean): Answer => {
  const row = trouble === undefined ? undefined : TROUBLES[trouble];
  if (row === undefined) return "done";
  return isScripted && "scripted" in row ? row.scripted : row.answer;
};

/** Percent of all parcels, by trouble. */
export type Shares = Readonly<Partial<Record<Trouble, number>>>;

const SALT = 1000;

/** Which trouble each parcel has: at most one, the same for ever. */
export function assignTroubles(seed: number, shares: Shares): (n: number) => Trouble | undefined {
  let sum = 0;
  const edges = TROUBLE_NAMES.flatMap((trouble) => {
    const percent = shares[trouble] ?? 0;
    if (!(percent >= 0)) throw new RangeError(`trouble ${trouble}: ${percent} is not a share in percent`);
    sum += percent;
    return percent > 0 ? [{ trouble, below: (sum / 100) * 2 ** 32 }] : [];
  });
  if (sum > 100) throw new RangeError(`troubles add up to ${sum} % of the parcels`);
  return (n) => {
    const drawn = draw(seed, n, SALT);
    return edges.find((edge) => drawn < edge.below)?.trouble;
  };
}

/** Reads `all`, `none` or `timeout=2,block=1`: the percentage of parcels that have each trouble. */
export function parseTroubles(text: string, { scripted = false } = {}): Shares {
  if (text === "none") return {};
  if (text === "all") {
    const names = scripted ? TROUBLE_NAMES : PLAIN_TROUBLES;
    return Object.fromEntries(names.map((name) => [name, TROUBLES[name].percent]));
  }
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [name = "", percent = ""] = part.split("=");
      if (!isTrouble(name) || percent === "" || Number.isNaN(Number(percent))) {
        throw new RangeError(
          `trouble "${part}": expected NAME=PERCENT, NAME one of ${TROUBLE_NAMES.join(", ")}`,
        );
      }
      return [name, Number(percent)];
    }),
  );
}
