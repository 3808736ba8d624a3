import { FAILURE_KINDS, POLICY_OPTIONS } from "../domain/failure.ts";
import { COLLECTOR_KINDS, PACE_OPTIONS } from "../domain/job-version.ts";
import { type OptionNames, unknownOption } from "../domain/known-options.ts";
import {
  BACKOFF_RANGES,
  isWithin,
  LIMIT_RANGES,
  numberProblem,
  PACE_RANGES,
  POLICY_RANGES,
  RANGES,
  rangeText,
  readDuration,
} from "../domain/number-range.ts";
import { DIRECT, parseTierUse } from "../domain/proxy-ladder.ts";
import type { Retention } from "../domain/removal.ts";
import { BACKOFF_OPTIONS } from "../domain/retry.ts";
import { BROWSER_OPTIONS } from "../ports/collector.ts";
import { EMIT_FIELDS_OPTIONS, EMIT_FUNCTION_OPTIONS } from "./compile-emit.ts";
import {
  type AnyScraper,
  CHECK_OPTIONS,
  DEFAULT_LIMITS,
  type RetentionSetting,
  SCRAPER_OPTIONS,
} from "./scraper.ts";

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const LIMIT_OPTIONS = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, true as const]));
const KINDS = Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, true as const]));
const CHOICES = {
  kind: COLLECTOR_KINDS,
  robots: ["obey", "ignore"],
  archive: ["all", "none"],
  once: [true, false],
  proxySession: ["lane", "item"],
  identity: ["own", "browser"],
} as const;

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
    const problem = againstProblem(scraper as AnyScraper);
    if (problem !== undefined)
      throw new ScraperLoadError("bad-scraper", `${place}: \`checkAgainst\` ${problem}.`);
    const { checkAgainst } = scraper as AnyScraper;
    if (checkAgainst) check(checkAgainst.scraper, `${place}, the scraper of \`checkAgainst\``);
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
  const unknown = misspelled(found);
  if (unknown !== undefined) return refuse(unknown);
  if (!isObject(found["input"]) || !isObject(found["input"]["~standard"]))
    return refuse("`input` must be a schema, for example `z.object({ parcel: z.string() })`.");
  if (typeof found["collect"] !== "function")
    return refuse("`collect` must be a function: `async collect({ input, http, keep }) { … }`.");
  if (found["site"] !== undefined && !isOrigin(found["site"]))
    return refuse("`site` must be an http or https URL, for example https://tax.example.gov.");
  const pace = found["pace"] ?? {};
  if (!isObject(pace)) return refuse("`pace` takes numbers: { perSecond, burst, concurrency }.");
  const badLadder = ladderProblem(found["proxies"] ?? [DIRECT]);
  if (badLadder !== undefined) return refuse(`\`proxies\` ${badLadder}`);
  if (found["identity"] === "browser" && (found["kind"] ?? "http") !== "http")
    return refuse('`identity: "browser"` is for kind http; other kinds use a browser.');
  const limits = found["limits"] ?? {};
  if (!isObject(limits)) return refuse("`limits` takes numbers, for example { itemMs: 60_000, depth: 100 }.");
  const outOfRange = badNumber(found);
  if (outOfRange !== undefined) return refuse(outOfRange);
  const badRetention = retentionProblem(found["retention"]);
  if (badRetention !== undefined) return refuse(badRetention);
  for (const [name, choices] of Object.entries(CHOICES))
    if (found[name] !== undefined && !(choices as readonly unknown[]).includes(found[name]))
      return refuse(`\`${name}\` must be ${choices.map((one) => JSON.stringify(one)).join(" or ")}.`);
};

const MOST_TIERS = 10;

const ladderProblem = (ladder: unknown): string | undefined => {
  const example = 'for example ["direct", "datacenter", "residential:us-tx"].';
  if (!Array.isArray(ladder) || ladder.length === 0 || ladder.length > MOST_TIERS)
    return `must be a list of 1 to ${MOST_TIERS} tiers from cheap to expensive, ${example}`;
  const bad: unknown = ladder.find((tier) => typeof tier !== "string" || !parseTierUse(tier));
  if (bad !== undefined)
    return `has ${JSON.stringify(bad)}, which is not a tier. Name tiers of the configuration, ${example}`;
  return new Set(ladder).size === ladder.length ? undefined : "names a tier twice.";
};

/** What is wrong with a scraper's `checkAgainst`. */
const againstProblem = ({ checkAgainst, emit, once }: AnyScraper): string | undefined => {
  if (checkAgainst === undefined) return undefined;
  const unknown = unknownOption(checkAgainst, CHECK_OPTIONS, "`checkAgainst`");
  if (unknown !== undefined) return unknown;
  const { scraper, oneIn } = checkAgainst;
  if (!isObject(scraper) || (scraper["kind"] ?? "http") === "http" || "checkAgainst" in scraper)
    return "needs a `scraper` that uses a browser";
  if (emit !== undefined || scraper["emit"] !== undefined) return "is not for scrapers that emit inputs";
  if (once === true) return "is not for scrapers that act on the site: they would act twice";
  return oneIn === undefined || isWithin(RANGES.checkedOneIn, oneIn)
    ? undefined
    : `takes ${rangeText(RANGES.checkedOneIn)} as \`oneIn\``;
};

/** The first option that does not exist. Those of fields and requests are refused by the functions that they are given to. */
const misspelled = (found: Readonly<Record<string, unknown>>): string | undefined => {
  const { pace, limits, failures, browser } = found;
  const rows = Object.entries(isObject(failures) ? failures : {});
  return (
    unknownOption({ ...found }, SCRAPER_OPTIONS, "a scraper") ??
    unknownOption(pace, PACE_OPTIONS, "`pace`") ??
    unknownOption(limits, LIMIT_OPTIONS, "`limits`") ??
    unknownOption(browser, BROWSER_OPTIONS, "`browser`") ??
    unknownOption(failures, KINDS, "`failures`") ??
    rows
      .map(
        ([kind, row]) =>
          unknownOption(row, POLICY_OPTIONS, `\`failures["${kind}"]\``) ??
          unknownOption(
            isObject(row) ? row["backoff"] : undefined,
            BACKOFF_OPTIONS,
            `\`failures["${kind}"].backoff\``,
          ),
      )
      .find((problem) => problem !== undefined)
  );
};

/** The first number that is out of its range. A lane may have no rate at all, but not one that never allows a request. */
const badNumber = ({ pace, limits, failures }: Readonly<Record<string, unknown>>): string | undefined => {
  const rows = Object.entries(isObject(failures) ? failures : {});
  const paced = isObject(pace) && pace["perSecond"] === Infinity ? { ...pace, perSecond: undefined } : pace;
  return (
    numberProblem(paced, PACE_RANGES, "pace") ??
    numberProblem(limits, LIMIT_RANGES, "limits") ??
    rows
      .map(
        ([kind, row]) =>
          numberProblem(row, POLICY_RANGES, `failures["${kind}"]`) ??
          numberProblem(
            isObject(row) ? row["backoff"] : undefined,
            BACKOFF_RANGES,
            `failures["${kind}"].backoff`,
          ),
      )
      .find((problem) => problem !== undefined)
  );
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  (typeof value === "object" || typeof value === "function") && value !== null;

const isOrigin = (value: unknown): boolean =>
  typeof value === "string" && /^https?:/.test(value) && URL.canParse(value);

const RETENTION_OPTIONS: OptionNames<RetentionSetting> = { pages: true, records: true };
const WANTED = 'takes durations, for example { pages: "90d", records: "2y" }';

/** What is wrong with a scraper's `retention`; undefined if nothing is. */
export const retentionProblem = (setting: unknown): string | undefined => {
  if (setting === undefined) return undefined;
  if (typeof setting !== "object" || setting === null || Array.isArray(setting))
    return `\`retention\` ${WANTED}.`;
  const unknown = unknownOption(setting, RETENTION_OPTIONS, "`retention`");
  if (unknown !== undefined) return unknown;
  for (const [word, value] of Object.entries(setting)) {
    const ms = typeof value === "string" ? readDuration(value) : undefined;
    if (ms === undefined)
      return `\`retention.${word}\` is not a duration: \`retention\` ${WANTED}. Units are s, m, h, d, w and y.`;
    if (!isWithin(RANGES.retentionMs, ms))
      return `\`retention.${word}\` is ${value}: expected a duration from 1s to 100y.`;
  }
  const { pagesMs = 0, recordsMs = Infinity } = retentionOf(setting) ?? {};
  return pagesMs > recordsMs
    ? "`retention.pages` is longer than `retention.records`: pages are removed together with the records."
    : undefined;
};

/** In milliseconds. Call with a setting that has passed the check. */
export const retentionOf = ({ pages, records }: RetentionSetting): Retention | undefined => {
  const pagesMs = pages === undefined ? undefined : readDuration(pages);
  const recordsMs = records === undefined ? undefined : readDuration(records);
  if (pagesMs === undefined && recordsMs === undefined) return undefined;
  return { ...(pagesMs !== undefined && { pagesMs }), ...(recordsMs !== undefined && { recordsMs }) };
};

export type ScraperLoadErrorCode = "unknown-scraper" | "broken-scraper" | "bad-scraper" | "changed-scraper";

/** A scraper that cannot be run: the message names the file, the reason and the way out. */
export class ScraperLoadError extends Error {
  readonly code: ScraperLoadErrorCode;
  constructor(code: ScraperLoadErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ScraperLoadError";
    this.code = code;
  }
}

/** The gate for a scraper's `emit`; `checkTarget` is the gate for the scrapers that it names. */
export const checkEmit = (
  emit: unknown,
  file: string,
  checkTarget: (target: unknown, where: string) => void,
): void => {
  if (emit === undefined) return;
  const refuse = (problem: string): never => {
    throw new ScraperLoadError("bad-scraper", `${file}: ${problem}`);
  };
  if (!Array.isArray(emit)) return refuse("`emit` must be a list: `emit: [emitTo(detail, { … })]`.");
  for (const [index, one] of (emit as readonly unknown[]).entries()) {
    const where = `emit[${index}]`;
    if (!isObject(one) || !("target" in one) || !("spec" in one) || !isObject(one.spec))
      return refuse(`\`${where}\` must be made with emitTo: \`emitTo(detail, { input: { … } })\`.`);
    if (one["target"] === undefined)
      return refuse(
        `\`${where}\` has no target. Two files that import each other cannot emit to each other: put one of the scrapers in its own file.`,
      );
    if (one["target"] !== "self") checkTarget(one["target"], where);
    const { spec } = one;
    if ("input" in spec === "inputs" in spec)
      return refuse(
        `\`${where}\` needs either \`input\`, fields to look for on the page, or \`inputs\`, a function that returns them.`,
      );
    const known = "inputs" in spec ? EMIT_FUNCTION_OPTIONS : EMIT_FIELDS_OPTIONS;
    const unknown = unknownOption(spec, known, `\`${where}\``);
    if (unknown !== undefined) return refuse(unknown);
    const problem = problemOf(spec);
    if (problem !== undefined) return refuse(`\`${where}\` ${problem}.`);
  }
};

const problemOf = (spec: Readonly<Record<string, unknown>>): string | undefined => {
  const { from, each, input, inputs, with: added, min } = spec;
  if (inputs !== undefined && typeof inputs !== "function") return "needs a function for `inputs`";
  if (input !== undefined && (!isObject(input) || Object.keys(input).length === 0))
    return "needs fields in `input`, for example { url: field.url('a') }";
  if (from !== undefined && typeof from !== "string" && !isTexts(from))
    return "needs the name of a kept page, or a list of them, for `from`";
  if (each !== undefined && typeof each !== "string" && !(isObject(each) && "how" in each))
    return 'needs a CSS selector for `each`, or a place in JSON such as by.path("items[]")';
  if (added !== undefined && typeof added !== "function" && !isTexts(added))
    return "needs a list of names for `with`, or a function of the input that returns an object";
  if (min !== undefined && !(Number.isSafeInteger(min) && Number(min) >= 0))
    return "needs a whole number from 0 for `min`";
  return undefined;
};

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
