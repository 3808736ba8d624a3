import type { Way } from "../domain/auto-mode.ts";
import type { CaptureRef, Exchange, KeptPage, StoredBody, StoredCapture } from "../domain/capture.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type { OptionNames } from "../domain/known-options.ts";
import type { Recording } from "../recordings/recording.ts";

/** What a scraper's `collect` works with. The collectors implement it, scraper authors see it. */
export interface Http {
  /** Relative URLs are resolved against the scraper's site. Follows redirects, keeps cookies for this item. */
  get(url: string | URL, options?: RequestOptions): Promise<Page>;
  /** As `get`, with a body: form values, JSON or bytes. */
  post(url: string | URL, body: RequestBody, options?: RequestOptions): Promise<Page>;
  /** Sends a form as a browser does, with hidden fields, preset values and the pressed button. */
  submit(form: Form, values?: FormValues, options?: SubmitOptions): Promise<Page>;
}

/**
 * One tab of a browser. Every verb costs one call into the page. A selector is CSS and also looks into open shadow roots. Waiting for a slot of
 * the lane is not the page's time.
 */
export interface BrowserPage {
  /** The current URL of the tab. */
  url(): string;
  /** Opens a URL, relative to the scraper's site. Resolves when the document is parsed; if scripts render it, call `ready` next. */
  goto(url: string | URL, options?: GotoOptions): Promise<void>;
  /** Waits until one of the selectors matches, and returns that selector. Throws a `navigation` failure when the time is up. */
  ready<Selector extends string>(
    selector: Selector | readonly Selector[],
    options?: ReadyOptions,
  ): Promise<Selector>;
  /** Sets the value of an input, text area or editable element, with the events that a person's typing causes. */
  fill(selector: string, value: string | number): Promise<void>;
  /** Clicks the first match. Then wait for the result with `ready`. */
  click(selector: string, options?: ClickOptions): Promise<void>;
  /** Chooses options of a `<select>` by value or label. */
  select(selector: string, value: string | readonly string[]): Promise<void>;
  /** Text of the first match with white space folded, or undefined. */
  text(selector: string): Promise<string | undefined>;
  /** Whether anything matches. */
  has(selector: string): Promise<boolean>;
  /** An attribute of the first match, or undefined. */
  attr(selector: string, name: string): Promise<string | undefined>;
  /** Keeps the document as it is now, including open shadow roots, under a name for extraction. */
  keep(name: string): Promise<void>;
  /** Clicks the first match of a selector, or opens a URL, and keeps the file that the site sends. */
  download(
    name: string,
    from: { readonly click: string } | { readonly url: string | URL },
  ): Promise<KeptFile>;
  /** Prints the page to a PDF file and keeps it. */
  pdf(name: string): Promise<KeptFile>;
  /** Playwright's own page, for everything else. Its selectors cost about 50 ms of CPU in each document. */
  playwright(): Promise<PlaywrightPage>;
}

/** Performs recorded steps in the item's tab. */
export interface RecordingPlayer {
  /** The steps have no placeholders left. `allowsCode`: expressions of the recording may run in the page. */
  replay(recording: Recording, options: { readonly allowsCode: boolean }): Promise<void>;
}

/** The verbs that work in a browser and on a page fetched over HTTP alike. There, a click follows a link or sends a form. */
export type AutoPage = Omit<BrowserPage, "pdf" | "playwright">;

/** `any` where the optional package is not installed. */
/** @ts-ignore */
export type PlaywrightPage = import("playwright-core").Page;

export interface GotoOptions {
  /** Statuses besides 2xx that are not a failure here. */
  readonly accept?: readonly number[];
  /** This navigation acts on the site: see `once`. */
  readonly acts?: boolean;
}

export const GOTO_OPTIONS: OptionNames<GotoOptions> = { accept: true, acts: true };

export interface ReadyOptions {
  /** The longest wait, without the time spent waiting for slots; `limits.requestMs` by default. */
  readonly timeoutMs?: number;
}

export const READY_OPTIONS: OptionNames<ReadyOptions> = { timeoutMs: true };

export interface ClickOptions {
  /** The requests of this click act on the site: see `once`. */
  readonly acts?: boolean;
}

export const CLICK_OPTIONS: OptionNames<ClickOptions> = { acts: true };

export type RequestBody =
  | { readonly form: Readonly<Record<string, string | readonly string[]>> }
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array; readonly mediaType: string };

export interface RequestOptions {
  /** For this request, on top of the scraper's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses besides 2xx that are not a failure here, for example 404 if the site means "no such parcel". */
  readonly accept?: readonly number[];
  /** This request acts on the site: an item of a `once` scraper is not retried automatically after it was sent. */
  readonly acts?: boolean;
}

export const REQUEST_OPTIONS: OptionNames<RequestOptions> = { headers: true, accept: true, acts: true };

export interface SubmitOptions extends RequestOptions {
  /** Which button is pressed: its name, id or label. By default the form's first; false for none, as when a script sends it. */
  readonly button?: string | false;
}

export const SUBMIT_OPTIONS: OptionNames<SubmitOptions> = { ...REQUEST_OPTIONS, button: true };

export type FormValue = string | number | boolean | readonly string[] | FormFile;
export type FormValues = Readonly<Record<string, FormValue>>;
export interface FormFile {
  /** File name, as a browser would send it. */
  readonly filename: string;
  /** Its type, such as `application/pdf`. */
  readonly mediaType: string;
  /** The content. */
  readonly bytes: Uint8Array;
}

export interface Page {
  /** Final URL, after redirects. */
  readonly url: string;
  /** The HTTP status; anything but 2xx only where the request's `accept` named it. */
  readonly status: number;
  /** For example `text/html`: lower case, without parameters. */
  readonly mediaType: string;
  /** The body, decompressed and decoded by its charset. */
  readonly text: string;
  /** A response header, or undefined. */
  header(name: string): string | undefined;
  /** Whether anything on the page matches. */
  has(selector: string): boolean;
  /** Text of the first match with white space folded, or undefined. */
  textOf(selector: string): string | undefined;
  /** An attribute of the first match, or undefined. */
  attr(selector: string, name: string): string | undefined;
  /** Absolute URL of the first matching link; throws a `navigation` failure when nothing matches. */
  link(selector: string): string;
  /** Absolute URLs of all matching links that lead to a page. */
  links(selector: string): string[];
  /** The first matching form; throws a `navigation` failure when nothing matches. */
  form(selector?: string): Form;
  /** The body as JSON; throws a `bad-content` failure if it is not JSON. */
  json(): unknown;
  /** The first value at a path in that JSON, such as `hits[0].ref`, or undefined. */
  at(path: string): unknown;
  /** A cookie that the item has for the page's URL after the response, or undefined. */
  cookie(name: string): string | undefined;
}

/** A form as found on a page; `values` is what would be sent if nothing were filled in. */
export interface Form {
  /** Absolute URL that it is sent to. */
  readonly action: string;
  /** GET unless the page says POST. */
  readonly method: "GET" | "POST";
  /** How its values are encoded. */
  readonly enctype: "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain";
  /** Names and values in the order of the page, hidden ones included. */
  readonly values: readonly (readonly [string, string])[];
}

export interface Keep {
  /** Keeps a page under a name for extraction. Every response is archived in any case. */
  page(name: string, page: Page): void;
  /** Fetches a file and streams it to the archive as a separate object. */
  file(name: string, url: string | URL, options?: RequestOptions): Promise<KeptFile>;
}

export interface KeptFile {
  /** Final URL, after redirects. */
  readonly url: string;
  /** For example `application/pdf`: lower case, without parameters. */
  readonly mediaType: string;
  /** Size in bytes, as received. */
  readonly size: number;
  /** `sha256:<hex>` of those bytes. */
  readonly digest: string;
}

/** What a collector needs from the worker that runs it. */
export interface CollectorTools {
  /** Resolves when a request to this URL may start; throws when it may not (robots, job stopped, lease lost). */
  readonly gate: (url: URL, options: { readonly acts: boolean }) => Promise<Departure | void>;
  /** Every response goes through here, redirects and failures included. Back-pressure: awaited. */
  readonly archive: (exchange: Exchange, key?: string) => Promise<void>;
  /** The body that an earlier response of the job was archived with under this key, once it is durable: see `bodyKey`. */
  readonly storedBody?: (key: string) => StoredBody | undefined;
  /**
   * Gets each exchange of a page before its secrets are removed, with the browser's word for its kind. `sluice distill` compares them; they are never
   * stored.
   */
  readonly observe?: (exchange: Exchange, type: string) => void;
  /** Large files: streamed to a blob of their own. Resolves when the stream has ended and is durable. */
  readonly archiveFile: (
    head: Omit<Exchange, "body">,
    body: AsyncIterable<Uint8Array>,
  ) => Promise<{ readonly size: number; readonly digest: string }>;
  readonly signal: AbortSignal;
}

/** A request's right to start, from its gate to its first byte. It may have to wait for a connection in between. */
export interface Departure {
  /**
   * Called when the first byte is about to be sent, with the address that it goes to. Throws if the job was stopped in the
   * meantime; false if the slot has expired, or is not for this address.
   */
  readonly leave: (address?: string) => boolean;
  /** Waits for another slot. */
  readonly renew: () => Promise<void>;
}

/** What a scraper of kind `browser` asks of its tabs. */
export interface BrowserOptions {
  /** `job` (default): tabs stay open and are cleared between items. `item`: each item has a new context. */
  readonly isolation?: "job" | "item";
  /** What is loaded besides documents, scripts, styles and calls: nothing by default. */
  readonly load?: readonly ("image" | "font" | "media" | "websocket")[];
  /** Other hosts that the page may load from, with their subdomains; `*` for all. Only the site's own domain by default. */
  readonly hosts?: readonly string[];
  /** Full Chromium instead of the headless shell. */
  readonly full?: boolean;
  /** Size of the window; 1280 by 800 by default. */
  readonly viewport?: { readonly width: number; readonly height: number };
}

export const BROWSER_OPTIONS: OptionNames<BrowserOptions> = {
  isolation: true,
  load: true,
  hosts: true,
  full: true,
  viewport: true,
};

/** Limits of one item. */
export interface Limits {
  /** One request, from start to the last byte; 30 s by default. */
  readonly requestMs: number;
  /** All requests of the item together; waiting for the gate and the archive is not counted. 120 s by default. */
  readonly itemMs: number;
  /** Bytes over the wire of one response; 10 MB by default. */
  readonly bodyBytes: number;
  /** Bytes after decompression of one response; 40 MB by default. */
  readonly decodedBytes: number;
  /** Bytes of one `keep.file`; 200 MB by default. */
  readonly fileBytes: number;
  /** Redirects in a row of one request; 10 by default. */
  readonly redirects: number;
  /** Requests of one item, redirects included; 50 by default. */
  readonly hops: number;
}

/** What the `collect` of a scraper gets besides `input` and `keep`, by the scraper's kind. All methods are asynchronous. */
export interface ScraperTools extends Readonly<Record<CollectorKind, Readonly<Record<string, object>>>> {
  readonly http: { readonly http: Http };
  readonly browser: { readonly page: BrowserPage };
  readonly recording: { readonly page: BrowserPage; readonly player: RecordingPlayer };
  readonly auto: { readonly page: AutoPage };
}

/**
 * One way of collecting: over HTTP, in a browser, from a recording. A process opens one collector of each kind that it needs. Network access is given
 * to a collector when it is opened: proxies and identities belong below it, and scrapers do not see them.
 */
export interface Collector<Kind extends CollectorKind = CollectorKind> {
  open(options: SessionOptions): Promise<CollectSession<Kind>>;
  close(): Promise<void>;
}

/** The collectors of a process. Each is opened when it is first needed. */
export type Collectors = { readonly [Kind in CollectorKind]: () => Promise<Collector<Kind>> };

/** Which exit an item's requests use. */
export interface ProxyRoute {
  /** As the scraper names it: `residential:us-tx`. */
  readonly tier: string;
  /** Requests with the same value leave from the same address, as long as the provider keeps it. */
  readonly session: string;
}

/** `own`: as Sluice. `browser`: with the TLS handshake and the headers of a browser. */
export type Identity = "own" | "browser";

export interface SessionOptions {
  /** Without it, requests leave directly. */
  readonly route?: ProxyRoute | undefined;
  /** For kind `http`: `own` by default. */
  readonly identity?: Identity | undefined;
  /** Items with the same value may use the same warm tab, one after the other; without it, nothing is shared. */
  readonly sharedBy?: string;
  /** For kind `auto`: over HTTP by default. */
  readonly way?: Way | undefined;
  /** What the scraper asks of the browser. */
  readonly browser?: BrowserOptions | undefined;
  /** Relative URLs are resolved against it. */
  readonly site: string;
  readonly tools: CollectorTools;
  readonly limits: Limits;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only public addresses and the origin that the scraper declares are allowed; default: any address. */
  readonly publicOnly?: { readonly butSite?: string };
  /** An earlier version of a page: if the item's first request is for it, the site is asked whether it has changed. */
  readonly validators?: Validators | undefined;
}

export interface Validators {
  readonly url: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** The stored page, used if the site answers that it has not changed; undefined if it can no longer be read. */
  readonly stored: () => Promise<StoredCapture | undefined>;
}

/** One item's part of a collector: its state, its limits and what it kept. */
export interface CollectSession<Kind extends CollectorKind = CollectorKind> {
  readonly tools: ScraperTools[Kind];
  readonly keep: Keep;
  readonly kept: {
    /** `exchange` is the same object that `archive` got. An unchanged page is not archived again: it is `stored` already. */
    readonly pages: readonly (KeptPage & {
      readonly exchange: Exchange;
      readonly stored?: CaptureRef | undefined;
    })[];
    readonly files: readonly (KeptFile & { readonly name: string })[];
  };
  /** Requests and bytes so far. */
  readonly requests: number;
  readonly bytes: number;
  /** With a route: bytes on the connections to the proxy, in both directions. */
  readonly proxyBytes?: number | undefined;
  /** Cookies or credentials were sent, or cookies were set: the pages may be private. */
  readonly hasSecrets: boolean;
  /** For kind `auto`, over HTTP: what makes the last page look as if it needed a browser. */
  readonly scriptSign?: string | undefined;
  /** Keeps evidence of a failure, such as a picture of the page. Called before `close`, and never takes long. */
  failed?(): Promise<void>;
  /** Frees pages, texts and documents. The item may wait long until its bytes are durable; its session must not. */
  close(): Promise<void>;
}
