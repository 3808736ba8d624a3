import type { CaptureRef, Exchange, StoredCapture } from "../../domain/capture.ts";
import { refuseUnknownOptions } from "../../domain/known-options.ts";
import type { HtmlDocument } from "../../extraction/html-document.ts";
import {
  type CollectSession,
  type Http,
  type Keep,
  type Page,
  REQUEST_OPTIONS,
  type RequestOptions,
  type SessionOptions,
  SUBMIT_OPTIONS,
  type Validators,
} from "../../ports/collector.ts";
import { encodeBody } from "./encode-form.ts";
import { followRedirects, type ItemRequest } from "./follow-redirects.ts";
import { ItemRequests, type Received } from "./item-requests.ts";
import { loadImpit } from "./load-impit.ts";
import type { HttpPage } from "./page.ts";
import type { Transport } from "./transport.ts";
import { ResponseHead } from "./wire.ts";

export interface HttpSessionOptions extends SessionOptions {
  readonly transport: Transport;
  readonly userAgent: string;
}

/** Loaded with the first response: the parsers that it brings must not delay the first request. */
let pageCode: typeof import("./page.ts") | undefined;

type KeptHttpPage = CollectSession["kept"]["pages"][number];
type KeptHttpFile = CollectSession["kept"]["files"][number];

export const openHttpSession = (options: HttpSessionOptions): CollectSession<"http"> => {
  const { tools, limits } = options;
  const isBrowser = options.identity === "browser";
  // Early: a package that is missing is not the item's failure.
  if (isBrowser) loadImpit();
  const common = isBrowser ? {} : { ...COMMON_HEADERS, "user-agent": options.userAgent };
  const headers = { ...common, ...lowerCased(options.headers) };
  const requests = new ItemRequests({ ...options, headers });
  const received: HttpPage[] = [];
  const pages: KeptHttpPage[] = [];
  const files: KeptHttpFile[] = [];

  const fetchPage = async (first: ItemRequest): Promise<HttpPage> => {
    const known = requests.count === 0 ? options.validators : undefined;
    const asked = known && conditionalRequest(first, known);
    const { request, hop } = await followRedirects(asked ?? first, limits.redirects, (one) =>
      requests.receive(asked && one !== asked ? withoutConditions(one) : one),
    );
    const isUnchanged = known !== undefined && request === asked && hop.head.status === 304;
    const stored = isUnchanged ? await requests.untimed(known.stored()) : undefined;
    // No longer in the archive: fetch it without validators.
    if (isUnchanged && !stored) return await fetchPage(first);
    pageCode ??= await import("./page.ts");
    const response = stored ? withStored(hop, stored) : hop;
    const page = await pageCode.receivePage(request, response, limits.decodedBytes);
    page.stored = stored?.ref;
    page.cookies = requests.cookiesFor(request.url);
    received.push(page);
    return page;
  };

  const http: Http = {
    get: async (url, given) => {
      refuseUnknownOptions(given, REQUEST_OPTIONS, "http.get");
      return fetchPage({ ...requestOf(given), method: "GET", url: requests.resolve(url) });
    },
    post: async (url, body, given) => {
      refuseUnknownOptions(given, REQUEST_OPTIONS, "http.post");
      const { mediaType, ...sent } = encodeBody(body);
      const request = requestOf(given, { "content-type": mediaType });
      return fetchPage({ ...request, ...sent, method: "POST", url: requests.resolve(url) });
    },
    submit: async (form, values, given) => {
      refuseUnknownOptions(given, SUBMIT_OPTIONS, "http.submit");
      const { formSubmission } = await import("./form.ts");
      const { headers: preset, action, ...sent } = formSubmission(form, values, given?.button);
      return fetchPage({ ...requestOf(given, preset), ...sent, url: requests.resolve(action) });
    },
  };

  const keep: Keep = {
    page(name, page) {
      pages.push(new KeptPageView(name, ownPage(page)));
    },
    async file(name, url, given) {
      refuseUnknownOptions(given, REQUEST_OPTIONS, "keep.file");
      // Files are stored without content encoding.
      const request = requestOf(given, isBrowser ? {} : { accept: "*/*", "accept-encoding": "identity" });
      const { keepFile } = await import("./keep-file.ts");
      const file = await keepFile(
        { ...request, method: "GET", url: requests.resolve(url) },
        requests,
        tools,
        limits,
      );
      files.push({ name, ...file });
      return file;
    },
  };

  return {
    tools: { http },
    keep,
    kept: { pages, files },
    get requests() {
      return requests.passed;
    },
    get bytes() {
      return requests.meter.bytes;
    },
    get proxyBytes() {
      return options.route && requests.meter.proxyBytes;
    },
    get hasSecrets() {
      return requests.hasSecrets;
    },
    async close() {
      for (const page of received) page.release();
    },
  };
};

const COMMON_HEADERS = {
  "user-agent": "",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "accept-encoding": "gzip, deflate, br, zstd",
};

/** A view of the page under a name: nothing is decoded or parsed twice, or before it is needed. */
class KeptPageView implements KeptHttpPage {
  readonly name: string;
  readonly #page: HttpPage;
  constructor(name: string, page: HttpPage) {
    this.name = name;
    this.#page = page;
  }
  get url(): string {
    return this.#page.url;
  }
  get status(): number {
    return this.#page.status;
  }
  get mediaType(): string {
    return this.#page.mediaType;
  }
  get text(): string {
    return this.#page.text;
  }
  get document(): HtmlDocument {
    return this.#page.document;
  }
  get exchange(): Exchange {
    return this.#page.exchange;
  }
  get stored(): CaptureRef | undefined {
    return this.#page.stored;
  }
}

const ownPage = (page: Page): HttpPage => {
  if (pageCode && page instanceof pageCode.HttpPage) return page;
  throw new TypeError("keep.page expects a page from http");
};

/** The caller's headers override those in `preset`. */
const requestOf = (
  options: RequestOptions | undefined,
  preset: Readonly<Record<string, string>> = {},
): Pick<ItemRequest, "headers" | "acts" | "accept"> => ({
  headers: options?.headers ? { ...preset, ...lowerCased(options.headers) } : preset,
  acts: options?.acts ?? false,
  accept: options?.accept ?? [],
});

const lowerCased = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** A request for changes only. If the caller sets conditions, theirs apply. */
export const conditionalRequest = (request: ItemRequest, known: Validators): ItemRequest | undefined => {
  const isTheirs = "if-none-match" in request.headers || "if-modified-since" in request.headers;
  if (isTheirs || request.method !== "GET" || request.url.href !== known.url) return undefined;
  const headers = {
    ...request.headers,
    ...(known.etag && { "if-none-match": known.etag }),
    ...(known.lastModified && { "if-modified-since": known.lastModified }),
  };
  return { ...request, headers };
};

/** For redirects: validators of one page do not apply to another. */
export const withoutConditions = (request: ItemRequest): ItemRequest => {
  const { "if-none-match": _etag, "if-modified-since": _since, ...headers } = request.headers;
  return { ...request, headers };
};

/** The stored page in place of a 304, with the new headers in place of its own (RFC 9111, 4.3.4). */
export const withStored = (notModified: Received, { status, headers, body }: StoredCapture): Received => {
  const { exchange, cookie } = notModified;
  const isAbout = ([name]: readonly [string, string]) => !OF_THE_BODY.test(name);
  const answered = exchange.responseHeaders.filter(isAbout);
  const replaced = new Set([...OF_THE_ANSWER, ...answered.map(([name]) => name.toLowerCase())]);
  const merged = [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...answered];
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const known = { ...exchange, status, statusText: "", responseHeaders: merged, body: bytes };
  return { cookie, head: new ResponseHead(status, "", merged.flat()), body: bytes, exchange: known };
};

/** Headers that describe the stored bytes, whatever the 304 says. */
const OF_THE_BODY = /^(content-(encoding|length|type|range)|transfer-encoding)$/i;
/** Headers that date the stored response: a 304 without them is current. */
const OF_THE_ANSWER = ["date", "age"];
