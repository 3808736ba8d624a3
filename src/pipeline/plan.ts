import { canonicalUrl } from "../domain/canonical-url.ts";
import type { RejectedInput } from "../domain/job.ts";
import type { PlannedItem } from "../ports/ledger.ts";
import type { JobScraper } from "../scrapers/load-pinned.ts";
import { type AnyScraper, describeIssues } from "../scrapers/scraper.ts";
import type { Discovery } from "./extract.ts";

/** One input as it was read, with its line. */
export type InputRow =
  | { readonly line: number; readonly value: Record<string, unknown> }
  | { readonly line: number; readonly problem: string };

export type LaneOf = (url: URL) => string;

/**
 * The lane of a request. A scraper's named lane applies to its own site (or, without one, to the site of the input); other hosts have their own.
 */
export const laneFor = (scraper: AnyScraper, input: unknown, laneOf: LaneOf): LaneOf => {
  const { lane, site } = scraper;
  const home = URL.parse(site ?? urlOf(input) ?? "");
  if (lane === undefined || home === null) return laneOf;
  const own = laneOf(home);
  return (url) => {
    const found = laneOf(url);
    return found === own ? lane : found;
  };
};

/** Characters. Everything that lists items reads this row: it must stay small. */
const MOST_KEY = 8000;
const MOST_INPUT = 256 * 1024;

/** Characters of the message for a rejected input: it may list many problems. */
const MOST_PROBLEM = 500;

const shortened = (problem: string): string =>
  problem.length > MOST_PROBLEM ? `${problem.slice(0, MOST_PROBLEM)}…` : problem;

const tooLong = (what: string, length: number, most: number): string =>
  `its ${what} has ${length} characters; the limit is ${most}`;

/**
 * Checks one input against the scraper's schema, and finds its key and lane. Pure. A bad input is reported with its line and stops
 * nothing else.
 */
export const planInput = (
  scraper: AnyScraper,
  row: InputRow,
  laneOf: LaneOf,
): { readonly item: PlannedItem } | { readonly rejected: RejectedInput } => {
  const reject = (problem: string) => ({ rejected: { line: row.line, problem: shortened(problem) } });
  if ("problem" in row) return reject(row.problem);
  try {
    const result = scraper.input["~standard"].validate(row.value);
    if (result instanceof Promise)
      return reject("the scraper's input schema is asynchronous; use a synchronous one");
    if (result.issues) return reject(describeIssues(result.issues));
    const input = result.value;
    const url = urlOf(input);
    if (url !== undefined && hasCredentials(url))
      return reject(
        "its URL contains a user name or password, which would be stored; use the scraper's `headers` instead",
      );
    const target = url ?? scraper.site;
    if (scraper.lane === undefined && target === undefined)
      return reject("has no `url`, and the scraper has neither `site` nor `lane`: the site is unknown");
    const key = scraper.key
      ? scraper.key(input)
      : url === undefined
        ? stableText(input)
        : canonicalUrl(URL.parse(url, scraper.site)?.href ?? url);
    if (typeof key !== "string" || key === "")
      return reject("the scraper's `key` did not return a string for it");
    if (key.length > MOST_KEY) return reject(tooLong("key", key.length, MOST_KEY));
    const text = JSON.stringify(input);
    if (text.length > MOST_INPUT) return reject(tooLong("input as JSON", text.length, MOST_INPUT));
    return {
      item: {
        // Half of a surrogate pair changes in a database, and the item would never be found again.
        key: key.toWellFormed(),
        input: text,
        lane: scraper.lane ?? laneOf(new URL(target!, scraper.site)),
      },
    };
  } catch (error) {
    return reject(error instanceof Error ? error.message : String(error));
  }
};

/** Emitted inputs are checked like given ones, by the scraper that they are for. */
export const planFound = (
  found: readonly Discovery[],
  scrapers: readonly JobScraper[],
  parent: string,
  laneOf: LaneOf,
): { readonly emitted: readonly PlannedItem[]; readonly rejected: readonly RejectedInput[] } => {
  const emitted: PlannedItem[] = [];
  const rejected: RejectedInput[] = [];
  for (const { target, inputs } of found) {
    const { ready, index } = scrapers.find(({ ready: { scraper } }) => scraper.name === target)!;
    for (const [at, { value, problem }] of inputs.entries()) {
      const planned = planInput(ready.scraper, { line: at + 1, value }, laneOf);
      if ("item" in planned) emitted.push({ ...planned.item, ...(index > 0 && { scraper: index }) });
      else {
        const reason = problem ?? planned.rejected.problem;
        rejected.push({ line: at + 1, parent, problem: `${target}: ${reason}` });
      }
    }
  }
  return { emitted, rejected };
};

const urlOf = (input: unknown): string | undefined =>
  typeof input === "object" && input !== null && "url" in input && typeof input.url === "string"
    ? input.url
    : undefined;

const hasCredentials = (url: string): boolean => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed !== undefined && (parsed.username !== "" || parsed.password !== "");
};

/** The same members give the same text, in any order. */
export const stableText = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
