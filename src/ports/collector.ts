import type { Exchange, KeptPage } from "../model/capture.ts";

/** What a scraper's `collect` works with. The collectors implement it, scraper authors see it. */
export interface Http {
  /** Relative URLs are resolved against the scraper's site. Follows redirects, keeps cookies for this item. */
  get(url: string | URL, options?: RequestOptions): Promise<Page>;
  post(url: string | URL, body: RequestBody, options?: RequestOptions): Promise<Page>;
  /** Sends a form as a person would: hidden fields, preset values and the pressed button come along. */
  submit(form: Form, values?: FormValues, options?: SubmitOptions): Promise<Page>;
}

export type RequestBody =
  | { readonly form: Readonly<Record<string, string | readonly string[]>> }
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array; readonly mediaType: string };

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are not a failure here beside 2xx, for example 404 where the site means "no such parcel". */
  readonly accept?: readonly number[];
  /** This request acts on the site: a `once` scraper's item is not tried again after it has left. */
  readonly acts?: boolean;
}

export interface SubmitOptions extends RequestOptions {
  /** Which button is pressed: its name, id or label. By default the form's first; false for none, as when a script sends it. */
  readonly button?: string | false;
}

export type FormValue = string | number | boolean | readonly string[] | FormFile;
export type FormValues = Readonly<Record<string, FormValue>>;
export interface FormFile {
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface Page {
  /** Where the page came from in the end, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
  header(name: string): string | undefined;
  has(selector: string): boolean;
  /** Text of the first match with white space folded, or undefined. */
  textOf(selector: string): string | undefined;
  attr(selector: string, name: string): string | undefined;
  /** Absolute URL of the first matching link; throws a `navigation` failure when nothing matches. */
  link(selector: string): string;
  links(selector: string): string[];
  /** The first matching form; throws a `navigation` failure when nothing matches. */
  form(selector?: string): Form;
  json(): unknown;
}

/** A form as found on a page; `values` is what would be sent if nothing were filled in. */
export interface Form {
  readonly action: string;
  readonly method: "GET" | "POST";
  readonly enctype: "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain";
  readonly values: readonly (readonly [string, string])[];
}

export interface Keep {
  /** Names a page for extraction; every response is archived with or without it. */
  page(name: string, page: Page): void;
  /** Fetches a file and streams it to the archive as an object of its own. */
  file(name: string, url: string | URL, options?: RequestOptions): Promise<KeptFile>;
}

export interface KeptFile {
  readonly url: string;
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
}

/** What a collector needs from the worker that runs it. */
export interface CollectorTools {
  /** Resolves when a request to this URL may start; throws when it may not (robots, job stopped, lease lost). */
  readonly gate: (url: URL, options: { readonly acts: boolean }) => Promise<void>;
  /** Every response goes through here, redirects and failures included. Back-pressure: awaited. */
  readonly archive: (exchange: Exchange) => Promise<void>;
  /** Large files: streamed to a blob of their own. Resolves when the stream has ended and is durable. */
  readonly archiveFile: (
    head: Omit<Exchange, "body">,
    body: AsyncIterable<Uint8Array>,
  ) => Promise<{ readonly size: number; readonly digest: string }>;
  readonly signal: AbortSignal;
}

/** Caps on one item's collecting. */
export interface Limits {
  /** One request, from start to the last byte. */
  readonly requestMs: number;
  /** All requests of the item together; waiting for the gate and the archive is not counted. */
  readonly itemMs: number;
  /** Bytes over the wire of one response. */
  readonly bodyBytes: number;
  /** Bytes after decompression of one response. */
  readonly decodedBytes: number;
  readonly fileBytes: number;
  readonly redirects: number;
  /** Requests of one item, redirects included. */
  readonly hops: number;
}

/** One way of collecting (HTTP, browser, recording), opened once a process. */
export interface Collector {
  open(options: SessionOptions): CollectSession;
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Relative URLs are resolved against it. */
  readonly site: string;
  readonly tools: CollectorTools;
  readonly limits: Limits;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One item's side of a collector: its cookies, its caps and what it kept. */
export interface CollectSession {
  readonly http: Http;
  readonly keep: Keep;
  readonly kept: {
    /** `exchange` is the very object that `archive` was given. */
    readonly pages: readonly (KeptPage & { readonly exchange: Exchange })[];
    readonly files: readonly (KeptFile & { readonly name: string })[];
  };
  readonly requests: number;
  readonly bytes: number;
  /** Lets go of all pages, their texts and documents: the item may wait long for its bytes to be durable, these must not. */
  release(): void;
}
