import type { Evidence } from "../domain/breaker-evidence.ts";
import { FAILURE_KINDS, type FailureKind } from "../domain/failure.ts";
import type { JobView } from "../domain/job.ts";

/** What a person can do about a lane that is held because of failures of this kind. */
const ADVICE: Readonly<Record<FailureKind, string>> = {
  timeout: "The site does not answer in time. See whether it is up; a lower --rate spares it.",
  connection: "The site cannot be reached. Check its address, and that this machine may connect to it.",
  "rate-limited": "The site asks for fewer requests. Go on with a lower --rate, or later.",
  blocked: "The site refuses this machine. Go on later and slower, or from another address.",
  captcha: "The site wants to see a person. Go on later and slower, or from another address.",
  maintenance: "The site is being worked on. Go on later.",
  "server-error": "The site itself fails. See one of the pages in a browser; go on later.",
  "structure-changed":
    "The pages look different now. Correct the scraper's selectors, and go on with the new version.",
  navigation:
    "A link, form or page that the scraper follows is gone. Correct the scraper, and go on with the new version. Where the site answers 404 for what it does not have, see `accept` and `absent()` in docs/scrapers.md.",
  "invalid-input": "The inputs are not what the site knows. Check the file.",
  "forbidden-target":
    "The scraper asks for addresses that it may not use. Correct it, and go on with the new version.",
  "robots-denied": "The site's robots.txt forbids these pages.",
  "too-large":
    "The answers are larger than the scraper's limits allow. Raise `limits`, and go on with the new version.",
  "bad-content": "The answers are not what they say they are. See one of the pages in a browser.",
  "scraper-error":
    "The scraper's own code fails. The log has the error; correct it, and go on with the new version.",
  "worker-lost": "Worker processes die. The log says how.",
  budget: "The budget is used up.",
};

/** What the author of the scraper can mend, after which the job goes on with the new version. */
const OF_AUTHOR: ReadonlySet<FailureKind> = new Set([
  "structure-changed",
  "navigation",
  "forbidden-target",
  "too-large",
  "scraper-error",
]);

/** By what tripped the breaker: failures (those seen most), absents, or a missing field. */
export const holdAdvice = ({ chart, counts = {} }: Partial<Evidence>): string | undefined => {
  if (chart === undefined) return undefined;
  if (chart === "absent")
    return "Look for one of them on the site: its search may be broken, or the inputs wrong.";
  const kind = kindOf({ chart, counts });
  return kind && ADVICE[kind];
};

/** Whether a corrected scraper is what the job waits for, or could mend some of what failed. */
export const needsAuthor = ({ held, paused, failures }: JobView): boolean =>
  paused?.cause === "scraper" ||
  held.some(({ evidence }) => isOfAuthor(kindOf(evidence ?? {}))) ||
  failures.some(({ kind }) => isOfAuthor(kind));

const isOfAuthor = (kind: FailureKind | undefined): boolean => kind !== undefined && OF_AUTHOR.has(kind);

const kindOf = ({ chart, counts = {} }: Partial<Evidence>): FailureKind | undefined => {
  if (chart === undefined || chart === "absent") return undefined;
  if (chart !== "failures") return "structure-changed";
  const [most] = FAILURE_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).toSorted(
    (a, b) => (counts[b] ?? 0) - (counts[a] ?? 0),
  );
  return most;
};
