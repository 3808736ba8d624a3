import { conditionalRequest, withoutConditions, withStored } from "./conditional-request.ts";
import { encodeBody } from "./encode-body.ts";
import { followRedirects } from "./follow-redirects.ts";
import { formSubmission } from "./form-submission.ts";
import { ItemRequests } from "./item-requests.ts";
import { keepFile } from "./keep-file.ts";
import { HttpPage } from "./page.ts";
import { receivePage } from "./receive-page.ts";
import { refuseUnknownOptions } from "../../domain/known-options.ts";
import type { HtmlDocument } from "../../extraction/html-document.ts";
import type { CaptureRef, Exchange, KeptPage } from "../../domain/capture.ts";
import {
  type CollectorTools,
  type Http,
  type Keep,
  type KeptFile,
  type Limits,
  type Page,
  REQUEST_OPTIONS,
  type RequestOptions,
  type SessionOptions,
  SUBMIT_OPTIONS,
} from "../../ports/collector.ts";
import type { ItemRequest } from "./redirect.ts";
import type { Transport } from "./transport.ts";

export interface HttpSessionOptions {
  /** Relative URLs are resolved against it. */
  readonly site: string;
  readonly tools: CollectorTools;
  readonly limits: Limits;
  readonly transport: Transport;
  readonly userAgent: string;
  /** Sent with every request; `authorization` and `cookie` among them to the site's own origin only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly publicOnly?: SessionOptions["publicOnly"];
  readonly validators?: SessionOptions["validators"];
}

export interface KeptHttpPage extends KeptPage {
  /** Parsed once, by `collect` or by whoever asks first. */
  readonly document: HtmlDocument;
  /** The very object that `archive` was given. */
  readonly exchange: Exchange;
  readonly stored?: CaptureRef | undefined;
}

export interface KeptHttpFile extends KeptFile {
  readonly name: string;
}

/** The HTTP side of one item: its cookies, its caps and what it kept. */
export interface HttpSession {
  readonly http: Http;
  readonly keep: Keep;
  readonly kept: { readonly pages: readonly KeptHttpPage[]; readonly files: readonly KeptHttpFile[] };
  /** Requests let through the gate so far, redirects included. */
  readonly requests: number;
  /** Body bytes received over the wire so far, those of failed responses included. */
  readonly bytes: number;
  readonly hasSecrets: boolean;
  release(): void;
}

export const openHttpSession = (options: HttpSessionOptions): HttpSession => {
  const { tools, limits } = options;
  const headers = { ...COMMON_HEADERS, "user-agent": options.userAgent, ...lowerCased(options.headers) };
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
    // It is gone from the archive: it is asked for as if nothing were known of it.
    if (isUnchanged && !stored) return await fetchPage(first);
    const page = await receivePage(request, stored ? withStored(hop, stored) : hop, limits.decodedBytes);
    page.stored = stored?.ref;
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
      // A file is kept as it is, not as it was packed for the journey.
      const request = requestOf(given, { accept: "*/*", "accept-encoding": "identity" });
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
    http,
    keep,
    kept: { pages, files },
    get requests() {
      return requests.passed;
    },
    get bytes() {
      return requests.meter.bytes;
    },
    get hasSecrets() {
      return requests.hasSecrets;
    },
    release() {
      for (const page of received) page.release();
    },
  };
};

const COMMON_HEADERS = {
  "user-agent": "",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "accept-encoding": "gzip, deflate, br, zstd",
};

/** A kept page reads through to the page: nothing is decoded or parsed twice, or at all if nobody asks. */
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
  if (page instanceof HttpPage) return page;
  throw new TypeError("keep.page takes a page that http gave");
};

/** Headers in `preset` give way to those of the caller. */
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
