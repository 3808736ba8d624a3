/** Directives by their lower-case name; `true` where one has no value. */
export type CacheControl = ReadonlyMap<string, string | true>;

const DIRECTIVE = /\s*([^\s=,;"]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^,]*))?\s*(?:,|$)/gy;
/** RFC 9111, 1.2.2: as long as anybody needs. */
const LONGEST_SECONDS = 2 ** 31;

/**
 * Reads Cache-Control more carefully than the library that does the arithmetic: names in any case, values in quotes with commas inside,
 * directives said twice. Of those that contradict each other the most cautious holds (RFC 9111, 4.2.1).
 */
export const readCacheControl = (values: readonly string[]): CacheControl => {
  const directives = new Map<string, string | true>();
  for (const [, name = "", raw] of values.join(", ").matchAll(DIRECTIVE)) {
    const key = name.toLowerCase();
    const value = raw === undefined ? true : unquoted(raw.trim());
    if (!AGES.has(key)) directives.set(key, value);
    else directives.set(key, String(Math.min(secondsOf(value), secondsOf(directives.get(key) ?? Infinity))));
  }
  return directives;
};

const AGES = new Set(["max-age", "s-maxage"]);

/** What is no number of seconds is no freshness at all. */
const secondsOf = (value: string | number | true): number => {
  if (typeof value === "number") return value;
  return value !== true && /^\d+$/.test(value) ? Math.min(Number(value), LONGEST_SECONDS) : 0;
};

const unquoted = (value: string): string =>
  value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;

/** As the library reads it: one value each, nothing in quotes. */
export const writeCacheControl = (directives: CacheControl): string =>
  [...directives]
    .map(([name, value]) => (value === true ? name : `${name}=${value.replaceAll(/[,"=]/g, " ")}`))
    .join(", ");
