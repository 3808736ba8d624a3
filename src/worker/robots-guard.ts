import { setTimeout as delay } from "node:timers/promises";
import { FailureError } from "../domain/failure.ts";
import { parseRobots, type Robots } from "../domain/robots.ts";
import type { Collector, Departure, Limits, SessionOptions } from "../ports/collector.ts";
import type { RobotsCache } from "../ports/ledger.ts";

interface RobotsGuardOptions {
  readonly ledger: RobotsCache;
  readonly worker: string;
  readonly collector: () => Promise<Collector<"http">>;
  /** The product name to look up in robots.txt. */
  readonly robotName: string;
  readonly limits: Limits;
}

/** The request that robots.txt is checked for. */
interface RobotsVisit extends Pick<SessionOptions, "publicOnly"> {
  readonly takeSlot: (url: URL) => Promise<Departure | void>;
  readonly onCrawlDelay?: (delayMs: number) => void;
}

/** RFC 9309: not longer than a day. */
const KEEP_MS = 24 * 3_600_000;
const KEPT_HERE = 2000;
/** When to ask the ledger again; it has the file fetched again after a day. */
const ASK_AGAIN_MS = 3_600_000;
/** Longer delays mean "not at all", for which sites have `Disallow`. */
const LONGEST_DELAY_MS = 120_000;
const CLIENT_ERRORS = Array.from({ length: 100 }, (_, i) => 400 + i).filter((status) => status !== 429);

/** Fetches robots.txt once per origin for all processes, and keeps it. */
export class RobotsGuard {
  readonly #options: RobotsGuardOptions;
  readonly #known = new Map<string, { readonly robots: Promise<Robots | null>; readonly askedAt: number }>();

  constructor(options: RobotsGuardOptions) {
    this.#options = options;
  }

  /**
   * Throws `robots-denied`. While robots.txt cannot be fetched, the site is not touched (RFC 9309, 2.3.1.4): the item fails with the same kind, and is
   * retried later.
   */
  async check(url: URL, visit: RobotsVisit): Promise<void> {
    const now = performance.now();
    // A job that may reach any address must not get the refusal of a restricted job.
    const place = visit.publicOnly ? `public ${url.origin}` : url.origin;
    let known = this.#known.get(place);
    if (!known || now - known.askedAt > ASK_AGAIN_MS) {
      known = { robots: this.#find(url, visit), askedAt: now };
      this.#known.set(place, known);
      known.robots.catch(() => this.#known.delete(place));
      // A job may visit any number of hosts: the ledger has them all, this process the latest.
      if (this.#known.size > KEPT_HERE) this.#known.delete(this.#known.keys().next().value!);
    }
    const robots = await known.robots;
    if (robots === null || robots.allows(this.#options.robotName, url.href)) return;
    throw new FailureError({
      kind: "robots-denied",
      detail: `${url.origin}/robots.txt does not allow ${url.pathname}; to ignore it, set \`robots: "ignore"\` in the scraper`,
      url: url.href,
    });
  }

  async #find(url: URL, visit: RobotsVisit): Promise<Robots | null> {
    const { ledger, worker, robotName } = this.#options;
    for (;;) {
      const reply = await ledger.readRobots(url.origin, worker);
      if ("known" in reply) {
        const robots = reply.known.text === null ? null : parseRobots(reply.known.text);
        const delayMs = robots?.crawlDelayMs(robotName);
        if (delayMs) visit.onCrawlDelay?.(Math.min(delayMs, LONGEST_DELAY_MS));
        return robots;
      }
      if (reply.mayFetch) {
        const text = await this.#fetch(new URL("/robots.txt", url), visit);
        await ledger.keepRobots(url.origin, { text, keepMs: KEEP_MS });
      } else await delay(reply.againInMs);
    }
  }

  async #fetch(url: URL, { takeSlot, publicOnly }: RobotsVisit): Promise<string | null> {
    const { collector, limits } = this.#options;
    const session = await (
      await collector()
    ).open({
      site: url.origin,
      limits,
      ...(publicOnly && { publicOnly }),
      tools: {
        gate: (asked) => takeSlot(asked),
        archive: async () => {},
        archiveFile: () => Promise.reject(new Error("robots.txt is not a file to keep")),
        signal: new AbortController().signal, // a request is bounded by `requestMs`, waiting for its slot is not
      },
    });
    try {
      const page = await session.tools.http.get(url, { accept: CLIENT_ERRORS });
      return page.status >= 400 ? null : page.text;
    } catch (error) {
      // A block page instead of the file counts as no file (RFC 9309, 2.3.1.3); the pages themselves may be open.
      if (error instanceof FailureError && CLIENT_ERRORS.includes(error.failure.status ?? 0)) return null;
      throw error;
    }
  }
}
