import { RESOURCE_PREFIXES } from "../../domain/capture.ts";
import { type Failure, FailureError } from "../../domain/failure.ts";
import { refuseUnknownOptions } from "../../domain/known-options.ts";
import {
  type BrowserPage,
  CLICK_OPTIONS,
  GOTO_OPTIONS,
  type KeptFile,
  type Limits,
  READY_OPTIONS,
} from "../../ports/collector.ts";
import { type ActiveClock, settledWithin } from "./active-clock.ts";
import type { ItemTraffic } from "./item-traffic.ts";
import { PageScriptError, type Tab } from "./tab.ts";

interface PageOptions {
  readonly tab: Tab;
  readonly traffic: ItemTraffic;
  readonly clock: ActiveClock;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly site: string;
  /** Stores something made from the page. */
  readonly resource: (name: string, made: Made) => Promise<void>;
  readonly file: (name: string, head: Made | undefined, start: () => Promise<void>) => Promise<KeptFile>;
}

/** Something made from a page. */
export interface Made {
  readonly url: string;
  readonly mediaType: string;
  readonly body: Buffer;
}

/** How long a page with a failed request may be quiet before nothing more is expected of it. */
const QUIET_MS = 1_500;
const LOOK_EVERY_MS = 250;

/** The verbs of a browser scraper. Each call has a deadline of its own on the item's clock; a page that does not answer is a `browser` failure. */
export const createBrowserPage = (options: PageOptions): BrowserPage => {
  const { tab, traffic, clock, limits } = options;
  const signal = AbortSignal.any([options.signal, tab.broken]);

  const within = <Result>(work: Promise<Result>, late: () => Error, ms = limits.requestMs): Promise<Result> =>
    clock.within(ms, signal, work, late).catch((error: unknown) => {
      throw translated(error, tab);
    });
  const hangs = (): Error => {
    tab.break("a script keeps the page busy");
    return new FailureError(hung(limits.requestMs, tab.page.url()));
  };
  const call = <Result>(...of: Parameters<Tab["call"]>): Promise<Result> =>
    within(tab.call<Result>(...of), hangs);

  const acting = async <Result>(acts: boolean | undefined, work: () => Promise<Result>): Promise<Result> => {
    traffic.acts = acts ?? false;
    try {
      return await work();
    } finally {
      traffic.acts = false;
    }
  };

  /** Resolves with a failure when a request that the page may need has failed and nothing more happens. */
  const givenUp = (isOver: () => boolean): Promise<Failure> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (isOver()) return;
        const { trouble, pending, quietSince } = traffic;
        if (trouble && pending === 0 && clock.now() - quietSince > QUIET_MS) resolve(trouble);
        else setTimeout(look, LOOK_EVERY_MS);
      };
      setTimeout(look, LOOK_EVERY_MS);
    });

  const goto: BrowserPage["goto"] = async (url, given) => {
    refuseUnknownOptions(given, GOTO_OPTIONS, "page.goto");
    const target = URL.parse(String(url), options.site);
    if (!target) throw navigation(`not a URL: ${String(url).slice(0, 200)}`, tab);
    traffic.accept = given?.accept ?? [];
    traffic.forgetTrouble();
    traffic.document = undefined;
    await acting(given?.acts, async () => {
      const { errorText } = await within(
        tab.cdp.send("Page.navigate", { url: target.href }),
        () =>
          new FailureError({
            kind: "timeout",
            detail: `no response within ${limits.requestMs} ms`,
            url: target.href,
          }),
      );
      const refused = documentFailure(traffic) ?? (errorText === undefined ? undefined : traffic.trouble);
      if (refused || errorText !== undefined)
        throw new FailureError(
          refused ?? {
            kind: "connection",
            detail: `the page cannot be opened: ${errorText}`,
            url: target.href,
          },
        );
      await within(
        tab.call("parsed"),
        () =>
          new FailureError(
            traffic.pending > 0
              ? {
                  kind: "timeout",
                  detail: `the page was not complete within ${limits.requestMs} ms`,
                  url: target.href,
                }
              : hung(limits.requestMs, target.href),
          ),
      );
      const failure = documentFailure(traffic);
      if (failure) throw new FailureError(failure);
    });
  };

  const found = (status: unknown, selector: string, what: string): void => {
    if (status === "ok") return;
    if (status === "missing")
      throw new FailureError(traffic.trouble ?? navigation(`no ${what} matches ${selector}`, tab).failure);
    if (status === "not-a-field")
      throw navigation(`the element that matches ${selector} cannot be used as ${what}`, tab);
    throw navigation(`${selector} has no option ${String(status).slice("no-option:".length)}`, tab);
  };

  return {
    url: () => (tab.isLeft ? "about:blank" : tab.page.url()),
    goto,
    async ready(selector, given) {
      refuseUnknownOptions(given, READY_OPTIONS, "page.ready");
      const selectors = typeof selector === "string" ? [selector] : selector;
      const ms = given?.timeoutMs ?? limits.requestMs;
      let isOver = false;
      try {
        const at = await within(
          Promise.race([
            tab.call<number>("ready", selectors),
            givenUp(() => isOver).then((failure) => {
              throw new FailureError(failure);
            }),
          ]),
          () => new LateError(),
          ms,
        );
        return selectors[at]!;
      } catch (error) {
        if (!(error instanceof LateError)) throw error;
        throw new FailureError(await lateFailure(traffic, tab, selectors, ms));
      } finally {
        isOver = true;
      }
    },
    async fill(selector, value) {
      found(await call("fill", selector, String(value)), selector, "input");
    },
    async click(selector, given) {
      refuseUnknownOptions(given, CLICK_OPTIONS, "page.click");
      traffic.forgetTrouble();
      await acting(given?.acts, async () => found(await call("click", selector), selector, "element"));
    },
    async select(selector, value) {
      found(await call("select", selector, [value].flat()), selector, "select element");
    },
    text: async (selector) => (await call<string | null>("text", selector)) ?? undefined,
    has: (selector) => call<boolean>("has", selector),
    attr: async (selector, name) => (await call<string | null>("attr", selector, name)) ?? undefined,
    async keep(name) {
      const made = await within(domOf(tab, limits.decodedBytes), hangs);
      if (!("body" in made))
        throw new FailureError({
          kind: "too-large",
          detail: `the document has ${made.characters} characters, the limit is ${limits.decodedBytes}`,
          url: tab.page.url(),
        });
      await options.resource(name, made);
    },
    download: async (name, from) =>
      await options.file(name, undefined, async () => {
        if ("click" in from) return found(await call("click", from.click), from.click, "element");
        const target = URL.parse(String(from.url), options.site);
        if (!target) throw navigation(`not a URL: ${String(from.url).slice(0, 200)}`, tab);
        await within(tab.cdp.send("Page.navigate", { url: target.href }), () =>
          browserFailure("the browser could not leave the page", tab),
        );
      }),
    async pdf(name) {
      const { data } = await within(tab.cdp.send("Page.printToPDF", { printBackground: true }), () =>
        browserFailure("the page could not be printed in time", tab),
      );
      const made = {
        url: RESOURCE_PREFIXES.pdf + tab.page.url(),
        mediaType: "application/pdf",
        body: Buffer.from(data, "base64"),
      };
      return await options.file(name, made, async () => undefined);
    },
    playwright: () => within(tab.giveOut(), hangs),
  };
};

/** The document as it is now; only its size when it is too large. */
export const domOf = async (tab: Tab, most: number): Promise<Made | { readonly characters: number }> => {
  const dom = await tab.call<Dom | { characters: number }>("dom", most);
  return "characters" in dom ? dom : madeOf(dom, tab.page.url());
};

/** What the script `dom` returns. */
export interface Dom {
  readonly html: string;
  readonly mediaType: string;
}

export const madeOf = ({ html, mediaType }: Dom, url: string): Made => ({
  url: RESOURCE_PREFIXES.dom + url,
  mediaType: `${mediaType}; charset=utf-8`,
  body: Buffer.from(html),
});

const documentFailure = ({ trouble, document }: ItemTraffic): Failure | undefined =>
  trouble && document?.url === trouble.url ? trouble : undefined;

const navigation = (detail: string, tab: Tab): FailureError =>
  new FailureError({ kind: "navigation", detail, url: tab.page.url() });

const browserFailure = (detail: string, tab: Tab): FailureError =>
  new FailureError({ kind: "browser", detail, url: tab.page.url() });

const hung = (ms: number, url: string): Failure => ({
  kind: "browser",
  detail: `the page did not answer for ${ms} ms: a script keeps it busy`,
  url,
});

class LateError extends Error {}

/** A page that is not busy answers well within this time, on a busy machine too. */
const ANSWERS_MS = 2_000;

const lateFailure = async (
  traffic: ItemTraffic,
  tab: Tab,
  selectors: readonly string[],
  ms: number,
): Promise<Failure> => {
  if (traffic.trouble) return traffic.trouble;
  const url = tab.page.url();
  if (traffic.pending > 0)
    return { kind: "timeout", detail: `a request of the page was not answered within ${ms} ms`, url };
  if (!(await settledWithin(ANSWERS_MS, tab.call("has", "html")))) {
    tab.break("a script keeps the page busy");
    return hung(ms, url);
  }
  return { kind: "navigation", detail: `nothing matched ${selectors.join(" or ")} within ${ms} ms`, url };
};

/** Errors of the library become failures of a known kind. */
const translated = (error: unknown, tab: Tab): unknown => {
  if (error instanceof FailureError) return error;
  if (error instanceof PageScriptError)
    return /is not a valid selector/.test(error.message)
      ? new TypeError(error.message.replace(/^.*?: /, ""))
      : navigation(`a script of Sluice failed in the page: ${error.message}`, tab);
  const text = String(error instanceof Error ? error.message : error);
  if (tab.isBroken || !tab.process.isConnected || /closed|crash|disconnected|detached/i.test(text)) {
    tab.break("it ended while the item ran");
    return new FailureError(
      { kind: "browser", detail: "the browser or its page ended while the item ran" },
      { cause: error },
    );
  }
  return error;
};
