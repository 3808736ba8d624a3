import { FailureError, StopError } from "../../domain/failure.ts";
import { MissingBrowserError, MissingPackageError } from "../../domain/missing-package.ts";
import type { BrowserOptions, SessionOptions } from "../../ports/collector.ts";
import type { Proxies } from "../proxy/proxies.ts";
import type { EgressProxy } from "../egress/egress-proxy.ts";
import { type LaunchOptions, BrowserProcess } from "./browser-process.ts";
import { defaultTabs } from "./find-browser.ts";
import { Tab, type Visited } from "./tab.ts";
import { TrafficGate } from "./traffic-gate.ts";

export interface PoolOptions extends LaunchOptions {
  /** Tabs in use at once; default: by cores and memory. */
  readonly tabs?: number | undefined;
  readonly userAgent: string;
  /** Carries the traffic of a local browser. */
  readonly proxy?: EgressProxy | undefined;
  /** Where items with a route leave. */
  readonly proxies?: Proxies | undefined;
  readonly recycle?: Partial<RecycleRules> | undefined;
}

interface RecycleRules {
  /** Items of one context, and of one browser. */
  readonly contextItems: number;
  readonly browserItems: number;
  readonly browserBytes: number;
  readonly browserMs: number;
}

const RECYCLE: RecycleRules = {
  contextItems: 100,
  browserItems: 1_000,
  browserBytes: 1024 ** 3,
  browserMs: 30 * 60_000,
};

/** Reading it costs some milliseconds. */
const MEMORY_EVERY_MS = 5_000;
const IDLE_MS = 60_000;
/** Twice as long as a browser may take to start. */
const OPEN_MS = 60_000;

type Variant = Required<Pick<LaunchOptions, "full" | "hidesImages">>;

interface Running {
  readonly process: BrowserProcess;
  readonly gate: TrafficGate;
  items: number;
  inUse: number;
  /** When its memory was read last. */
  weighedAt: number;
  /** Takes no new items, and ends after the last one. */
  isRetired: boolean;
}

type TabWishes = Pick<SessionOptions, "sharedBy" | "browser" | "publicOnly" | "route" | "tools">;

/** A browser may end at any moment, also while a tab is opened. */
const openingFailure = (error: unknown): unknown => {
  if (
    error instanceof FailureError ||
    error instanceof StopError ||
    error instanceof MissingBrowserError ||
    error instanceof MissingPackageError
  )
    return error;
  return new FailureError(
    { kind: "browser", detail: "the browser ended before a tab was open" },
    { cause: error },
  );
};

/** A tab in use by one item. */
export interface TabLease {
  readonly tab: Tab;
  readonly gate: TrafficGate;
  /** Returns it for the next item with the same key, wiped; or closes it. Frees its place at once. */
  release(visited: Visited): void;
}

/**
 * The browser of one worker process, and its tabs. Places are counted here and freed when the item ends, whatever the browser does. Warm tabs are kept
 * by key and never change keys.
 */
export class BrowserPool {
  readonly #options: PoolOptions;
  readonly #rules: RecycleRules;
  readonly #most: number;
  readonly #idle = new Map<
    string,
    { readonly tab: Tab; readonly running: Running; readonly since: number }[]
  >();
  readonly #waiting = new Set<() => void>();
  readonly #closing = new Set<Promise<void>>();
  readonly #all = new Set<Running>();
  /** Full Chromium and the headless shell, each with and without pictures. */
  readonly #current = new Map<string, Promise<Running>>();
  #used = 0;
  #isClosed = false;
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#rules = { ...RECYCLE, ...options.recycle };
    this.#most = options.tabs ?? defaultTabs();
    this.#sweeper = setInterval(() => this.#closeIdle(IDLE_MS), IDLE_MS / 4).unref();
  }

  /** Places that are free now. */
  get room(): number {
    return this.#most - this.#used;
  }

  /** A warm tab of an item with the same `sharedBy` and the same options, or a new one. */
  async take({ sharedBy, browser = {}, publicOnly, route, tools }: TabWishes): Promise<TabLease> {
    const key =
      browser.isolation === "item" || sharedBy === undefined
        ? undefined
        : JSON.stringify([sharedBy, browser, publicOnly, route]);
    await this.#place(tools.signal);
    try {
      const { tab, running } =
        (key === undefined ? undefined : this.#reuse(key)) ??
        (await this.#openInTime(this.#open(browser, publicOnly, route), tools.signal).catch(
          (error: unknown) => {
            throw openingFailure(error);
          },
        ));
      running.inUse++;
      tab.items++;
      return { tab, gate: running.gate, release: (visited) => this.#release(key, tab, running, visited) };
    } catch (error) {
      this.#free();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    this.#idle.clear();
    await Promise.all([...this.#all].map(({ process }) => process.close()));
    await Promise.all(this.#closing);
  }

  async #place(signal: AbortSignal): Promise<void> {
    while (this.#used >= this.#most) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const leave = (): void => {
        this.#waiting.delete(resolve);
        resolve();
      };
      this.#waiting.add(resolve);
      signal.addEventListener("abort", leave, { once: true });
      await promise;
      signal.removeEventListener("abort", leave);
      if (signal.aborted) this.#wakeNext();
      signal.throwIfAborted();
    }
    this.#used++;
  }

  #free(): void {
    this.#used--;
    this.#wakeNext();
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (!next || this.#used >= this.#most) return;
    this.#waiting.delete(next);
    next();
  }

  #reuse(key: string): { readonly tab: Tab; readonly running: Running } | undefined {
    const tabs = this.#idle.get(key) ?? [];
    for (let found = tabs.pop(); found; found = tabs.pop()) {
      if (!found.tab.isBroken && found.running.process.isConnected && !found.running.isRetired) return found;
      this.#discard(found.tab, found.running);
    }
    this.#idle.delete(key);
    return undefined;
  }

  async #open(
    { viewport = VIEWPORT, full, load }: BrowserOptions,
    publicOnly: SessionOptions["publicOnly"],
    route: SessionOptions["route"],
  ): Promise<{ tab: Tab; running: Running }> {
    const running = await this.#running({
      full: full ?? this.#options.full ?? false,
      hidesImages: !load?.includes("image"),
    });
    // Another item's idle tab makes room: each costs memory.
    if (this.#idleCount() + this.#used > this.#most) this.#closeIdle(0, 1);
    const { userAgent, proxy, proxies } = this.#options;
    if (route && !(proxy && proxies))
      throw new FailureError({
        kind: "proxy",
        detail: proxy ? "no proxies are configured" : "a remote browser cannot use the tiers of `proxies`",
      });
    const settings = {
      isGuarded: publicOnly !== undefined,
      trustedOrigin: publicOnly?.butSite,
      allowsWebSockets: load?.includes("websocket") ?? false,
      ...(route && proxies && { openTarget: proxies.open(route) }),
    };
    const egress = proxy && { url: proxy.url, session: proxy.open(settings) };
    const tab = await Tab.open(running.process, { viewport, userAgent, egress });
    running.gate.add(tab);
    return { tab, running };
  }

  /** A browser that is killed while it opens a tab may leave the library waiting for ever. */
  async #openInTime(
    opening: Promise<{ readonly tab: Tab; readonly running: Running }>,
    signal: AbortSignal,
  ): Promise<{ readonly tab: Tab; readonly running: Running }> {
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const giveUp = (why: Error): void => {
      reject(why);
      // A tab that opens too late is closed.
      opening.then(
        ({ tab, running }) => this.#discard(tab, running),
        () => undefined,
      );
    };
    const timer = setTimeout(() => {
      this.#current.clear();
      giveUp(new FailureError({ kind: "browser", detail: `no tab was open within ${OPEN_MS} ms` }));
    }, OPEN_MS);
    const stop = (): void => giveUp(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await Promise.race([opening, givenUp]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** The current browser, or a new one if it has ended or is due for replacement. Several items may wait for the same one. */
  async #running(variant: Variant): Promise<Running> {
    const key = JSON.stringify(variant);
    for (;;) {
      const starting = this.#current.get(key) ?? this.#start(variant);
      this.#current.set(key, starting);
      const forget = (): void => {
        if (this.#current.get(key) === starting) this.#current.delete(key);
      };
      const known = await starting.catch((error: unknown) => {
        forget();
        throw error;
      });
      const isUsable = known.process.isConnected && !known.isRetired;
      if (isUsable) return known;
      forget();
    }
  }

  async #start(variant: Variant): Promise<Running> {
    const process = await BrowserProcess.start({ ...this.#options, ...variant });
    const gate = await TrafficGate.open(process).catch(async (error: unknown) => {
      await process.close();
      throw error;
    });
    const running = { process, gate, items: 0, inUse: 0, weighedAt: performance.now(), isRetired: false };
    this.#all.add(running);
    process.browser.once("disconnected", () => {
      this.#all.delete(running);
      this.#later(process.close());
    });
    if (this.#isClosed) await process.close();
    return running;
  }

  #isDue(running: Running): boolean {
    const { process, items } = running;
    const { browserItems, browserBytes, browserMs } = this.#rules;
    const now = performance.now();
    if (items >= browserItems || now - process.startedAt >= browserMs) return true;
    if (now - running.weighedAt < MEMORY_EVERY_MS) return false;
    running.weighedAt = now;
    return (process.memory() ?? 0) >= browserBytes;
  }

  #retire(running: Running): void {
    running.isRetired = true;
    this.#closeIdle(0);
    if (running.inUse === 0) this.#later(running.process.close());
  }

  #release(key: string | undefined, tab: Tab, running: Running, visited: Visited): void {
    running.gate.assign(tab, undefined);
    running.items++;
    if (!running.isRetired && this.#isDue(running)) this.#retire(running);
    const isKept =
      key !== undefined &&
      !this.#isClosed &&
      !running.isRetired &&
      !tab.isBroken &&
      tab.items < this.#rules.contextItems;
    const done = (): void => {
      running.inUse--;
      if (running.isRetired && running.inUse === 0) this.#later(running.process.close());
      this.#free();
    };
    if (!isKept) {
      this.#discard(tab, running);
      return done();
    }
    // The place is freed when the tab can be used again, or is given up: both take seconds at most.
    this.#later(this.#wipe(key, tab, running, visited).finally(done));
  }

  async #wipe(key: string, tab: Tab, running: Running, visited: Visited): Promise<void> {
    const isWiped = await tab.wipe(visited, () => running.gate.serveEmpty(tab));
    running.gate.assign(tab, undefined);
    if (!isWiped || this.#isClosed || running.isRetired) return this.#discard(tab, running);
    const tabs = this.#idle.get(key) ?? [];
    tabs.push({ tab, running, since: performance.now() });
    this.#idle.set(key, tabs);
  }

  #discard(tab: Tab, running: Running): void {
    running.gate.remove(tab);
    this.#later(tab.close());
  }

  #later(work: Promise<unknown>): void {
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    this.#closing.add(ended);
    void ended.then(() => this.#closing.delete(ended));
  }

  #idleCount(): number {
    let count = 0;
    for (const tabs of this.#idle.values()) count += tabs.length;
    return count;
  }

  /** The oldest first. */
  #closeIdle(olderMs: number, most = Infinity): void {
    const now = performance.now();
    let left = most;
    for (const [key, tabs] of this.#idle) {
      while (left > 0 && tabs[0] && now - tabs[0].since >= olderMs) {
        const { tab, running } = tabs.shift()!;
        this.#discard(tab, running);
        left--;
      }
      if (tabs.length === 0) this.#idle.delete(key);
    }
  }
}

const VIEWPORT = { width: 1280, height: 800 };
