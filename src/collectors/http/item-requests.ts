import { createRequire } from "node:module";
import type { CookieJar } from "tough-cookie";
import type { Exchange } from "../../domain/capture.ts";
import { FailureError } from "../../domain/failure.ts";
import type { Departure, SessionOptions } from "../../ports/collector.ts";
import { refuseOwnLookupTrouble } from "./connection-failure.ts";
import type { ItemRequest } from "./follow-redirects.ts";
import { isSecretName, redactHeaders, takeCredentials, withoutUserinfo } from "./secrets.ts";
import { forbidden } from "./target-guard.ts";
import type { Transport } from "./transport.ts";
import {
  type Headers,
  TooLateError,
  type WireCaps,
  type WireMeter,
  type ResponseHead,
  type WireRequest,
  type WireStream,
} from "./wire.ts";

interface ItemRequestsOptions extends Omit<SessionOptions, "validators"> {
  readonly transport: Transport;
  /** Lower-case names. Authorization and cookies are sent to the site's own origin only. */
  readonly headers: Readonly<Record<string, string>>;
}

export type ExchangeHead = Omit<Exchange, "body">;

/** A response read to its end, and archived. */
export interface Received {
  /** The `Cookie` header that was sent, or "". */
  readonly cookie: string;
  readonly head: ResponseHead;
  readonly body: Buffer;
  /** The object given to the archive. */
  readonly exchange: Exchange;
}

/** A response whose body is neither read nor archived yet. */
export interface Opened {
  readonly cookie: string;
  readonly head: ResponseHead;
  readonly stream: WireStream;
  readonly exchangeHead: ExchangeHead;
}

/** The requests of one item: each passes the gate, counts as a hop, carries the item's cookies and is archived. */
export class ItemRequests {
  readonly meter: Required<WireMeter> = { bytes: 0, proxyBytes: 0 };
  /** Requests, those that wait for the gate included. */
  count = 0;
  #waiting = 0;
  hasSecrets = false;
  readonly #options: ItemRequestsOptions;
  readonly #site: URL;
  /** The origin that is exempt from the target guard. */
  readonly #trusted: string | undefined;
  readonly #cookies = new ItemCookies();
  /** `Authorization` by origin, from credentials in URLs. */
  readonly #credentials = new Map<string, string>();
  readonly #hasPrivateHeaders: boolean;
  /** Extended while the item waits for the gate or the archive: only the site's time counts. */
  #deadline: number;

  constructor(options: ItemRequestsOptions) {
    this.#options = options;
    this.#site = new URL(options.site);
    this.#trusted = options.publicOnly?.butSite && new URL(options.publicOnly.butSite).origin;
    takeCredentials(this.#site, this.#credentials);
    this.#hasPrivateHeaders = Object.keys(options.headers).some(isSecretName);
    this.#deadline = performance.now() + options.limits.itemMs;
  }

  /** Requests that passed the gate. */
  get passed(): number {
    return this.count - this.#waiting;
  }

  /** An absolute URL without credentials, which are remembered for its origin, as in browsers. */
  resolve(url: string | URL): URL {
    const target = URL.parse(String(url), this.#site.href);
    if (!target) {
      throw new FailureError({
        kind: "navigation",
        detail: `not a URL: ${withoutUserinfo(String(url)).slice(0, 200)}`,
      });
    }
    takeCredentials(target, this.#credentials);
    return target;
  }

  /** The item's cookies for a URL, as a header. */
  cookiesFor(url: URL): string {
    return this.#cookies.headerFor(url) ?? "";
  }

  /** One request and its whole response, archived. A response that hits a cap is not archived: a part could be taken for the whole. */
  async receive(request: ItemRequest): Promise<Received> {
    const { limits, transport } = this.#options;
    const { wire, startedAt, answer } = await this.#send(request, limits.bodyBytes, (...of) =>
      transport.send(...of),
    );
    const { head, body } = answer;
    this.hasSecrets = this.#cookies.takeFrom(head, request.url) || this.hasSecrets;
    const exchange = await this.archive(exchangeHeadOf(wire, head, startedAt), body);
    return { cookie: cookieOf(wire), head, body, exchange };
  }

  /** One request, up to the head of its response. */
  async open(request: ItemRequest, bodyBytes: number): Promise<Opened> {
    const { transport } = this.#options;
    const sent = await this.#send(request, bodyBytes, (...of) => transport.open(...of));
    const { wire, startedAt, answer: stream } = sent;
    const { head } = stream;
    this.hasSecrets = this.#cookies.takeFrom(head, request.url) || this.hasSecrets;
    return { cookie: cookieOf(wire), head, stream, exchangeHead: exchangeHeadOf(wire, head, startedAt) };
  }

  async archive(head: ExchangeHead, body: Buffer): Promise<Exchange> {
    const exchange: Exchange = { ...head, body };
    await this.untimed(this.#options.tools.archive(exchange));
    return exchange;
  }

  /** Waits for something that does not count as the site's time. */
  async untimed<Result>(wait: Promise<Result>): Promise<Result> {
    const from = performance.now();
    try {
      return await wait;
    } finally {
      this.#deadline += performance.now() - from;
    }
  }

  /** Passes the gate and sends in time. A slot that has passed by the time a connection exists is renewed. */
  async #send<Answer>(
    request: ItemRequest,
    bodyBytes: number,
    send: (wire: WireRequest, caps: WireCaps) => Promise<Answer>,
  ): Promise<{ readonly wire: WireRequest; readonly startedAt: number; readonly answer: Answer }> {
    const departure = await this.#pass(request);
    const wire = this.#wireOf(request);
    for (;;) {
      const startedAt = Date.now();
      try {
        const caps = this.#caps(bodyBytes, request.url);
        const leave = departure
          ? (address: string | undefined) => this.#uncounted(() => departure.leave(address))
          : undefined;
        return { wire, startedAt, answer: await send(wire, { ...caps, leave }) };
      } catch (error) {
        await refuseOwnLookupTrouble(error);
        if (!(error instanceof TooLateError) || !departure) throw error;
      }
      await this.#uncounted(() => this.untimed(departure.renew()));
    }
  }

  /** Does not count a request that was stopped before it was sent. */
  #uncounted<Result>(step: () => Result): Result {
    const uncount = (error: unknown): never => {
      this.count--;
      throw error;
    };
    try {
      const result = step();
      return result instanceof Promise ? (result.catch(uncount) as Result) : result;
    } catch (error) {
      return uncount(error);
    }
  }

  async #pass({ url, acts }: ItemRequest): Promise<Departure | void> {
    const { limits, tools } = this.#options;
    if (!/^https?:$/.test(url.protocol)) throw forbidden(`not an http or https URL: ${url.protocol}`, url);
    // Before the gate: a target that is refused by its spelling needs no slot and no robots.txt.
    const refusal = this.#isGuarded(url) ? this.#options.transport.guard.refusalOf(url.hostname) : undefined;
    if (refusal !== undefined) throw forbidden(refusal, url);
    if (this.count >= limits.hops) {
      throw new FailureError({
        kind: "navigation",
        detail: `the item needs more than ${limits.hops} requests`,
        url: url.href,
      });
    }
    this.#leftMs(url);
    // Counted before the gate: concurrent requests must not pass the cap together.
    this.count++;
    this.#waiting++;
    try {
      return await this.untimed(tools.gate(url, { acts }));
    } catch (error) {
      this.count--;
      throw error;
    } finally {
      this.#waiting--;
    }
  }

  #wireOf(request: ItemRequest): WireRequest {
    const { url, method, body, archivedBody } = request;
    const [headers, isGuarded] = [this.#headersOf(request), this.#isGuarded(url)];
    const { route, identity } = this.#options;
    return {
      method,
      url,
      headers,
      isGuarded,
      route,
      identity,
      ...(body && { body }),
      ...(archivedBody && { archivedBody }),
    };
  }

  #isGuarded(url: URL): boolean {
    return this.#options.publicOnly !== undefined && url.origin !== this.#trusted;
  }

  #caps(bodyBytes: number, url: URL): WireCaps {
    const { limits, tools } = this.#options;
    const timeoutMs = Math.min(limits.requestMs, this.#leftMs(url));
    return { timeoutMs, bodyBytes, signal: tools.signal, meter: this.meter };
  }

  #leftMs(url: URL): number {
    const leftMs = this.#deadline - performance.now();
    if (leftMs > 0) return leftMs;
    const detail = `the item took longer than ${this.#options.limits.itemMs} ms`;
    throw new FailureError({ kind: "timeout", detail, url: url.href });
  }

  #headersOf(request: ItemRequest): Headers {
    const { url, body } = request;
    const pairs: [string, string][] = [["host", url.host]];
    const isAway = this.#hasPrivateHeaders && url.origin !== this.#site.origin;
    const { headers: common } = this.#options;
    for (const name in common) {
      if (!(name in request.headers) && !(isAway && isSecretName(name))) pairs.push([name, common[name]!]);
    }
    for (const name in request.headers) if (name !== "cookie") pairs.push([name, request.headers[name]!]);
    const credentials = this.#credentials.size > 0 ? this.#credentials.get(url.origin) : undefined;
    if (credentials !== undefined && !pairs.some(([name]) => name === "authorization")) {
      pairs.push(["authorization", credentials]);
    }
    const cookie = [request.headers["cookie"], this.#cookies.headerFor(url)].filter(Boolean).join("; ");
    if (cookie !== "") pairs.push(["cookie", cookie]);
    if (body) pairs.push(["content-length", String(body.length)]);
    this.hasSecrets ||= pairs.some(([name]) => isSecretName(name));
    return pairs;
  }
}

const cookieOf = ({ headers }: WireRequest): string => headers.find(([name]) => name === "cookie")?.[1] ?? "";

const exchangeHeadOf = (wire: WireRequest, response: ResponseHead, startedAt: number): ExchangeHead => ({
  method: wire.method,
  url: wire.url.href,
  startedAt,
  requestHeaders: redactHeaders(wire.headers),
  ...(wire.body && { requestBody: wire.archivedBody ?? wire.body }),
  status: response.status,
  statusText: response.statusText,
  responseHeaders: redactHeaders(response.headers),
});

const require = createRequire(import.meta.url);

/** The cookies of one item. Most pages set none, so the jar (and its package) is loaded when the first one arrives. */
export class ItemCookies {
  #jar: CookieJar | undefined;

  /** The `Cookie` header for a URL, or undefined. */
  headerFor(url: URL): string | undefined {
    return this.#jar?.getCookieStringSync(url.href) || undefined;
  }

  /** Returns whether there were any. */
  takeFrom(response: ResponseHead, url: URL): boolean {
    let isSet = false;
    for (const [name, value] of response.headers) {
      if (name.length !== 10 || name.toLowerCase() !== "set-cookie") continue;
      this.#take(value, url);
      isSet = true;
    }
    return isSet;
  }

  #take(cookie: string, url: URL): void {
    this.#jar ??= newJar();
    // Cookies that browsers reject (wrong domain, public suffix, unreadable) are dropped silently, as in browsers.
    this.#jar.setCookieSync(cookie, url.href, { ignoreError: true });
  }
}

const newJar = (): CookieJar => {
  const { CookieJar: Jar }: typeof import("tough-cookie") = require("tough-cookie");
  return new Jar(undefined, { looseMode: true, prefixSecurity: "silent" });
};
