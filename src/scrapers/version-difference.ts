import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Bundle } from "./bundle.ts";
import type { CompiledScraper } from "./compiled-scraper.ts";
import { jobFields, jobScrapers } from "./load-pinned.ts";
import { type AnyScraper, SCRAPER_OPTIONS } from "./scraper.ts";

/** What differs between two versions of a scraper. */
export interface VersionDifference {
  /** Paths, with `+` before those that are new and `-` before those that are gone. */
  readonly files: readonly string[];
  /** The same of fields, with the prefix of their scraper. */
  readonly fields: readonly string[];
  /** Options that decide which pages are fetched and how: stored pages cannot show what a change of them does. */
  readonly unjudged: readonly string[];
}

/** A version with its code. */
export interface VersionCode {
  readonly bundle: Pick<Bundle, "files" | "binary" | "entry">;
  readonly ready: CompiledScraper;
}

export const versionDifference = (before: VersionCode, after: VersionCode): VersionDifference => ({
  files: listChanges(
    { ...before.bundle.files, ...before.bundle.binary },
    { ...after.bundle.files, ...after.bundle.binary },
  ),
  fields: listChanges(fieldsOf(before.ready), fieldsOf(after.ready)),
  unjudged: unjudged(before, after),
});

/** A file that was moved with all others has the same place in its folder: paths are compared as they are. */
const listChanges = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    if (!Object.hasOwn(before, name)) return `+${name}`;
    if (!Object.hasOwn(after, name)) return `-${name}`;
    return before[name] === after[name] ? [] : name;
  });
};

/** Names, with whether a record must have them. */
const fieldsOf = (ready: CompiledScraper): Record<string, string> => {
  const { fields, required } = jobFields(jobScrapers(ready));
  return Object.fromEntries(fields.map((name) => [name, String(required.includes(name))]));
};

/** Those of the options that only name the scraper, or are about what was stored or is read. */
const JUDGED = new Set(["name", "extract", "retention", "archive"]);

const unjudged = (before: VersionCode, after: VersionCode): string[] => {
  // In a scraper without code, functions are ours, and what they do is in its file.
  const isData = [before, after].some(({ bundle }) => bundle.entry.endsWith(".json"));
  if (isData) {
    const [was, is] = [dataOf(before), dataOf(after)];
    return Object.keys({ ...was, ...is }).filter((name) => !isDeepStrictEqual(was[name], is[name]));
  }
  const [was, is] = [scrapersOf(before), scrapersOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [old, now] = [was.get(name), is.get(name)];
    if (!old || !now) return `${now ? "+" : "-"}${name}`;
    const options = Object.keys(SCRAPER_OPTIONS).filter((option) => !JUDGED.has(option));
    const changed = options.filter(
      (option) => textOf(old[option as keyof AnyScraper]) !== textOf(now[option as keyof AnyScraper]),
    );
    return changed.map((option) => (name === after.ready.scraper.name ? option : `${name}.${option}`));
  });
};

const scrapersOf = ({ ready }: VersionCode): ReadonlyMap<string, AnyScraper> =>
  new Map(jobScrapers(ready).map(({ ready: { scraper } }) => [scraper.name, scraper]));

/** A scraper without code, with the recordings that it names. */
const dataOf = ({ bundle: { files, entry } }: VersionCode): Record<string, unknown> => {
  const own = JSON.parse(files[entry] ?? "{}") as Record<string, unknown>;
  const others = Object.entries(files).filter(([path]) => path !== entry);
  return {
    ...Object.fromEntries(Object.entries(own).filter(([option]) => !JUDGED.has(option))),
    ...Object.fromEntries(others),
  };
};

/** The same for code that does the same and is written in another style. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === "object" && value !== null && "_zod" in value) {
    try {
      return JSON.stringify(z.toJSONSchema(value as z.ZodType, { io: "input", unrepresentable: "any" }));
    } catch {
      return "a schema";
    }
  }
  return JSON.stringify(value, (name, member: unknown) => {
    if (typeof member === "function") return withoutStyle(String(member));
    if (member instanceof RegExp) return String(member);
    // Scrapers that are emitted to are compared by themselves.
    return name === "target" || name === "scraper" ? undefined : member;
  });
};

const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[\p{ID_Continue}$]+|\s+|[^]/gu;

/** Without comments, white space, semicolons, commas before a closing bracket, brackets around a single parameter, and with one kind of quotes. */
export const withoutStyle = (code: string): string =>
  (code.match(TOKEN) ?? [])
    .filter((token) => !/^(?:\s+|\/\/.*|\/\*[^]*|;)$/.test(token))
    .map((token) => (/^'[^"\\]*'$/.test(token) ? `"${token.slice(1, -1)}"` : token))
    .join(" ")
    .replaceAll(/ , (?=[)\]}])/g, " ")
    .replaceAll(/\( ([\p{ID_Continue}$]+) \) (?== >)/gu, "$1 ");
