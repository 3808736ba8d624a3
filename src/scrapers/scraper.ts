import type { ExtractFunction } from "../extraction/extract-function.ts";
import type { ExtractSpec } from "../extraction/extract-spec.ts";
import type { PolicyOverrides } from "../model/failure-policy.ts";
import type { Pace } from "../model/pace.ts";
import type { Http, Keep, Limits } from "../ports/collector.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** What a scraper's `collect` is given. */
export interface CollectContext<Input> {
  readonly input: Input;
  readonly http: Http;
  readonly keep: Keep;
  /** 1-based number of this try. */
  readonly attempt: number;
  /** Aborted when the item's time is up. */
  readonly signal: AbortSignal;
}

/** A named recipe for one site. Written with `defineScraper`, checked when it is loaded. */
export interface Scraper<Input = never> {
  readonly name: string;
  /** The site's origin: relative URLs are resolved against it, and its domain is the lane. */
  readonly site?: string;
  readonly input: StandardSchema<unknown, Input>;
  /** Two inputs with one key are one item. By default the canonical URL of `url`, or the input itself. */
  readonly key?: (input: Input) => string;
  /** A name that several scrapers share when one vendor hosts many sites; by default the registrable domain. */
  readonly lane?: string;
  readonly pace?: Partial<Pace>;
  /** Proxy tiers in the order in which they may be tried. Only "direct" is there yet: the others are not used. */
  readonly proxies?: readonly string[];
  /** robots.txt is obeyed unless this says "ignore". */
  readonly robots?: "obey" | "ignore";
  /** The scraper acts on the site: an item is not tried again by itself once a request marked `acts` has left. */
  readonly once?: boolean;
  readonly limits?: Partial<Limits>;
  /** Rows of the failure policy that differ for this site. */
  readonly failures?: PolicyOverrides;
  readonly headers?: Readonly<Record<string, string>>;
  /** "none": only the records are kept, and extraction cannot be run again. */
  readonly archive?: "all" | "none";
  readonly collect: (context: CollectContext<Input>) => Promise<void>;
  readonly extract?: ExtractSpec | ExtractFunction;
}

/**
 * A scraper whose input type is not known here: inputs reach it only after its own schema has let them through, which is what
 * makes the call sound.
 */
export type AnyScraper = Scraper<unknown>;

export const DEFAULT_LIMITS: Limits = {
  requestMs: 30_000,
  itemMs: 120_000,
  bodyBytes: 10_000_000,
  decodedBytes: 40_000_000,
  fileBytes: 200_000_000,
  redirects: 10,
  hops: 50,
};

/** Polite for a site about which nothing is known. */
export const DEFAULT_PACE = { perSecond: 2, concurrency: 4 };
