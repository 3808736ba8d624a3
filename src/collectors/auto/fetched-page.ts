import { FailureError } from "../../domain/failure.ts";
import { refuseUnknownOptions } from "../../domain/known-options.ts";
import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import {
  type AutoPage,
  CLICK_OPTIONS,
  type CollectSession,
  type FormValue,
  GOTO_OPTIONS,
  type Page,
  READY_OPTIONS,
} from "../../ports/collector.ts";
import { type HtmlForm, readForm } from "../http/form.ts";
import { isButton } from "../http/form-controls.ts";
import { HttpPage } from "../http/page.ts";
import { scriptSign } from "./script-sign.ts";

/** The verbs of `page` on pages that are fetched over HTTP: links are followed and forms are sent, and nothing else happens on a click. */
export class FetchedPage implements AutoPage {
  readonly #session: CollectSession<"http">;
  #page: HttpPage | undefined;
  /** What was filled in, by form and by name. */
  #filled = new Map<HtmlElement, Record<string, FormValue>>();
  /** A verb that only a script could carry out. */
  #lack: string | undefined;

  constructor(session: CollectSession<"http">) {
    this.#session = session;
  }

  /** What the scraper gets. */
  get verbs(): AutoPage {
    return {
      url: () => this.url(),
      goto: (...of) => this.goto(...of),
      ready: (...of) => this.ready(...of),
      has: (...of) => this.has(...of),
      text: (...of) => this.text(...of),
      attr: (...of) => this.attr(...of),
      fill: (...of) => this.fill(...of),
      select: (...of) => this.select(...of),
      click: (...of) => this.click(...of),
      keep: (...of) => this.keep(...of),
      download: (...of) => this.download(...of),
    };
  }

  /** Why the page looks as if it needed a browser. */
  get sign(): string | undefined {
    if (this.#lack !== undefined) return this.#lack;
    return this.#page && /html/.test(this.#page.mediaType) ? scriptSign(this.#page.text) : undefined;
  }

  url(): string {
    return this.#page?.url ?? "about:blank";
  }

  async goto(...[url, given]: Parameters<AutoPage["goto"]>): Promise<void> {
    refuseUnknownOptions(given, GOTO_OPTIONS, "page.goto");
    this.#show(await this.#session.tools.http.get(url, given));
  }

  /** A fetched page does not change: a missing element will not appear later. */
  async ready<Selector extends string>(
    selector: Selector | readonly Selector[],
    given?: Parameters<AutoPage["ready"]>[1],
  ): Promise<Selector> {
    refuseUnknownOptions(given, READY_OPTIONS, "page.ready");
    const selectors = typeof selector === "string" ? [selector] : selector;
    const found = selectors.find((one) => this.#now.has(one));
    if (found === undefined) throw this.#failure(`nothing matches ${selectors.join(" or ")}`);
    return found;
  }

  async has(selector: string): Promise<boolean> {
    return this.#now.has(selector);
  }

  async text(selector: string): Promise<string | undefined> {
    return this.#now.textOf(selector);
  }

  async attr(selector: string, name: string): Promise<string | undefined> {
    return this.#now.attr(selector, name);
  }

  async fill(selector: string, value: string | number): Promise<void> {
    this.#set(this.#control(selector, "input"), selector, String(value));
  }

  async select(selector: string, value: string | readonly string[]): Promise<void> {
    this.#set(this.#control(selector, "select element"), selector, value);
  }

  async click(selector: string, given?: Parameters<AutoPage["click"]>[1]): Promise<void> {
    refuseUnknownOptions(given, CLICK_OPTIONS, "page.click");
    const element = this.#control(selector, "element");
    const acts = given?.acts === true ? { acts: true } : {};
    const box = boxOf(this.#document, element);
    if (box) return this.#toggle(element, selector, box);
    const link = this.#around(element, ({ tag }) => tag === "a");
    const href = link && this.#document.attr(link, "href");
    if (href !== undefined && isAddress(href)) {
      const url = this.#now.resolve(href);
      if (!url) throw this.#failure(`the link that matches ${selector} is not a URL: ${href.slice(0, 200)}`);
      return this.#show(await this.#session.tools.http.get(url, acts));
    }
    const button = this.#around(element, (one) => isSubmit(this.#document, one));
    const form = button && this.#formOf(button);
    if (!form)
      throw this.#needsScript(
        `the element that matches ${selector} is neither a link nor the button of a form`,
      );
    const read = readForm(this.#now, form);
    if (/^javascript:/i.test(read.action)) throw this.#needsScript("the form is sent by a script");
    const pressed = buttonName(this.#document, read, button);
    const options = { ...acts, ...(pressed !== undefined && { button: pressed }) };
    this.#show(await this.#session.tools.http.submit(read, this.#filled.get(form) ?? {}, options));
  }

  async keep(name: string): Promise<void> {
    this.#session.keep.page(name, this.#now);
  }

  async download(...[name, from]: Parameters<AutoPage["download"]>): ReturnType<AutoPage["download"]> {
    if ("url" in from) return await this.#session.keep.file(name, from.url);
    const element = this.#control(from.click, "link");
    const link = this.#around(element, ({ tag }) => tag === "a");
    const href = link && this.#document.attr(link, "href");
    const url = href !== undefined && isAddress(href) ? this.#now.resolve(href) : null;
    if (!url) throw this.#needsScript(`the element that matches ${from.click} is not a link to a file`);
    return await this.#session.keep.file(name, url);
  }

  get #now(): HttpPage {
    if (!this.#page) throw new TypeError("no page is open: begin with page.goto");
    return this.#page;
  }

  get #document(): HtmlDocument {
    return this.#now.document;
  }

  #show(page: Page): void {
    this.#page = page as HttpPage;
    this.#filled = new Map();
    this.#lack = undefined;
  }

  #control(selector: string, what: string): HtmlElement {
    const element = this.#document.first(compileSelector(selector));
    if (!element) throw this.#failure(`no ${what} matches ${selector}`);
    return element;
  }

  #set(element: HtmlElement, selector: string, value: FormValue): void {
    const form = this.#formOf(element);
    const name = this.#document.attr(element, "name") ?? "";
    if (!form || name === "")
      throw this.#needsScript(`the element that matches ${selector} is not part of a form`);
    this.#filled.set(form, { ...this.#filled.get(form), [name]: value });
  }

  #toggle(element: HtmlElement, selector: string, { kind, value }: Box): void {
    const form = this.#formOf(element);
    const name = this.#document.attr(element, "name") ?? "";
    if (kind === "radio" || !form) return this.#set(element, selector, value);
    const preset = readForm(this.#now, form).values.flatMap(([key, one]) => (key === name ? [one] : []));
    const now = (this.#filled.get(form)?.[name] as readonly string[] | undefined) ?? preset;
    const others = now.filter((one) => one !== value);
    this.#set(element, selector, others.length < now.length ? others : [...now, value]);
  }

  #formOf(element: HtmlElement): HtmlElement | undefined {
    const id = this.#document.attr(element, "form");
    if (id === undefined) return this.#document.formOf(element);
    return this.#document.all(compileSelector("form")).find((form) => this.#document.attr(form, "id") === id);
  }

  /** The element itself, or the nearest one around it. */
  #around(element: HtmlElement, isWanted: (one: HtmlElement) => boolean): HtmlElement | undefined {
    for (let up: HtmlElement | undefined = element; up; up = this.#document.parentOf(up))
      if (isWanted(up)) return up;
    return undefined;
  }

  #needsScript(detail: string): FailureError {
    this.#lack = `${detail}, which only a script can use`;
    return this.#failure(detail);
  }

  #failure(detail: string): FailureError {
    const { url, status } = this.#now;
    return new FailureError({
      kind: "navigation",
      detail: `${detail} on the page before its scripts run`,
      url,
      status,
    });
  }
}

interface Box {
  readonly kind: "checkbox" | "radio";
  readonly value: string;
}

const boxOf = (document: HtmlDocument, element: HtmlElement): Box | undefined => {
  const type = element.tag === "input" ? document.attr(element, "type")?.trim().toLowerCase() : undefined;
  if (type !== "checkbox" && type !== "radio") return undefined;
  return { kind: type, value: document.attr(element, "value") ?? "on" };
};

/** Not a place on the same page, and not a script. */
const isAddress = (href: string): boolean => !/^\s*(?:#|javascript:|$)/i.test(href);

const isSubmit = (document: HtmlDocument, element: HtmlElement): boolean => {
  const type = document.attr(element, "type")?.trim().toLowerCase();
  if (element.tag === "input") return type === "submit" || type === "image";
  return element.tag === "button" && type !== "button" && type !== "reset";
};

/** The name by which the form finds this button; undefined for its default button. */
const buttonName = (document: HtmlDocument, form: HtmlForm, element: HtmlElement): string | undefined => {
  const attr = (name: string): string => document.attr(element, name) ?? "";
  const own = form.controls
    .filter(isButton)
    .find(({ id, name, value }) => id === attr("id") && name === attr("name") && value === attr("value"));
  if (!own) throw form.failure("the button is disabled");
  if (form.button(undefined) === own) return undefined;
  const found = [own.id, own.label, own.name].find((name) => name !== "" && form.button(name) === own);
  if (found === undefined) throw form.failure("the form has two buttons that cannot be distinguished");
  return found;
};
