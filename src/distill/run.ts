import { storedPage } from "../collectors/http/page.ts";
import type { Exchange, KeptPage } from "../domain/capture.ts";
import type { RecordFields } from "../domain/same-records.ts";

export type Pairs = readonly (readonly [string, string])[];

/** How a page sent the request: by navigation, or by a call of its script. */
export type CallType = "document" | "xhr" | "fetch";

/** An exchange as the browser saw it, secrets included: it is kept in memory only. */
export interface SeenExchange {
  readonly type: CallType;
  readonly exchange: Exchange;
}

/** A request and the answer that it led to, after redirects. */
export interface Call {
  readonly type: CallType;
  readonly method: string;
  readonly url: URL;
  readonly startedAt: number;
  /** Names in lower case. */
  readonly requestHeaders: Pairs;
  readonly requestBody: Uint8Array | undefined;
  /** Where the answer came from in the end. */
  readonly finalUrl: string;
  readonly status: number;
  /** Of the last answer; cookies of all. Names in lower case. */
  readonly responseHeaders: Pairs;
  readonly mediaType: string;
  /** Decompressed and decoded by its charset. */
  readonly text: string;
}

/** One input, what the browser's scraper made of it, and the calls that its pages sent, in their order. */
export interface Run {
  readonly input: Readonly<Record<string, unknown>>;
  /** Undefined: the input is absent. */
  readonly records: readonly RecordFields[] | undefined;
  readonly calls: readonly Call[];
}

/** Redirects are followed by every client: a request and its redirects are one call. */
export const callsOf = (seen: readonly SeenExchange[]): Call[] => {
  const calls: Call[] = [];
  const answered = new Set<SeenExchange>();
  const nextHop = (from: Exchange): SeenExchange | undefined => {
    const target = redirectOf(from);
    return seen.find(
      (one) => !answered.has(one) && one.exchange.url === target && one.exchange.startedAt >= from.startedAt,
    );
  };
  for (const first of seen) {
    if (answered.has(first)) continue;
    const hops = [first];
    for (let hop: SeenExchange | undefined = first; hop !== undefined; hop = nextHop(hop.exchange)) {
      answered.add(hop);
      if (hop !== first) hops.push(hop);
    }
    const call = callOf(hops);
    if (call !== undefined) calls.push(call);
  }
  return calls;
};

const lowerCased = (pairs: Pairs): Pairs => pairs.map(([name, value]) => [name.toLowerCase(), value]);

export const headerOf = (pairs: Pairs, name: string): string | undefined =>
  pairs.find(([key]) => key === name)?.[1];

const redirectOf = ({ status, url, responseHeaders }: Exchange): string | undefined => {
  const location =
    status >= 300 && status < 400 ? headerOf(lowerCased(responseHeaders), "location") : undefined;
  const target = location === undefined ? null : URL.parse(location, url);
  if (target === null) return undefined;
  target.hash = "";
  return target.href;
};

const callOf = (hops: readonly SeenExchange[]): Call | undefined => {
  const [{ exchange: first, type }, last] = [hops[0]!, hops.at(-1)!.exchange];
  const page = decoded(last);
  if (page === undefined) return undefined;
  const isCookie = ([name]: readonly [string, string]): boolean => name === "set-cookie";
  const cookies = hops.flatMap(({ exchange }) => lowerCased(exchange.responseHeaders).filter(isCookie));
  const others = lowerCased(last.responseHeaders).filter((pair) => !isCookie(pair));
  return {
    type,
    method: first.method,
    url: new URL(first.url),
    startedAt: first.startedAt,
    requestHeaders: lowerCased(first.requestHeaders),
    requestBody: first.requestBody,
    finalUrl: last.url,
    status: last.status,
    responseHeaders: [...others, ...cookies],
    mediaType: page.mediaType,
    text: page.text,
  };
};

/** Undefined for a body that no reader could use. */
const decoded = ({ url, status, responseHeaders: headers, body }: Exchange): KeptPage | undefined => {
  try {
    return storedPage("", { url, status, headers, body });
  } catch {
    return undefined;
  }
};
