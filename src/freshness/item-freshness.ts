import { hash } from "node:crypto";
import type { CaptureRef, Exchange, StoredCapture } from "../domain/capture.ts";
import { failurePolicy } from "../domain/failure.ts";
import { DEFAULT_FRESH_MS, readingOf } from "../domain/freshness.ts";
import type { Outcome } from "../domain/item.ts";
import type { JobSpec } from "../domain/job.ts";
import type { JudgedRecord } from "../domain/record.ts";
import type { CollectSession, Validators } from "../ports/collector.ts";
import type { ClaimedItem, FreshEntry, FreshNote, Ledger } from "../ports/ledger.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { cacheLifetime, type CacheLifetime } from "./cache-lifetime.ts";

/** The result of an item's run, as far as freshness needs it. */
export interface ItemRunEnd {
  readonly outcome: Outcome;
  readonly session: CollectSession;
  /** Lines of its records; undefined for a scraper that makes none. */
  readonly records: readonly string[] | undefined;
}

interface Sources {
  readonly ledger: Pick<Ledger, "readFresh" | "listItems">;
  readonly readCapture: (ref: CaptureRef) => Promise<Omit<StoredCapture, "ref">>;
}

/** One item of a job with freshness: what earlier runs left for it, and what it leaves for later ones. */
export class ItemFreshness {
  readonly #spec: JobSpec;
  readonly #ready: CompiledScraper;
  /** The client's own last result with this version of the scraper. */
  readonly #own: FreshEntry | undefined;
  /** Its own, or else a shared one: the site can be asked whether it is still valid. */
  readonly #known: FreshEntry | undefined;

  readonly #sources: Sources;

  private constructor(
    sources: Sources,
    spec: JobSpec,
    ready: CompiledScraper,
    own?: FreshEntry,
    shared?: FreshEntry,
  ) {
    this.#sources = sources;
    this.#spec = spec;
    this.#ready = ready;
    this.#own = own;
    this.#known = own ?? shared;
  }

  /**
   * Undefined if nothing may be remembered: the job does not use freshness, or the scraper acts on the site, or it emits inputs, which would be
   * missed if the page were not read.
   */
  static async of(
    sources: Sources,
    item: Pick<ClaimedItem, "key" | "scraper">,
    spec: JobSpec,
    ready: CompiledScraper,
  ): Promise<ItemFreshness | undefined> {
    if (!spec.freshness || ready.scraper.once || ready.emits.length > 0) return undefined;
    const { scraper, version } = readingOf(spec, item.scraper);
    const { key } = item;
    const entries = await sources.ledger.readFresh([
      { client: spec.client, scraper, key },
      { client: null, scraper, key },
    ]);
    const [own, shared] = entries.map((entry) => (entry?.version === version ? entry : undefined));
    return new ItemFreshness(sources, spec, ready, own, shared);
  }

  /** For a conditional request; undefined if no stored page could take the place of the response. */
  get validators(): Validators | undefined {
    const { etag, lastModified, url, outcome } = this.#known ?? {};
    const keepsPages = this.#ready.scraper.archive !== "none";
    if (!keepsPages || outcome !== "done" || !url || !(etag || lastModified)) return undefined;
    const stored = () => this.#stored(this.#known!, url);
    return { url, ...(etag && { etag }), ...(lastModified && { lastModified }), stored };
  }

  async #stored({ job, item }: FreshEntry, url: string): Promise<StoredCapture | undefined> {
    const { ledger, readCapture } = this.#sources;
    try {
      const { items } = await ledger.listItems(job, { after: { ...item, seq: item.seq - 1 }, limit: 1 });
      const source = items.find(({ ref }) => ref.queue === item.queue && ref.seq === item.seq);
      const ref = source?.captures.find((one) => one.url === url);
      return ref && { ...(await readCapture(ref)), ref };
    } catch {
      // Deleted or damaged: fetch it from the site.
      return undefined;
    }
  }

  /** The outcome compared with the last time, and the note for later runs. Reads the session's pages. */
  end({ outcome, session, records }: ItemRunEnd): {
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
        return { outcome: { state: "skipped", reason: "unchanged", quality: outcome.quality }, fresh };
      }
      case "absent":
        return { outcome, fresh: this.#note("absent", session, undefined) };
      case "failed": {
        const { kind } = outcome.failure;
        return { outcome, fresh: { outcome: kind, freshMs: failurePolicy(kind, failures).freshMs } };
      }
      case "waiting":
      case "skipped":
      case "returned":
        return { outcome };
      default:
        throw outcome satisfies never;
    }
  }

  #note(outcome: "done" | "absent", session: CollectSession, digest: string | undefined): FreshNote {
    const exchanges = session.kept.pages.map(({ exchange }) => exchange);
    const [only] = exchanges;
    // Validators work for one page from one request: intermediate requests would be part of the result too.
    const isOne = exchanges.length === 1 && session.requests === 1 && only!.method === "GET";
    return {
      outcome,
      ...windowOf(
        exchanges.map((one) => cacheLifetime(one, Date.now())),
        this.#isPrivate(session),
      ),
      ...(digest !== undefined && { digest }),
      ...(isOne && outcome === "done" && validatorsOf(only!)),
    };
  }

  /** Fetched with secrets, or without the target guard: a local job may read what no client may see. */
  #isPrivate({ hasSecrets }: CollectSession): boolean {
    return hasSecrets || !this.#spec.guardsTargets;
  }
}

/** The shortest time that the pages allow; an hour if none specifies any. */
const windowOf = (
  words: readonly CacheLifetime[],
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

/**
 * Covers content, not layout: the values of the records, or the text of the kept pages if there are none. A value's position on the page, and
 * the selector that found it, may change without a change of meaning.
 */
export const contentDigest = (
  records: readonly string[] | undefined,
  { pages, files }: CollectSession["kept"],
): string | undefined => {
  if (records) return digestOf(records.map(valuesOf));
  if (pages.length === 0 && files.length === 0) return undefined;
  return digestOf([
    ...pages.map(({ name, status, text }) => [name, status, text]),
    ...files.map(({ name, digest }) => [name, digest]),
  ]);
};

const valuesOf = (line: string): unknown => {
  const { from, fields } = JSON.parse(line) as JudgedRecord & { readonly from: string };
  return [from, Object.entries(fields).map(([name, { status, value }]) => [name, status, value])];
};

const digestOf = (content: unknown): string => `sha256:${hash("sha256", JSON.stringify(content))}`;
