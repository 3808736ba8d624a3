import CachePolicy from "http-cache-semantics";
import type { Exchange } from "../domain/capture.ts";

/** How long a response may be reused after it was received, by RFC 9111; undefined if unspecified, 0 if it must not be. */
export interface CacheLifetime {
  /** By the client that requested it. */
  readonly ownMs: number | undefined;
  /** By any client: the rules of a shared cache. */
  readonly sharedMs: number | undefined;
  /** Whether other clients may get it at all, if only after revalidation. */
  readonly isShareable: boolean;
}

type Answered = Pick<Exchange, "method" | "url" | "status" | "requestHeaders" | "responseHeaders">;

/** `receivedAt` is compared with the response's `Date`. */
export const cacheLifetime = (exchange: Answered, receivedAt: number): CacheLifetime => {
  const own = reuse(exchange, receivedAt, false);
  const shared = reuse(exchange, receivedAt, true);
  return { ownMs: own.ms, sharedMs: shared.ms, isShareable: shared.isKept };
};

interface Reuse {
  readonly isKept: boolean;
  readonly ms: number | undefined;
}

const NEVER: Reuse = { isKept: false, ms: 0 };

const reuse = (exchange: Answered, receivedAt: number, shared: boolean): Reuse => {
  const values = valuesOf(exchange.responseHeaders);
  const directives = readCacheControl(values.get("cache-control") ?? []);
  const headers: Record<string, string> = {};
  for (const [name, all] of values) headers[name] = all.join(", ");
  if (directives.size > 0) headers["cache-control"] = writeCacheControl(directives);
  // Several values contradict each other; an invalid time is in the past (RFC 9111, 5.3).
  const expires = values.get("expires");
  const expiresAt = expires?.length === 1 ? parseHttpDate(expires[0]!, receivedAt) : undefined;
  if (expires) headers["expires"] = expiresAt === undefined ? "0" : new Date(expiresAt).toUTCString();
  const date = parseHttpDate(headers["date"] ?? "", receivedAt) ?? receivedAt;
  headers["date"] = new Date(date).toUTCString();
  const age = ageOf(values.get("age") ?? []);
  headers["age"] = String(age);
  const sent = exchange.requestHeaders.map(([name, value]) => [name.toLowerCase(), value]);
  const { method, url, status } = exchange;
  const policy = new CachePolicy(
    { method, url, headers: Object.fromEntries(sent) as Record<string, string> },
    { status, headers },
    { shared, cacheHeuristic: 0, immutableMinTimeToLive: 0 },
  );
  const varies = (headers["vary"] ?? "").split(",").some((name) => name.trim() === "*");
  // The response to a search form is not shared unless it allows it; for its own client it is like any other page.
  const isKept = policy.storable() || (!shared && method !== "GET");
  const setsCookie = shared && headers["set-cookie"] !== undefined;
  if (directives.has("no-store") || varies || setsCookie || !isKept) return NEVER;
  const isSaid =
    expires !== undefined ||
    directives.has("max-age") ||
    directives.has("no-cache") ||
    (shared && (directives.has("s-maxage") || directives.has("proxy-revalidate"))) ||
    (values.get("pragma") ?? []).some((value) => /no-cache/i.test(value));
  if (!isSaid) return { isKept, ms: undefined };
  const apparentAge = Math.max(0, (receivedAt - date) / 1000);
  return { isKept, ms: Math.max(0, policy.maxAge() - Math.max(age, apparentAge)) * 1000 };
};

const valuesOf = (headers: Exchange["responseHeaders"]): Map<string, string[]> => {
  const byName = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const known = byName.get(key);
    if (known) known.push(value);
    else byName.set(key, [value]);
  }
  return byName;
};

/** In seconds. An invalid or repeated value is ambiguous: the page counts as old, which is always allowed. */
const ageOf = (values: readonly string[]): number => {
  if (values.length === 0) return 0;
  return values.length === 1 && /^\d+$/.test(values[0]!.trim()) ? Number(values[0]) : Number.MAX_SAFE_INTEGER;
};

/** Directives by lower-case name; `true` for one without a value. */
type CacheControl = ReadonlyMap<string, string | true>;

const DIRECTIVE = /\s*([^\s=,;"]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^,]*))?\s*(?:,|$)/gy;
/** The limit of RFC 9111, 1.2.2. */
const LONGEST_SECONDS = 2 ** 31;

/**
 * Reads Cache-Control more carefully than the library does: names in any case, quoted values with commas, repeated directives. Among
 * contradictory ones the most cautious wins (RFC 9111, 4.2.1).
 */
const readCacheControl = (values: readonly string[]): CacheControl => {
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

/** Anything but a number of seconds means no freshness. */
const secondsOf = (value: string | number | true): number => {
  if (typeof value === "number") return value;
  return value !== true && /^\d+$/.test(value) ? Math.min(Number(value), LONGEST_SECONDS) : 0;
};

const unquoted = (value: string): string =>
  value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;

/** In the form that the library reads: one value each, without quotes. */
const writeCacheControl = (directives: CacheControl): string =>
  [...directives]
    .map(([name, value]) => (value === true ? name : `${name}=${value.replaceAll(/[,"=]/g, " ")}`))
    .join(", ");

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const TIME = String.raw`(?<time>\d{2}:\d{2}:\d{2})`;
/** The three forms that every recipient must read (RFC 9110, 5.6.7): the one in use, RFC 850, and asctime. */
const FORMS = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]+, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];

/** In milliseconds since 1970; undefined if it is not an HTTP date. `now` gives the century of a two-digit year. */
export const parseHttpDate = (text: string, now: number): number | undefined => {
  const found = FORMS.map((form) => form.exec(text.trim())?.groups).find(Boolean);
  const month = MONTHS.indexOf(found?.["month"] ?? "");
  if (!found || month < 0) return undefined;
  const [hour, minute, second] = found["time"]!.split(":").map(Number);
  const day = Number(found["day"]);
  if (hour! > 23 || minute! > 59 || second! > 60 || day < 1) return undefined;
  const at = Date.UTC(fullYear(found["year"]!, now), month, day, hour, minute, second);
  // Rejects the 31st of a month of 30 days.
  return new Date(at).getUTCDate() === day || second === 60 ? at : undefined;
};

/** A two-digit year more than 50 years ahead belongs to the previous century. */
const fullYear = (digits: string, now: number): number => {
  if (digits.length === 4) return Number(digits);
  const current = new Date(now).getUTCFullYear();
  const year = current - (current % 100) + Number(digits);
  return year > current + 50 ? year - 100 : year;
};
