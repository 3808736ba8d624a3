import CachePolicy from "http-cache-semantics";
import type { Exchange } from "../model/capture.ts";
import { readCacheControl, writeCacheControl } from "./cache-control.ts";
import { parseHttpDate } from "./http-date.ts";

/** How long a response may be reused from the moment it came, by RFC 9111; undefined where it does not say, 0 where it may not. */
export interface CacheWord {
  /** By the client that asked for it. */
  readonly ownMs: number | undefined;
  /** By anybody: the rules of a shared cache. */
  readonly sharedMs: number | undefined;
  /** Whether anybody may have it at all, be it after asking the site again. */
  readonly isShareable: boolean;
}

type Answered = Pick<Exchange, "method" | "url" | "status" | "requestHeaders" | "responseHeaders">;

/** `receivedAt`: on the clock that the answer's `Date` is compared with. */
export const cacheWord = (exchange: Answered, receivedAt: number): CacheWord => {
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
  // Two of them contradict each other, a time that cannot be read is in the past (RFC 9111, 5.3).
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
  // The answer to a search form is not for sharing unless it says so; its own client may have it as any other page.
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

/** In seconds. One that cannot be read, or several, might mean any: the page is taken for old, which is always allowed. */
const ageOf = (values: readonly string[]): number => {
  if (values.length === 0) return 0;
  return values.length === 1 && /^\d+$/.test(values[0]!.trim()) ? Number(values[0]) : Number.MAX_SAFE_INTEGER;
};
