import type { FailureKind } from "./failure.ts";
import type { Freshness, JobSpec } from "./job.ts";

/** For a response that says nothing about its own age. */
export const DEFAULT_FRESH_MS = 3_600_000;

/** The scraper and version that read an item's pages. Pages that were only collected cannot be used for items that need records. */
export const readingOf = (
  { scrapers, extracts }: Pick<JobSpec, "scrapers" | "extracts">,
  index: number,
): { readonly scraper: string; readonly version: string } => {
  const { name, version } = scrapers[index]!;
  return { scraper: name, version: extracts ? version : `${version} collected` };
};

export type AnswerKind = "done" | "absent" | FailureKind;

/** An earlier answer, as far as its age matters. */
export interface KnownAnswer {
  readonly outcome: AnswerKind;
  readonly fetchedAt: number;
  /** By its own headers, or by the table of failures. */
  readonly freshUntil: number;
  /** It belongs to another client: then only the response's headers decide how long it is fresh. */
  readonly isShared: boolean;
}

const isFailed = (outcome: AnswerKind): outcome is FailureKind => outcome !== "done" && outcome !== "absent";

/** How long it answers a job with this freshness option. The job's own window can only shorten shared answers and failures. */
export const answersUntil = (known: KnownAnswer, { maxAgeMs }: Freshness): number => {
  if (maxAgeMs === undefined) return known.freshUntil;
  const wished = known.fetchedAt + maxAgeMs;
  return known.isShared || isFailed(known.outcome) ? Math.min(wished, known.freshUntil) : wished;
};

/** The answer to use, if any: good before failed, own before shared, then the newest. */
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

/** How an item changed since the last time. `gone`: it existed, and the site says that it no longer does. */
export const CHANGES = ["new", "changed", "unchanged", "gone"] as const;
export type Change = (typeof CHANGES)[number];
export type ChangeCounts = Readonly<Record<Change, number>>;

interface Seen {
  readonly outcome: AnswerKind;
  readonly digest?: string | undefined;
}

/** Undefined if it is unknown: the item failed (a block does not mean gone), or is still absent. */
export const changeOf = (before: Seen | undefined, now: Seen): Change | undefined => {
  if (isFailed(now.outcome)) return undefined;
  if (now.outcome === "absent") return before?.outcome === "done" ? "gone" : undefined;
  if (before?.outcome !== "done") return "new";
  return before.digest !== undefined && before.digest === now.digest ? "unchanged" : "changed";
};
