import type { Evidence } from "../model/breaker-evidence.ts";
import { FAILURE_KINDS, type FailureKind } from "../model/failure.ts";

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
    "The pages look different now. Compare one with the scraper's selectors, and start a new job.",
  navigation:
    "A link, form or page that the scraper follows is gone. Compare a page with the scraper. Where the site answers 404 for what it does not have, see `accept` and `absent()` in docs/scrapers.md.",
  "invalid-input": "The inputs are not what the site knows. Check the file.",
  "forbidden-target": "The scraper asks for addresses that it may not use. Correct it, and start a new job.",
  "robots-denied": "The site's robots.txt forbids these pages.",
  "too-large": "The answers are larger than the scraper's limits allow. Raise `limits`, and start a new job.",
  "bad-content": "The answers are not what they say they are. See one of the pages in a browser.",
  "scraper-error": "The scraper's own code fails. The log has the error; correct it, and start a new job.",
  "worker-lost": "Worker processes die. The log says how.",
  budget: "The budget is used up.",
};

/** By what tripped the breaker: failures (those seen most), absents, or a missing field. */
export const holdAdvice = ({ chart, counts = {} }: Partial<Evidence>): string | undefined => {
  if (chart === undefined) return undefined;
  if (chart === "absent")
    return "Look for one of them on the site: its search may be broken, or the inputs wrong.";
  if (chart !== "failures") return ADVICE["structure-changed"];
  const [most] = FAILURE_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).toSorted(
    (a, b) => (counts[b] ?? 0) - (counts[a] ?? 0),
  );
  return most && ADVICE[most];
};
