import type { FailureKind } from "./failure.ts";
import type { Freshness, JobSpec } from "./job.ts";

/** For a response that says nothing about its own age. */
export const DEFAULT_FRESH_MS = 3_600_000;

/** Whose reading of the pages an item's records are. Pages that were only collected answer nobody who wants records of them. */
export const readingOf = (
  { scrapers, extracts }: Pick<JobSpec, "scrapers" | "extracts">,
  index: number,
): { readonly scraper: string; readonly version: string } => {
  const { name, version } = scrapers[index]!;
  return { scraper: name, version: extracts ? version : `${version} collected` };
};

export type AnswerKind = "done" | "absent" | FailureKind;

/** An answer that was had before, as far as its age matters. */
export interface KnownAnswer {
  readonly outcome: AnswerKind;
  readonly fetchedAt: number;
  /** By its own headers, or by the table of failures. */
  readonly freshUntil: number;
  /** It was another client's: then the response alone says how long it holds. */
  readonly isShared: boolean;
}

const isFailed = (outcome: AnswerKind): outcome is FailureKind => outcome !== "done" && outcome !== "absent";

/** Until when a job with such a wish is answered from it. A window of its own only shortens what is shared or failed. */
export const answersUntil = (known: KnownAnswer, { maxAgeMs }: Freshness): number => {
  if (maxAgeMs === undefined) return known.freshUntil;
  const wished = known.fetchedAt + maxAgeMs;
  return known.isShared || isFailed(known.outcome) ? Math.min(wished, known.freshUntil) : wished;
};

/** The one to answer from, if any: what was good before what failed, one's own before what is shared, then the newest. */
export const freshAnswer = <Known extends KnownAnswer>(
  known: readonly Known[],
  wish: Freshness,
  now: number,
): Known | undefined =>
  known
    .filter((one) => now < answersUntil(one, wish))
    .sort(
      (a, b) =>
        Number(isFailed(a.outcome)) - Number(isFailed(b.outcome)) ||
        Number(a.isShared) - Number(b.isShared) ||
        b.fetchedAt - a.fetchedAt,
    )[0];

const DAY_MS = 86_400_000;
/** A yearly job still learns what is new, changed and gone since the last one. */
const OWN_USE_MS = 400 * DAY_MS;
/** Another client's monthly job can still ask the site whether it holds; to compare with, each client has its own. */
const SHARED_USE_MS = 40 * DAY_MS;

/** Until when it is worth keeping. After its window an answer is still compared with, and validated; a failure is not. */
export const usefulUntil = ({ outcome, fetchedAt, freshUntil, isShared }: KnownAnswer): number =>
  isFailed(outcome) ? freshUntil : Math.max(fetchedAt, freshUntil) + (isShared ? SHARED_USE_MS : OWN_USE_MS);

/** What became of an item since the last time: `gone` was there and is not, by the site's own word. */
export const CHANGES = ["new", "changed", "unchanged", "gone"] as const;
export type Change = (typeof CHANGES)[number];
export type ChangeCounts = Readonly<Record<Change, number>>;

interface Seen {
  readonly outcome: AnswerKind;
  readonly digest?: string | undefined;
}

/** Undefined where nothing can be said: it failed (a block is not a disappearance), or is absent as it was. */
export const changeOf = (before: Seen | undefined, now: Seen): Change | undefined => {
  if (isFailed(now.outcome)) return undefined;
  if (now.outcome === "absent") return before?.outcome === "done" ? "gone" : undefined;
  if (before?.outcome !== "done") return "new";
  return before.digest !== undefined && before.digest === now.digest ? "unchanged" : "changed";
};
