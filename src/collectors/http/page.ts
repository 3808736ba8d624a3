import type { CaptureRef, Exchange, KeptPage } from "../../domain/capture.ts";
import { FailureError } from "../../domain/failure.ts";
import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { parseJsonPath, valuesAt } from "../../extraction/json/json-path.ts";
import { parsePageJson } from "../../extraction/json/page-json.ts";
import { pageKind, parsePage } from "../../extraction/parse-page.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Page } from "../../ports/collector.ts";
import { BodyError, decodeBody, decodeBodyNow, isGzipFile } from "./decode-body.ts";
import { decodeText, detectCharset, readContentType } from "./decode-text.ts";
import { classifyResponse } from "./detect-block.ts";
import type { ItemRequest } from "./follow-redirects.ts";
import { type HtmlForm, readForm } from "./form.ts";
import type { Received } from "./item-requests.ts";
import type { ResponseHead } from "./wire.ts";

const NOTHING = Buffer.alloc(0);

const SHOWN_FORMS = 5;
const SHOWN_ATTRIBUTE = 60;

/** A response as a page. Decoded and parsed when first needed: many pages are only intermediate. */
export class HttpPage implements Page {
  readonly url: string;
  readonly mediaType: string;
  /** The object given to the archive for this page, so that the two can be matched. */
  exchange: Exchange;
  /** Its place in the archive if it was stored before. */
  stored: CaptureRef | undefined;
  /** The `Cookie` header that the next request to this address has; "" for none. */
  cookies = "";
  readonly #head: ResponseHead;
  #bytes: Buffer;
  readonly #declaredCharset: string | undefined;
  #charset: string | undefined;
  #text: string | undefined;
  #document: HtmlDocument | undefined;
  #json: { readonly value: unknown } | undefined;
  #base: URL | undefined;

  constructor(url: string, head: ResponseHead, bytes: Buffer, exchange: Exchange) {
    const { mediaType, charset } = readContentType(head.header("content-type"));
    this.url = url;
    this.mediaType = mediaType;
    this.exchange = exchange;
    this.#head = head;
    this.#bytes = bytes;
    this.#declaredCharset = charset;
  }

  get status(): number {
    return this.#head.status;
  }

  get charset(): string {
    return (this.#charset ??= detectCharset(this.#bytes, this.mediaType, this.#declaredCharset));
  }

  get text(): string {
    return (this.#text ??= decodeText(this.#bytes, this.charset));
  }

  get document(): HtmlDocument {
    return (this.#document ??= parsePage(this));
  }

  /**
   * The item that holds the page is older than the page. Without this, the garbage collector promotes each parsed page
   * to old space.
   */
  release(): void {
    this.#document = undefined;
    this.#json = undefined;
    this.cookies = "";
    this.#text = "";
    this.#bytes = NOTHING;
    this.exchange = { ...this.exchange, body: NOTHING };
  }

  header(name: string): string | undefined {
    return this.#head.header(name.toLowerCase());
  }

  has(selector: string): boolean {
    return this.#first(selector) !== undefined;
  }

  textOf(selector: string): string | undefined {
    const element = this.#first(selector);
    return element && this.document.textOf(element);
  }

  attr(selector: string, name: string): string | undefined {
    const element = this.#first(selector);
    return element && this.document.attr(element, name.toLowerCase());
  }

  link(selector: string): string {
    const element = this.#first(selector);
    if (!element) throw this.#failure(`no link matches ${selector}`);
    const href = this.#hrefOf(element);
    if (href === undefined) throw this.#failure(`the <${element.tag}> that matches ${selector} has no href`);
    const url = this.resolve(href);
    if (!url) throw this.#failure(`the link that matches ${selector} is not a URL: ${href.slice(0, 200)}`);
    if (url.protocol === "javascript:") {
      throw this.#failure(`the link that matches ${selector} runs a script: ${href.slice(0, 200)}`);
    }
    return url.href;
  }

  links(selector: string): string[] {
    return this.document.all(compileSelector(selector)).flatMap((element) => {
      const href = this.#hrefOf(element);
      const url = href === undefined ? null : this.resolve(href);
      return url && url.protocol !== "javascript:" ? [url.href] : [];
    });
  }

  form(selector = "form"): HtmlForm {
    const matches = this.document.all(compileSelector(selector));
    const element = matches.find(({ tag }) => tag === "form");
    if (!element) {
      const instead = matches[0] ? `, only a <${matches[0].tag}>` : "";
      throw this.#failure(`no form matches ${selector}${instead}; ${this.#formsText()}`);
    }
    return readForm(this, element);
  }

  json(): unknown {
    return (this.#json ??= parsePageJson(this)).value;
  }

  at(path: string): unknown {
    return valuesAt(this.json(), parseJsonPath(path))[0];
  }

  cookie(name: string): string | undefined {
    const pair = this.cookies.split("; ").find((one) => one.startsWith(`${name}=`));
    return pair?.slice(name.length + 1);
  }

  /** Resolves a URL against the page, with `<base href>`; null if it is invalid. */
  resolve(reference: string): URL | null {
    this.#base ??= this.#readBase();
    return URL.parse(reference, this.#base.href);
  }

  #readBase(): URL {
    const base = this.attr("base[href]", "href");
    const url = base === undefined ? null : URL.parse(base, this.url);
    return url && /^https?:$/.test(url.protocol) ? url : new URL(this.url);
  }

  /** In XML a link may be the text of an element: `<loc>`, or `<link>` in RSS. */
  #hrefOf(element: HtmlElement): string | undefined {
    return pageKind(this) === "xml" ? this.document.linkOf(element) : this.document.attr(element, "href");
  }

  /** The page's forms, described as selectors. */
  #formsText(): string {
    const forms = this.document.all(compileSelector("form"));
    if (forms.length === 0) return "the page has no form";
    const shown = forms.slice(0, SHOWN_FORMS).map((form) => this.#formText(form));
    const rest = forms.length - shown.length;
    return `the page has ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  }

  #formText(form: HtmlElement): string {
    const attr = (name: string): string => {
      // A query may hold a secret.
      const [value = ""] = this.document.attr(form, name)?.trim().split("?") ?? [];
      return value === "" ? "" : `[${name}^=${JSON.stringify(value.slice(0, SHOWN_ATTRIBUTE))}]`;
    };
    const id = this.document.attr(form, "id")?.trim() ?? "";
    return /^[a-z][\w-]{0,60}$/i.test(id)
      ? `form#${id}`
      : `form${attr("id")}${attr("name")}${attr("action")}`;
  }

  #first(selector: string): HtmlElement | undefined {
    return this.document.first(compileSelector(selector));
  }

  #failure(detail: string): FailureError {
    return new FailureError({ kind: "navigation", detail, url: this.url, status: this.status });
  }
}

/** Turns an archived response into a page, or throws its failure. */
export const receivePage = async (
  request: ItemRequest,
  received: Received,
  decodedBytes: number,
): Promise<HttpPage> => {
  const { head, exchange } = received;
  const url = request.url.href;
  const isAccepted = request.accept.includes(head.status);
  const body = await decode(received, decodedBytes, isAccepted || head.status < 300, url);
  const page = new HttpPage(url, head, body, exchange);
  const failure = classifyResponse({ head, body, mediaType: page.mediaType }, isAccepted, Date.now());
  if (failure) throw new FailureError({ ...failure, url });
  if (isUnaskedPart(request, head))
    throw new FailureError({
      kind: "bad-content",
      detail: "the site sent partial content (206), which was not requested",
      url,
      status: head.status,
    });
  return page;
};

/** Partial content is valid only for a range request; otherwise it would be taken for the whole. */
export const isUnaskedPart = (
  { headers, accept }: Pick<ItemRequest, "headers" | "accept">,
  { status }: Pick<ResponseHead, "status">,
): boolean =>
  status === 206 &&
  !accept.includes(status) &&
  !Object.keys(headers).some((name) => name.toLowerCase() === "range");

const decode = async (
  { head, body }: Received,
  decodedBytes: number,
  isGood: boolean,
  url: string,
): Promise<Buffer> => {
  try {
    const bytes = await decodeBody(body, head.header("content-encoding"), decodedBytes);
    const { mediaType } = readContentType(head.header("content-type"));
    return isGzipFile(bytes, mediaType, url) ? await decodeBody(bytes, "gzip", decodedBytes) : bytes;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    // For an error page the status is enough.
    if (!isGood) return Buffer.alloc(0);
    const { kind, message: detail } = error;
    throw new FailureError({ kind, detail, url, status: head.status }, { cause: error });
  }
};

/** A response as read from the archive: the body is still content-encoded. */
export interface StoredResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** The page was within its scraper's limits when it was collected; this guards against tampered bytes. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The page as extraction saw it when it was collected. Throws `BodyError` if its body cannot be decoded. */
export const storedPage = (name: string, { url, status, headers, body }: StoredResponse): KeptPage => {
  const wire = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const sent = decodeBodyNow(wire, headerOf(headers, "content-encoding"), MOST_BYTES);
  const { mediaType, charset } = readContentType(headerOf(headers, "content-type"));
  const bytes = isGzipFile(sent, mediaType, url) ? decodeBodyNow(sent, "gzip", MOST_BYTES) : sent;
  const text = decodeText(bytes, detectCharset(bytes, mediaType, charset));
  return { name, url, status, mediaType, text };
};

const headerOf = (headers: StoredResponse["headers"], name: string): string | undefined => {
  for (const [key, value] of headers)
    if (key.length === name.length && key.toLowerCase() === name) return value;
  return undefined;
};
