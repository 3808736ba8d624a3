import type { BrowserContext, Page } from "playwright-core";
import { FailureError } from "../../domain/failure.ts";
import type { EgressSession } from "../egress/egress-proxy.ts";
import { settledWithin } from "./active-clock.ts";
import { directSession, type Session, skipPreviews } from "./below-the-api.ts";
import type { BrowserProcess } from "./browser-process.ts";
import { scriptCall } from "./page-scripts.ts";

export interface TabOptions {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly userAgent: string;
  /** Loopback address of the egress proxy, and the tab's account there; none for a remote browser. */
  readonly egress?: { readonly url: string; readonly session: EgressSession } | undefined;
}

const STEP_MS = 2_000;
/** Long enough for a busy machine: a tab that is closed costs more than one that is waited for. */
const WIPE_MS = 10_000;
/** More of them take longer to end than a new document. */
const MOST_TIMERS = 20_000;
/** With its popups. */
const MOST_PAGES = 6;

/** A context with one page. It serves one item at a time. */
export class Tab {
  readonly process: BrowserProcess;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: Session;
  /** Of the browser's context, as the gate knows it. */
  readonly contextId: string;
  readonly targetId: string;
  readonly egress: EgressSession | undefined;
  items = 0;
  /** The emptied document of the previous item is still there. */
  isLeft = false;
  #isGivenOut = false;
  /** Aborted when it is no longer usable: it crashed, hung or could not be wiped. */
  readonly #broken = new AbortController();
  #isolated: number | undefined;

  private constructor(
    process: BrowserProcess,
    context: BrowserContext,
    page: Page,
    cdp: Session,
    { targetId, browserContextId }: { readonly targetId: string; readonly browserContextId?: string },
    egress: EgressSession | undefined,
  ) {
    this.egress = egress;
    this.process = process;
    this.context = context;
    this.page = page;
    this.cdp = cdp;
    this.targetId = targetId;
    this.contextId = browserContextId ?? "";
    context.on("page", (popup) => {
      if (context.pages().length > MOST_PAGES) void popup.close().catch(() => undefined);
    });
    page.on("worker", () => this.stray());
    page.on("crash", () => this.break("its page crashed"));
    page.on("close", () => this.break("its page was closed"));
    context.on("close", () => this.break("the browser ended"));
  }

  static async open(process: BrowserProcess, options: TabOptions): Promise<Tab> {
    const { viewport, userAgent, egress } = options;
    const context = await process.browser.newContext({
      viewport,
      userAgent,
      ignoreHTTPSErrors: false,
      acceptDownloads: false,
      ...(egress && { proxy: { server: egress.url } }),
    });
    // Deadlines are our own: the library's would count waiting for slots.
    context.setDefaultTimeout(0);
    context.setDefaultNavigationTimeout(0);
    try {
      const page = await context.newPage();
      const cdp = directSession(await context.newCDPSession(page));
      const { targetInfo } = await cdp.send("Target.getTargetInfo");
      await cdp.send("Page.enable");
      const tab = new Tab(process, context, page, cdp, targetInfo, egress?.session);
      cdp.on("Page.frameNavigated", ({ frame }) => {
        if (frame.parentId === undefined) tab.#isolated = undefined;
      });
      return tab;
    } catch (error) {
      egress?.session.close();
      await settledWithin(STEP_MS, context.close());
      throw error;
    }
  }

  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  get isBroken(): boolean {
    return this.#broken.signal.aborted;
  }

  /** From now on it serves no item; waiting calls fail with the reason. */
  break(why: string): void {
    this.#broken.abort(new FailureError({ kind: "browser", detail: `the browser could not finish: ${why}` }));
  }

  /** Something has begun in its page, which should do nothing between two items. */
  stray(): void {
    if (this.isLeft) this.break("a script of its last item still ran");
  }

  async hasCookies(): Promise<boolean> {
    const of = { browserContextId: this.contextId };
    return (await this.process.cdp.send("Storage.getCookies", of)).cookies.length > 0;
  }

  /** All frames of its page, as they are now. */
  async frames(): Promise<{ readonly id: string; readonly securityOrigin: string }[]> {
    const { frameTree } = await this.cdp.send("Page.getFrameTree");
    const found: (typeof frameTree.frame)[] = [];
    const add = (tree: typeof frameTree): void => {
      found.push(tree.frame);
      for (const child of tree.childFrames ?? []) add(child);
    };
    add(frameTree);
    return found;
  }

  /** Calls one of our scripts in the main frame. A navigation in the meantime starts it again in the new document. */
  async call<Result>(...of: Parameters<typeof scriptCall>): Promise<Result> {
    const expression = scriptCall(...of);
    for (;;) {
      try {
        const contextId = (this.#isolated ??= await this.#isolate());
        const { result, exceptionDetails } = await this.cdp.send("Runtime.evaluate", {
          expression,
          contextId,
          awaitPromise: true,
          returnByValue: true,
        });
        if (exceptionDetails)
          throw new PageScriptError(
            exceptionDetails.exception?.description?.split("\n", 1)[0] ?? exceptionDetails.text,
          );
        return result.value as Result;
      } catch (error) {
        if (error instanceof PageScriptError || this.isBroken || !isOfOldDocument(error)) throw error;
        this.#isolated = undefined;
      }
    }
  }

  async #isolate(): Promise<number> {
    const { executionContextId } = await this.cdp.send("Page.createIsolatedWorld", {
      frameId: this.targetId,
      // With a name, all documents share what Chromium keeps for it; without one, each adds megabytes that stay until the process ends.
      worldName: "sluice",
    });
    return executionContextId;
  }

  /** The scraper may do with Playwright's page what nothing here knows of. */
  async giveOut(): Promise<Page> {
    this.#isGivenOut = true;
    await this.blank();
    void skipPreviews(this.page);
    return this.page;
  }

  /** Replaces the document of the previous item. */
  async blank(): Promise<void> {
    if (!this.isLeft) return;
    await this.cdp.send("Page.navigate", { url: "about:blank" });
    this.isLeft = false;
  }

  /** Removes everything that an item left in the context. False if it could not: then the tab must be closed. `serveEmpty` has all its pages answered with empty ones from now on. */
  async wipe(visited: Visited, serveEmpty: () => void): Promise<boolean> {
    if (this.isBroken) return false;
    const work = async (): Promise<void> => {
      this.isLeft = (await this.#empty(visited)) || (await this.#replace(visited, serveEmpty));
      await Promise.all([
        this.process.cdp.send("Storage.clearCookies", { browserContextId: this.contextId }),
        this.#isGivenOut && this.context.clearPermissions(),
        ...[...visited.origins].map((origin) =>
          this.cdp.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" }),
        ),
      ]);
    };
    return (await settledWithin(WIPE_MS, work())) && !this.isBroken;
  }

  /** Empties the item's document in place, which costs much less than a new one. False if that may not stop everything in it. */
  async #empty({ documents, pending }: Visited): Promise<boolean> {
    const isAlone = () =>
      [...this.context.pages(), ...this.page.workers(), ...this.context.serviceWorkers()].length === 1;
    if (documents.size !== 1 || pending > 0 || !isAlone()) return false;
    const origin = await this.call<string | null>("leave", MOST_TIMERS).catch(() => null);
    return origin !== null && documents.has(origin) && isAlone();
  }

  /** Replaces the item's documents by empty ones of the same origins: only there can their session storage be cleared. */
  async #replace({ documents }: Visited, serveEmpty: () => void): Promise<boolean> {
    for (const other of this.context.pages()) if (other !== this.page) await other.close();
    serveEmpty();
    for (const origin of documents) {
      await this.cdp.send("Page.navigate", { url: `${origin}/` });
      if ((await this.call("forget")) !== origin) throw new Error("another page is shown");
    }
    return documents.size > 0;
  }

  /** The context with its pages; if it does not close, the whole browser. */
  async close(): Promise<void> {
    this.break("it was closed");
    this.egress?.close();
    if (!this.process.isConnected) return;
    if (await settledWithin(STEP_MS, this.context.close())) return;
    this.process.kill();
  }
}

/** What an item leaves behind. */
export interface Visited {
  /** Those that it requested, and those of its documents. */
  readonly origins: ReadonlySet<string>;
  readonly documents: ReadonlySet<string>;
  /** Requests that were not answered. */
  readonly pending: number;
}

/** A script of ours failed inside the page: for example a selector that is not valid. */
export class PageScriptError extends Error {}

const isOfOldDocument = (error: unknown): boolean =>
  /Cannot find context|context was destroyed|Cannot find default execution context|Inspected target navigated|Internal error|uniqueContextId/i.test(
    String(error),
  );
