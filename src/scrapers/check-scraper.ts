import { checkEmit } from "./check-emit.ts";
import { retentionProblem } from "./check-retention.ts";
import type { AnyScraper } from "./scraper.ts";
import { ScraperLoadError } from "./scraper-load-error.ts";

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const PACE_WORDS = ["perSecond", "burst", "concurrency"];

/** The gate for scraper files: what passes here is trusted inside. The scrapers that it emits to pass it too. */
export const checkScraper = (found: unknown, file: string): AnyScraper => {
  const seen = new Set<unknown>();
  const check = (scraper: unknown, place: string): void => {
    if (seen.has(scraper)) return;
    seen.add(scraper);
    checkOne(scraper, place);
    checkEmit((scraper as AnyScraper).emit, place, (target, where) =>
      check(target, `${place}, the target of ${where}`),
    );
  };
  check(found, file);
  return found as AnyScraper;
};

const checkOne = (found: unknown, file: string): void => {
  const refuse = (problem: string): never => {
    throw new ScraperLoadError("bad-scraper", `${file}: ${problem}`);
  };
  if (!isObject(found)) return refuse("has no default export. Write `export default defineScraper({ … })`.");
  if (typeof found["name"] !== "string" || !NAME.test(found["name"]))
    return refuse("`name` must be 1 to 64 of a-z, 0-9, dot, dash and underscore.");
  if (!isObject(found["input"]) || !isObject(found["input"]["~standard"]))
    return refuse("`input` must be a schema, for example `z.object({ parcel: z.string() })`.");
  if (typeof found["collect"] !== "function")
    return refuse("`collect` must be a function: `async collect({ input, http, keep }) { … }`.");
  if (found["site"] !== undefined && !isOrigin(found["site"]))
    return refuse("`site` must be an http or https URL, for example https://tax.example.gov.");
  const pace = found["pace"] ?? {};
  if (!isObject(pace) || !Object.values(pace).every((n) => typeof n === "number" && n > 0))
    return refuse("`pace` takes positive numbers: { perSecond, burst, concurrency }.");
  const unknown = Object.keys(pace).find((word) => !PACE_WORDS.includes(word));
  if (unknown !== undefined)
    return refuse(`\`pace\` has no \`${unknown}\`: it takes { perSecond, burst, concurrency }.`);
  const proxies = found["proxies"] ?? ["direct"];
  if (!Array.isArray(proxies) || !proxies.includes("direct"))
    return refuse('`proxies` must include "direct": no other proxy tier is there yet.');
  const limits = found["limits"] ?? {};
  if (!isObject(limits) || !Object.values(limits).every((n) => typeof n === "number" && n >= 0))
    return refuse("`limits` takes numbers from 0, for example { itemMs: 60_000, depth: 100 }.");
  const badRetention = retentionProblem(found["retention"]);
  if (badRetention !== undefined) return refuse(badRetention);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  (typeof value === "object" || typeof value === "function") && value !== null;

const isOrigin = (value: unknown): boolean =>
  typeof value === "string" && /^https?:/.test(value) && URL.canParse(value);
