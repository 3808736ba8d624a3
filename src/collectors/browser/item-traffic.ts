import { bodyKey, type Exchange } from "../../domain/capture.ts";
import { type Failure, FailureError } from "../../domain/failure.ts";
import type { BrowserOptions, SessionOptions } from "../../ports/collector.ts";
import { readContentType } from "../http/decode-text.ts";
import { classifyResponse } from "../http/detect-block.ts";
import { isSecretName, redactBody, redactHeaders } from "../http/secrets.ts";
import type { TargetGuard } from "../http/target-guard.ts";
import type { Refusal } from "../egress/egress-proxy.ts";
import type { Proxies } from "../proxy/proxies.ts";
import { ResponseHead } from "../http/wire.ts";
import type { ActiveClock } from "./active-clock.ts";
import { readResponse, type TooLarge } from "./response-body.ts";
import type { Tab } from "./tab.ts";
import type { ErrorReason, Paused, ResourceType, Traffic, TrafficGate } from "./traffic-gate.ts";

interface ItemTrafficOptions extends SessionOptions {
  readonly gate: TrafficGate;
  readonly clock: ActiveClock;
  readonly guard: TargetGuard;
  readonly tab: Pick<Tab, "targetId" | "isLeft">;
  /** Whether a host is the site's own, or a neighbour under the same registrable domain. */
  readonly isOwnHost: (host: string) => boolean;
  /** Recognises responses of the route's provider instead of the site. */
  readonly proxies?: Pick<Proxies, "refusalIn" | "tlsProblem"> | undefined;
  readonly proxyLogin?: Traffic["proxyLogin"];
  /** Failed connections of the egress proxy, with the reason: the browser only reports that a request failed. */
  readonly refusals?: readonly Refusal[] | undefined;
}

/** Kinds of requests that use a slot of their host's lane. Scripts and styles do not: they are cached, and counted as assets. */
const SPENDS = new Set<ResourceType>(["Document", "XHR", "Fetch", "EventSource", "Ping", "Other"]);
const FREE = new Set<ResourceType>(["Script", "Stylesheet", "Preflight", "Manifest"]);
const OPTIONAL: Partial<Record<ResourceType, NonNullable<BrowserOptions["load"]>[number]>> = {
  Image: "image",
  Font: "font",
  Media: "media",
};

/** A file that a response brings: taken from the browser and given to the archive. */
export interface IncomingFile {
  readonly head: Omit<Exchange, "body">;
  readonly mediaType: string;
  readonly bytes: AsyncIterable<Buffer>;
  /** Ends the response. */
  readonly cancel: () => void;
}

/** Takes the next file; false if none is expected. */
export type FileTaker = (file: IncomingFile) => Promise<void>;

interface OpenRequest {
  readonly startedAt: number;
  readonly url: string;
  readonly isDocument: boolean;
}

/** The requests of one item in its tab: each passes the worker's gate, and each response is archived before the page sees it. */
export class ItemTraffic implements Traffic {
  readonly #options: ItemTrafficOptions;
  readonly #site: URL;
  readonly #load: ReadonlySet<string>;
  readonly #hosts: readonly string[];
  readonly #open = new Map<string, OpenRequest>();
  readonly #archiving = new Set<Promise<unknown>>();
  /** Requests that used a slot. */
  requests = 0;
  /** Scripts and styles that came over the network. */
  assets = 0;
  /** Requests that were not sent: pictures, other hosts. */
  blocked = 0;
  hasSecrets: boolean;
  /** Origins that were requested, for wiping. */
  readonly origins = new Set<string>();
  readonly documents = new Set<string>();
  /** Whether requests that start now act on the site. */
  acts = false;
  /** Statuses that the next document may have. */
  accept: readonly number[] = [];
  /** The last failure of a request of the site that the page may depend on. */
  trouble: Failure | undefined;
  /** When the last request ended, on the item's clock. */
  quietSince = 0;
  fileTaker: FileTaker | undefined;
  /** The page's own document, as it was answered last. */
  document: { readonly url: string; readonly status: number } | undefined;

  constructor(options: ItemTrafficOptions) {
    this.#options = options;
    this.#site = new URL(options.site);
    this.#load = new Set(options.browser?.load);
    this.#hosts = (options.browser?.hosts ?? []).map((host) => host.toLowerCase());
    this.hasSecrets = Object.keys(options.headers ?? {}).some(isSecretName);
  }

  get proxyLogin(): Traffic["proxyLogin"] {
    return this.#options.proxyLogin;
  }

  /** Requests that were sent and not answered, or wait for a slot. */
  get pending(): number {
    return this.#open.size;
  }

  /** Everything that was received is in the archive. */
  async settled(): Promise<void> {
    await Promise.all(this.#archiving);
  }

  /** Before a step whose requests are counted separately. */
  forgetTrouble(): void {
    this.trouble = undefined;
  }

  async onRequest(paused: Paused): Promise<void> {
    const { gate, tools } = this.#options;
    const url = new URL(paused.request.url);
    const type = paused.resourceType;
    if (!/^https?:$/.test(url.protocol)) {
      const isLocal = /^(?:data|blob|about):$/.test(url.protocol);
      return void (await (isLocal ? this.#continue(paused) : gate.fail(paused)));
    }
    const isDocument = type === "Document";
    if (tools.signal.aborted || this.#isOfItemBefore(paused) || !this.#isWanted(type, url)) {
      this.blocked++;
      return void (await gate.fail(paused));
    }
    this.#open.set(paused.requestId, { startedAt: Date.now(), url: url.href, isDocument });
    try {
      this.#refuseTarget(url);
      this.origins.add(url.origin);
      if (isDocument) this.documents.add(url.origin);
      if (SPENDS.has(type)) await this.#takeSlot(url);
      else this.assets++;
      await this.#continue(paused);
    } catch (error) {
      this.#ended(paused);
      this.#note(error, url);
      throw error;
    }
  }

  async onResponse(paused: Paused): Promise<void> {
    const { gate } = this.#options;
    const open = this.#open.get(paused.requestId);
    const { responseErrorReason: broken, responseStatusCode: status = 0 } = paused;
    try {
      if (broken !== undefined) {
        if (open && isOfPage(paused)) this.trouble = await this.#brokenFailure(paused, broken);
        return void (await gate.send("Fetch.continueRequest", { requestId: paused.requestId }));
      }
      const head = new ResponseHead(status, paused.responseStatusText, flat(paused.responseHeaders ?? []));
      const refused = this.#refusalIn(paused, head);
      if (refused) {
        if (isOfPage(paused)) this.trouble = refused;
        return void (await gate.fail(paused, "Aborted"));
      }
      if (head.header("set-cookie") !== undefined) this.hasSecrets = true;
      const exchangeHead = this.#headOf(paused, head, open?.startedAt ?? Date.now());
      if (isStream(head)) {
        // Has no end: the page reads it, the archive has its head.
        this.#archive({ ...exchangeHead, body: NOTHING });
        return void (await gate.send("Fetch.continueRequest", { requestId: paused.requestId }));
      }
      if (isFile(paused, head)) return await this.#takeFile(paused, head, exchangeHead);
      const key = isOfPage(paused) || this.#options.tools.observe ? undefined : bodyKey(exchangeHead);
      const same = key === undefined ? undefined : this.#options.tools.storedBody?.(key);
      if (same) {
        // Not read a second time: most of what a new context asks for is the same for each.
        this.#archive({ ...exchangeHead, body: NOTHING, same });
        return void (await gate.send("Fetch.continueRequest", { requestId: paused.requestId }));
      }
      const received = await readResponse(gate, paused, head, this.#options.limits);
      if ("tooLarge" in received) return await this.#refuseLarge(paused, received);
      this.#archive({ ...exchangeHead, body: received.body }, key);
      this.#options.tools.observe?.(
        { ...exchangeHead, ...unredacted(paused, head), body: received.body },
        paused.resourceType,
      );
      if (this.#isMain(paused)) this.#leaveDocument(paused);
      this.#judge(paused, head, received.body);
      await received.pass();
    } finally {
      this.#ended(paused);
    }
  }

  /** The first document of this item replaces the rest of the previous one. */
  #isOfItemBefore(paused: Paused): boolean {
    const { tab } = this.#options;
    if (this.#isMain(paused)) tab.isLeft = false;
    return tab.isLeft;
  }

  #isWanted(type: ResourceType, url: URL): boolean {
    const optional = OPTIONAL[type];
    if (optional !== undefined ? !this.#load.has(optional) : !SPENDS.has(type) && !FREE.has(type))
      return false;
    const host = url.hostname.toLowerCase();
    return (
      this.#options.isOwnHost(host) ||
      this.#hosts.some((each) => each === "*" || host === each || host.endsWith(`.${each}`))
    );
  }

  #refuseTarget(url: URL): void {
    const { publicOnly, guard } = this.#options;
    if (!publicOnly || (publicOnly.butSite && new URL(publicOnly.butSite).origin === url.origin)) return;
    const detail = guard.refusalOf(url.hostname);
    if (detail !== undefined) throw new FailureError({ kind: "forbidden-target", detail, url: url.href });
  }

  async #takeSlot(url: URL): Promise<void> {
    const { tools, clock, limits } = this.#options;
    if (this.requests >= limits.hops)
      throw new FailureError({
        kind: "navigation",
        detail: `the item needs more than ${limits.hops} requests`,
        url: url.href,
      });
    this.requests++;
    try {
      const departure = await clock.untimed(tools.gate(url, { acts: this.acts }));
      if (departure) while (!departure.leave()) await clock.untimed(departure.renew());
    } catch (error) {
      this.requests--;
      throw error;
    }
  }

  /** Headers of the scraper go to the site's own origin only. */
  async #continue(paused: Paused): Promise<void> {
    const { gate, headers } = this.#options;
    const isOwn = headers && URL.parse(paused.request.url)?.origin === this.#site.origin;
    const all = isOwn && { ...paused.request.headers, ...headers };
    await gate.send("Fetch.continueRequest", {
      requestId: paused.requestId,
      ...(all && { headers: Object.entries(all).map(([name, value]) => ({ name, value })) }),
    });
  }

  #archive(exchange: Exchange, key?: string): void {
    const stored = this.#options.clock.untimed(this.#options.tools.archive(exchange, key));
    this.#archiving.add(stored);
    stored.then(
      () => this.#archiving.delete(stored),
      // Kept in the set: `settled` reports it.
      () => undefined,
    );
  }

  #headOf(paused: Paused, head: ResponseHead, startedAt: number): Omit<Exchange, "body"> {
    const { request } = paused;
    const body = request.postDataEntries?.map(({ bytes }) => Buffer.from(bytes ?? "", "base64"));
    return {
      method: request.method,
      url: withoutFragment(request.url),
      startedAt,
      requestHeaders: redactHeaders(unredacted(paused, head).requestHeaders),
      ...(body && body.length > 0 && { requestBody: redactBody(contentTypeOf(paused), Buffer.concat(body)) }),
      status: head.status,
      statusText: head.statusText,
      responseHeaders: redactHeaders(unredacted(paused, head).responseHeaders),
    };
  }

  async #brokenFailure({ request }: Paused, reason: ErrorReason): Promise<Failure> {
    const { hostname, port, protocol } = new URL(request.url);
    const at = Number(port) || (protocol === "https:" ? 443 : 80);
    const refusal = this.#options.refusals?.findLast((each) => each.host === hostname && each.port === at);
    const { route, proxies } = this.#options;
    const target = { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: at };
    const problem =
      route && !refusal && protocol === "https:" ? await proxies?.tlsProblem(route, target) : undefined;
    if (problem) return { ...problem, url: withoutFragment(request.url) };
    return {
      kind: refusal?.kind ?? (reason === "TimedOut" ? "timeout" : "connection"),
      detail: refusal?.detail ?? `the connection failed: ${reason}`,
      url: withoutFragment(request.url),
    };
  }

  #refusalIn({ request }: Paused, head: ResponseHead): Failure | undefined {
    const { route, proxies } = this.#options;
    const refused = route && proxies?.refusalIn(route, head);
    return refused && { ...refused, url: withoutFragment(request.url), status: head.status };
  }

  #isMain({ resourceType, frameId }: Paused): boolean {
    return resourceType === "Document" && frameId === this.#options.tab.targetId;
  }

  /** The browser cancels the requests of the previous document without an event. */
  #leaveDocument({ requestId }: Paused): void {
    for (const id of this.#open.keys()) if (id !== requestId) this.#open.delete(id);
  }

  #judge(paused: Paused, head: ResponseHead, body: Buffer): void {
    if (!isOfPage(paused) || (head.status >= 300 && head.status < 400)) return;
    const { mediaType } = readContentType(head.header("content-type"));
    const isMain = this.#isMain(paused);
    const isAccepted = isMain && this.accept.includes(head.status);
    const failure = classifyResponse({ head, body, mediaType }, isAccepted, Date.now());
    const url = withoutFragment(paused.request.url);
    if (isMain) this.document = { url, status: head.status };
    if (failure) this.trouble = { ...failure, url };
  }

  async #takeFile(paused: Paused, head: ResponseHead, exchangeHead: Omit<Exchange, "body">): Promise<void> {
    const { gate, limits } = this.#options;
    const { mediaType } = readContentType(head.header("content-type"));
    const taker = this.fileTaker;
    if (!taker) {
      this.trouble = {
        kind: "bad-content",
        detail: `the site sent a file (${mediaType || "no media type"}) instead of a page. Use page.download to keep it`,
        url: exchangeHead.url,
        status: head.status,
      };
      return void (await gate.fail(paused, "Aborted"));
    }
    const received = await readResponse(gate, paused, head, limits, true);
    if ("tooLarge" in received) return await this.#refuseLarge(paused, received);
    if ("stream" in received)
      await taker({ head: exchangeHead, mediaType, bytes: received.stream, cancel: received.cancel });
    await gate.fail(paused, "Aborted");
  }

  async #refuseLarge(paused: Paused, { tooLarge }: TooLarge): Promise<void> {
    const url = withoutFragment(paused.request.url);
    if (isOfPage(paused)) this.trouble = { kind: "too-large", detail: tooLarge, url };
    await this.#options.gate.fail(paused, "Aborted");
  }

  #note(error: unknown, url: URL): void {
    if (error instanceof FailureError) this.trouble = { url: url.href, ...error.failure };
  }

  #ended({ requestId }: Paused): void {
    this.#open.delete(requestId);
    this.quietSince = this.#options.clock.now();
  }
}

const NOTHING = Buffer.alloc(0);

const contentTypeOf = ({ request }: Paused): string =>
  Object.entries(request.headers).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";

const unredacted = (
  { request }: Paused,
  head: ResponseHead,
): Pick<Exchange, "requestHeaders" | "responseHeaders"> => ({
  requestHeaders: Object.entries(request.headers),
  responseHeaders: decodedHeaders(head.headers),
});

/** Failures of these can be the reason why a page does not show what it should. */
const isOfPage = ({ resourceType }: Paused): boolean =>
  resourceType === "Document" || resourceType === "XHR" || resourceType === "Fetch";

const flat = (headers: NonNullable<Paused["responseHeaders"]>): string[] =>
  headers.flatMap(({ name, value }) => [name, value]);

/** The body is stored decoded: its coding is recorded, not claimed. */
const decodedHeaders = (headers: ResponseHead["headers"]): ResponseHead["headers"] =>
  headers.map(([name, value]) =>
    name.toLowerCase() === "content-encoding" ? ["x-orig-content-encoding", value] : [name, value],
  );

const withoutFragment = (url: string): string => url.split("#", 1)[0]!;

const isStream = (head: ResponseHead): boolean =>
  /^text\/event-stream\b/i.test(head.header("content-type") ?? "");

const SHOWN =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)$|application\/(?:xhtml\+xml|javascript)$|$)/;

/** A document that a browser would not show but save, or show with a viewer of its own. */
const isFile = ({ resourceType }: Paused, head: ResponseHead): boolean => {
  if (head.status < 200 || head.status >= 300) return false;
  if (resourceType !== "Document" && resourceType !== "Other") return false;
  const { mediaType } = readContentType(head.header("content-type"));
  return /^\s*attachment\b/i.test(head.header("content-disposition") ?? "") || !SHOWN.test(mediaType);
};
