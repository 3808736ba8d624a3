import type { Exchange } from "../model/capture.ts";
import { failurePolicy } from "../model/failure-policy.ts";
import { DEFAULT_FRESH_MS, readingOf } from "../model/freshness.ts";
import type { Outcome } from "../model/item.ts";
import type { JobSpec } from "../model/job.ts";
import type { CollectSession, SessionOptions } from "../ports/collector.ts";
import type { ClaimedItem, FreshEntry, FreshNote, Ledger } from "../ports/ledger.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import { type CacheWord, cacheWord } from "./cache-word.ts";
import { contentDigest } from "./content-digest.ts";

/** What an item's run came to, as far as freshness needs it. */
export interface ItemRunEnd {
  readonly outcome: Outcome;
  readonly session: CollectSession;
  /** Lines of its records; undefined for a scraper that makes none. */
  readonly records: readonly string[] | undefined;
  /** The answer to a conditional request: as it was. */
  readonly notModified?: Exchange;
}

/** One item of a job that asks for freshness: what is known of it from before, and what it leaves for later. */
export class ItemFreshness {
  readonly #spec: JobSpec;
  readonly #ready: ReadyScraper;
  /** What the client itself had, by this version of the scraper. */
  readonly #own: FreshEntry | undefined;
  /** That, or else what it may share: the site can be asked whether it still holds. */
  readonly #known: FreshEntry | undefined;

  private constructor(spec: JobSpec, ready: ReadyScraper, own?: FreshEntry, shared?: FreshEntry) {
    this.#spec = spec;
    this.#ready = ready;
    this.#own = own;
    this.#known = own ?? shared;
  }

  /**
   * Undefined where nothing may be remembered: the job does not ask for it, the scraper acts on the site, or finds inputs for others, which would
   * not be found on a page that is not read.
   */
  static async of(
    ledger: Pick<Ledger, "readFresh">,
    item: Pick<ClaimedItem, "key" | "scraper">,
    spec: JobSpec,
    ready: ReadyScraper,
  ): Promise<ItemFreshness | undefined> {
    if (!spec.freshness || ready.scraper.once || ready.emits.length > 0) return undefined;
    const { scraper, version } = readingOf(spec, item.scraper);
    const { key } = item;
    const entries = await ledger.readFresh([
      { client: spec.client, scraper, key },
      { client: null, scraper, key },
    ]);
    const [own, shared] = entries.map((entry) => (entry?.version === version ? entry : undefined));
    return new ItemFreshness(spec, ready, own, shared);
  }

  /** To ask the site whether it is still what it was; not when the job wants every page anew. */
  get validators(): SessionOptions["validators"] {
    const { maxAgeMs, onlyChanged } = this.#spec.freshness!;
    const { etag, lastModified, url, outcome } = this.#known ?? {};
    const isWanted = maxAgeMs !== 0 || onlyChanged;
    if (!isWanted || outcome !== "done" || !url || !(etag || lastModified)) return undefined;
    return { url, ...(etag && { etag }), ...(lastModified && { lastModified }) };
  }

  /** What the outcome is in the light of the last time, and what is kept of it. Reads the session's pages. */
  end({ outcome, session, records, notModified }: ItemRunEnd): {
    readonly outcome: Outcome;
    readonly fresh?: FreshNote;
  } {
    const { failures } = this.#ready.scraper;
    switch (outcome.state) {
      case "done": {
        const digest = contentDigest(records, session.kept);
        const isSame = digest !== undefined && digest === this.#own?.digest;
        const fresh = this.#note("done", session, digest);
        if (!isSame || !this.#spec.freshness!.onlyChanged) return { outcome, fresh };
        return { outcome: { state: "skipped", reason: "unchanged" }, fresh };
      }
      case "absent":
        return { outcome, fresh: this.#note("absent", session, undefined) };
      case "skipped":
        return { outcome, ...(notModified && { fresh: this.#noteNotModified(session, notModified) }) };
      case "failed": {
        const { kind } = outcome.failure;
        return { outcome, fresh: { outcome: kind, freshMs: failurePolicy(kind, failures).freshMs } };
      }
      case "waiting":
      case "returned":
        return { outcome };
      default:
        throw outcome satisfies never;
    }
  }

  #note(outcome: "done" | "absent", session: CollectSession, digest: string | undefined): FreshNote {
    const exchanges = session.kept.pages.map(({ exchange }) => exchange);
    const [only] = exchanges;
    // Validators are good for one page that one request brings: what was asked on the way to another is part of the answer too.
    const isOne = exchanges.length === 1 && session.requests === 1 && only!.method === "GET";
    return {
      outcome,
      ...windowOf(
        exchanges.map((one) => cacheWord(one, Date.now())),
        this.#isPrivate(session),
      ),
      ...(digest !== undefined && { digest }),
      ...(isOne && outcome === "done" && validatorsOf(only!)),
    };
  }

  /** Headers of the answer count as if they had come with the page (RFC 9111, 4.3.4); where it has none, the page's own hold again. */
  #noteNotModified(session: CollectSession, exchange: Exchange): FreshNote {
    const { digest, freshUntil, fetchedAt } = this.#known!;
    // A 304 is no answer of its own: it stands for the page.
    const word = cacheWord({ ...exchange, status: 200 }, Date.now());
    const window =
      word.ownMs === undefined
        ? { freshMs: freshUntil - fetchedAt }
        : windowOf([word], this.#isPrivate(session));
    return { outcome: "done", ...window, ...(digest !== undefined && { digest }), ...validatorsOf(exchange) };
  }

  /** Came with secrets, or unguarded: a job that was started on this machine may read where no client may look. */
  #isPrivate({ hasSecrets }: CollectSession): boolean {
    return hasSecrets || !this.#spec.guardsTargets;
  }
}

/** The shortest of what several pages allow; an hour where none says anything. */
const windowOf = (
  words: readonly CacheWord[],
  isPrivate: boolean,
): Pick<FreshNote, "freshMs" | "sharedMs"> => {
  const least = (of: "ownMs" | "sharedMs"): number =>
    words.length === 0 ? DEFAULT_FRESH_MS : Math.min(...words.map((word) => word[of] ?? DEFAULT_FRESH_MS));
  const isShareable = !isPrivate && words.length > 0 && words.every((word) => word.isShareable);
  return { freshMs: least("ownMs"), ...(isShareable && { sharedMs: least("sharedMs") }) };
};

const validatorsOf = ({
  url,
  responseHeaders,
}: Exchange): Pick<FreshNote, "etag" | "lastModified" | "url"> => {
  const find = (name: string) => responseHeaders.find(([one]) => one.toLowerCase() === name)?.[1];
  const [etag, lastModified] = [find("etag"), find("last-modified")];
  return { url, ...(etag && { etag }), ...(lastModified && { lastModified }) };
};
