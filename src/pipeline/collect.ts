import { AbsentError, type Failure, FailureError, ownTrouble, StopError } from "../domain/failure.ts";
import { redactSecrets } from "../domain/redact-secrets.ts";
import { BlobError } from "../ports/blobs.ts";
import type { Collector, CollectorTools, CollectSession, Keep, SessionOptions } from "../ports/collector.ts";
import { LedgerError } from "../ports/ledger.ts";
import { shortErrorPlace } from "../scrapers/error-place.ts";
import { ItemWork } from "../scrapers/item-work.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { AllTools, AnyScraper } from "../scrapers/scraper.ts";

/** How collecting ended. A failed item keeps its pages too: they are in the session. */
export type Collected = { readonly session: CollectSession } & CollectEnd;

type CollectEnd =
  | { readonly ended: "pages" }
  | { readonly ended: "absent"; readonly detail: string }
  | { readonly ended: "failure"; readonly failure: Failure };

export interface CollectRun {
  readonly ready: CompiledScraper;
  readonly collector: Collector;
  readonly input: unknown;
  readonly attempt: number;
  /** Only public addresses and the scraper's own site are allowed. */
  readonly guardsTargets?: boolean;
  readonly validators?: SessionOptions["validators"];
  readonly sharedBy?: SessionOptions["sharedBy"];
  readonly way?: SessionOptions["way"];
  /** Through which proxy; default: direct. May fail. */
  readonly route?: () => SessionOptions["route"];
  readonly tools: Omit<CollectorTools, "signal">;
  /** Aborted with a `StopError` when the worker must release the item. */
  readonly controller: AbortController;
  /** Called before the first request. The session always knows the item's cost so far. */
  readonly onSession?: (session: CollectSession) => void;
  /** Called for uncaught errors after the end of collecting, for example from a timer that outlived `collect`. */
  readonly onLate: (error: unknown) => void;
}

/**
 * Runs the scraper's own steps, and waits for everything that they started, awaited or not. Errors in them become failures of a known kind; only a stop
 * is thrown.
 */
export const collect = async (run: CollectRun): Promise<Collected> => {
  const { scraper, limits } = run.ready;
  const { signal } = run.controller;
  const work = new ItemWork(run.onLate);
  const clock = new ItemClock(limits.itemMs, () => run.controller.abort(new OverdueError(work.pending)));
  const opening = opened(run, {
    site: scraper.site ?? siteOf(run.input),
    limits,
    ...(run.sharedBy !== undefined && { sharedBy: run.sharedBy }),
    ...(run.way && { way: run.way }),
    ...(scraper.browser && { browser: scraper.browser }),
    ...(scraper.identity && { identity: scraper.identity }),
    ...(scraper.headers && { headers: scraper.headers }),
    ...((run.guardsTargets || scraper.owner !== undefined) && { publicOnly: publicOnly(scraper) }),
    ...(run.validators && { validators: run.validators }),
    tools: {
      signal,
      async gate(url, options) {
        signal.throwIfAborted();
        const departure = await clock.untimed(run.tools.gate(url, options));
        return departure && { ...departure, renew: () => clock.untimed(departure.renew()) };
      },
      archive: (exchange, key) => clock.untimed(run.tools.archive(exchange, key)),
      ...(run.tools.storedBody && { storedBody: run.tools.storedBody }),
      archiveFile: run.tools.archiveFile,
    },
  });
  const session = await opening.catch((error: unknown) => {
    if (error instanceof FailureError) return error.failure;
    throw error;
  });
  if ("kind" in session) {
    clock.end();
    work.end();
    return { session: NO_SESSION, ended: "failure", failure: session };
  }
  run.onSession?.(session);
  // Even if the scraper catches it: the site's answer is unknown.
  const letGo = (error: unknown): never => {
    const own = ownTrouble(error);
    if (own) run.controller.abort(own);
    throw error;
  };
  const keep: Keep = {
    page(name, page) {
      work.refuseLate("keep.page");
      session.keep.page(name, page);
    },
    file: (...of) => work.track("keep.file", () => session.keep.file(...of).catch(letGo)),
  };
  const { input, attempt } = run;
  const aborted = endOf(signal);
  let thrown: { readonly error: unknown } | undefined;
  const before = (step: Promise<void>): Promise<void> =>
    Promise.race([step, aborted]).catch((error: unknown) => {
      thrown ??= { error: signal.aborted ? signal.reason : error };
    });
  const tools = Object.fromEntries(
    Object.entries(session.tools).map(([name, tool]) => [
      name,
      tracked(tool, (method, call) => work.track(`${name}.${method}`, () => call().catch(letGo))),
    ]),
  ) as unknown as AllTools;
  await before(work.run(() => scraper.collect({ input, ...tools, keep, attempt, signal })));
  await before(work.settled());
  clock.end();
  const unobserved = work.end();
  if (signal.reason instanceof StopError) {
    await session.close();
    throw signal.reason;
  }
  const isOutcome = thrown?.error instanceof AbsentError;
  const end = (isOutcome ? unobserved : undefined) ?? thrown ?? unobserved;
  try {
    const own = ownTrouble(end?.error);
    if (own) throw own;
    return { session, ...(end ? endedBy(end.error, limits.itemMs) : { ended: "pages" }) };
  } catch (error) {
    await session.close();
    throw error;
  }
};

const opened = async (
  { collector, route: routeOf }: CollectRun,
  options: SessionOptions,
): Promise<CollectSession> => {
  const route = routeOf?.();
  return await collector.open({ ...options, ...(route && { route }) });
};

/** Of an item whose collector could not begin: a browser that does not start, or ends at once. */
const NO_SESSION: CollectSession = {
  tools: {} as CollectSession["tools"],
  keep: {} as Keep,
  kept: { pages: [], files: [] },
  requests: 0,
  bytes: 0,
  hasSecrets: false,
  close: async () => undefined,
};

type AsyncMethod = (...of: readonly unknown[]) => Promise<unknown>;

/** They answer at once, and start nothing. */
const IMMEDIATE: ReadonlySet<string> = new Set(["url"]);

/** The same methods, each call reported before it starts. */
const tracked = (
  tool: object,
  track: (method: string, call: () => Promise<unknown>) => Promise<unknown>,
): object =>
  Object.fromEntries(
    Object.entries(tool as Readonly<Record<string, AsyncMethod>>).map(([method, call]) => [
      method,
      IMMEDIATE.has(method) ? call : (...of: readonly unknown[]) => track(method, () => call(...of)),
    ]),
  );

const endedBy = (error: unknown, itemMs: number): CollectEnd => {
  if (error instanceof OverdueError) return { ended: "failure", failure: overdue(itemMs, error.inFlight) };
  if (error instanceof AbsentError) return { ended: "absent", detail: error.message };
  if (error instanceof FailureError) return { ended: "failure", failure: error.failure };
  if (error instanceof StopError || error instanceof BlobError || error instanceof LedgerError) throw error;
  return { ended: "failure", failure: scraperError(error) };
};

/** The site that a scraper declares is always allowed, if the owner of the installation wrote it. */
export const publicOnly = ({ site, owner }: AnyScraper): NonNullable<SessionOptions["publicOnly"]> =>
  site === undefined || owner !== undefined ? {} : { butSite: site };

class OverdueError extends Error {
  readonly inFlight: number;
  constructor(inFlight: number) {
    super("the item's time is up");
    this.inFlight = inFlight;
  }
}

/** Waiting for a slot or the archive does not count as the item's time: the clock stops while any of its requests waits. */
class ItemClock {
  readonly #onEnd: () => void;
  #leftMs: number;
  #startedAt = 0;
  #waits = 0;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, onEnd: () => void) {
    this.#leftMs = limitMs;
    this.#onEnd = onEnd;
    this.#run();
  }

  async untimed<Result>(wait: Promise<Result>): Promise<Result> {
    if (this.#waits++ === 0) this.#pause();
    try {
      return await wait;
    } finally {
      if (--this.#waits === 0) this.#run();
    }
  }

  end(): void {
    this.#hasEnded = true;
    this.#pause();
  }

  #run(): void {
    if (this.#hasEnded) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onEnd, this.#leftMs);
  }

  #pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#startedAt;
  }
}

const siteOf = (input: unknown): string =>
  typeof input === "object" &&
  input !== null &&
  "url" in input &&
  typeof input.url === "string" &&
  URL.canParse(input.url)
    ? input.url
    : "http://site.invalid";

const endOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });

const overdue = (itemMs: number, inFlight: number): Failure =>
  inFlight > 0
    ? {
        kind: "timeout",
        detail: `the item took longer than its ${itemMs / 1000} s; a request was still in progress`,
      }
    : {
        kind: "scraper-error",
        detail: `collect did not end within ${itemMs / 1000} s, and no request was in progress`,
      };

/** For the author: the message, and where in the scraper's files it was thrown. It is stored, so it contains no secrets. */
export const scraperError = (error: unknown): Failure => {
  if (!(error instanceof Error))
    return { kind: "scraper-error", detail: `threw ${typeof error}: ${shortened(String(error))}` };
  const place = shortErrorPlace(error);
  const detail = `${error.name}: ${shortened(error.message)}${place === undefined ? "" : ` (${place})`}`;
  return { kind: "scraper-error", detail };
};

/** Cut before and after redacting: an exception may contain a whole page, and half a secret is still one. */
const shortened = (message: string): string => redactSecrets(message.slice(0, 2000)).slice(0, 300);
