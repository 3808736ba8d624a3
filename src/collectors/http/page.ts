import type { CaptureRef, Exchange } from "../../domain/capture.ts";
import { FailureError } from "../../domain/failure.ts";
import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { parsePageJson } from "../../extraction/json/page-json.ts";
import { pageKind, parsePage } from "../../extraction/parse-page.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Page } from "../../ports/collector.ts";
import { decodeText, detectCharset, readContentType } from "./decode-text.ts";
import { type HtmlForm, readForm } from "./form.ts";
import type { WireHead } from "./wire.ts";

const NOTHING = Buffer.alloc(0);

const SHOWN_FORMS = 5;
const SHOWN_ATTRIBUTE = 60;

/** A response as a page. Decoding and parsing happen when first needed: many pages are only passed through. */
export class HttpPage implements Page {
  readonly url: string;
  readonly mediaType: string;
  /** What the archive was given for this page: the same object, so that the two can be matched. */
  exchange: Exchange;
  /** Where it is, when it was in the archive already. */
  stored: CaptureRef | undefined;
  readonly #head: WireHead;
  #bytes: Buffer;
  readonly #declaredCharset: string | undefined;
  #charset: string | undefined;
  #text: string | undefined;
  #document: HtmlDocument | undefined;
  #base: URL | undefined;

  constructor(url: string, head: WireHead, bytes: Buffer, exchange: Exchange) {
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
   * A page is young when the item that asked for it is old already. Unless the tie is cut here, the collector of young
   * garbage takes each parsed page along into old space.
   */
  release(): void {
    this.#document = undefined;
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
    return parsePageJson(this).value;
  }

  /** A URL as the page means it, `<base href>` respected; null when it cannot be one. */
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

  /** What there is instead, by what a selector could name. */
  #formsText(): string {
    const forms = this.document.all(compileSelector("form"));
    if (forms.length === 0) return "there is no form on the page";
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
