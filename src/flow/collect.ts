import type { Exchange } from "../model/capture.ts";
import { AbsentError, type Failure, FailureError, UnchangedError } from "../model/failure.ts";
import { redactSecrets } from "../model/redact-secrets.ts";
import { StopError } from "../model/stop-error.ts";
import { BlobError } from "../ports/blobs.ts";
import type {
  Collector,
  CollectorTools,
  CollectSession,
  Http,
  Keep,
  SessionOptions,
} from "../ports/collector.ts";
import { LedgerError } from "../ports/ledger.ts";
import { shortErrorPlace } from "../scrapers/error-place.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";

/** How collecting ended. Also a failed item keeps the pages it paid for: what was kept is in the session either way. */
export type Collected = { readonly session: CollectSession } & (
  | { readonly ended: "pages" }
  | { readonly ended: "absent"; readonly detail: string }
  | { readonly ended: "unchanged"; readonly exchange: Exchange }
  | { readonly ended: "failure"; readonly failure: Failure }
);

export interface CollectRun {
  readonly ready: ReadyScraper;
  readonly collector: Collector;
  readonly input: unknown;
  readonly attempt: number;
  /** Only public addresses and the scraper's own site may be asked. */
  readonly guardsTargets?: boolean;
  readonly validators?: SessionOptions["validators"];
  readonly tools: Omit<CollectorTools, "signal">;
  /** Aborted with a `StopError` when the worker must let go of the item. */
  readonly controller: AbortController;
  /** Told of the item's session before its first request: what it has cost is known there at any moment. */
  readonly onSession?: (session: CollectSession) => void;
}

/** Runs the scraper's own steps. Whatever goes wrong in them becomes a failure of a known kind; only a stop is thrown. */
export const collect = async (run: CollectRun): Promise<Collected> => {
  const { scraper, limits } = run.ready;
  const { signal } = run.controller;
  const clock = new ItemClock(limits.itemMs, () => run.controller.abort(new OverdueError(inFlight)));
  /** Requests that the scraper waits for. */
  let inFlight = 0;
  const session = run.collector.open({
    site: scraper.site ?? siteOf(run.input),
    limits,
    ...(scraper.headers && { headers: scraper.headers }),
    ...(run.guardsTargets && { publicOnly: publicOnly(scraper) }),
    ...(run.validators && { validators: run.validators }),
    tools: {
      signal,
      async gate(url, options) {
        signal.throwIfAborted();
        await clock.untimed(run.tools.gate(url, options));
      },
      archive: (exchange) => clock.untimed(run.tools.archive(exchange)),
      archiveFile: run.tools.archiveFile,
      ...(run.tools.leaving && { leaving: run.tools.leaving }),
    },
  });
  run.onSession?.(session);
  const counted = async <Result>(request: Promise<Result>): Promise<Result> => {
    inFlight++;
    try {
      return await request;
    } finally {
      inFlight--;
    }
  };
  const http: Http = {
    get: (...of) => counted(session.http.get(...of)),
    post: (...of) => counted(session.http.post(...of)),
    submit: (...of) => counted(session.http.submit(...of)),
  };
  const keep: Keep = {
    page: (name, page) => session.keep.page(name, page),
    file: (...of) => counted(session.keep.file(...of)),
  };
  try {
    const { input, attempt } = run;
    await Promise.race([scraper.collect({ input, http, keep, attempt, signal }), endOf(signal)]);
    return { ended: "pages", session };
  } catch (error) {
    if (signal.reason instanceof StopError) throw signal.reason;
    if (signal.reason instanceof OverdueError)
      return { ended: "failure", failure: overdue(limits.itemMs, signal.reason.inFlight), session };
    if (error instanceof UnchangedError) return { ended: "unchanged", exchange: error.exchange, session };
    if (error instanceof AbsentError) return { ended: "absent", detail: error.message, session };
    if (error instanceof FailureError) return { ended: "failure", failure: error.failure, session };
    if (error instanceof StopError || error instanceof BlobError || error instanceof LedgerError) throw error;
    return { ended: "failure", failure: scraperError(error), session };
  } finally {
    clock.end();
  }
};

/** What the installation's owner wrote into a scraper may be asked wherever it is. */
export const publicOnly = ({ site }: AnyScraper): NonNullable<SessionOptions["publicOnly"]> =>
  site === undefined ? {} : { butSite: site };

class OverdueError extends Error {
  readonly inFlight: number;
  constructor(inFlight: number) {
    super("the item's time is up");
    this.inFlight = inFlight;
  }
}

/** Waiting for a slot or the archive is the house's time, not the item's: while any of its requests does, the clock stands still. */
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
        detail: `the item took longer than its ${itemMs / 1000} s; a request was still open`,
      }
    : {
        kind: "scraper-error",
        detail: `collect did not end within ${itemMs / 1000} s, with no request open`,
      };

/** What the author needs to find the place: the message, and where in the scraper's files it was thrown. It is stored: no secrets. */
export const scraperError = (error: unknown): Failure => {
  if (!(error instanceof Error))
    return { kind: "scraper-error", detail: `threw ${typeof error}: ${shortened(String(error))}` };
  const place = shortErrorPlace(error);
  const detail = `${error.name}: ${shortened(error.message)}${place === undefined ? "" : ` (${place})`}`;
  return { kind: "scraper-error", detail };
};

/** Cut before and after: an exception may hold a whole page, and half a secret is one too. */
const shortened = (message: string): string => redactSecrets(message.slice(0, 2000)).slice(0, 300);
