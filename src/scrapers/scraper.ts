import type { ExtractFunction } from "../extraction/extract-function.ts";
import type { ExtractSpec, Fields } from "../extraction/extract-spec.ts";
import type { RecordOf } from "../extraction/field.ts";
import { AbsentError, FailureError, type PolicyOverrides } from "../domain/failure.ts";
import type { CollectorKind, Pace } from "../domain/job-version.ts";
import type { OptionNames } from "../domain/known-options.ts";
import type { BrowserOptions, Identity, Keep, Limits, ScraperTools } from "../ports/collector.ts";
import type { Emit, EmitToOther, EmitToSelf } from "./compile-emit.ts";

/** What a scraper's `collect` gets. */
export type CollectContext<Input, Kind extends CollectorKind = "http"> = CollectBase<Input> &
  ScraperTools[Kind];

export interface CollectBase<Input> {
  /** The item's input, as parsed by the scraper's schema. */
  readonly input: Input;
  /** Keeps pages and files under a name. */
  readonly keep: Keep;
  /** Number of this attempt, starting at 1. */
  readonly attempt: number;
  /** Aborted when the item's time is up. */
  readonly signal: AbortSignal;
}

/** A named recipe for one site. Written with `defineScraper`, checked when it is loaded. */
interface Scraper<Input = never, Kind extends CollectorKind = "http"> {
  /** How its items are run: `http` by default; `browser`: in a browser; `auto`: over HTTP where that is enough. */
  readonly kind?: Kind;
  /** For kinds that use a browser: isolation, what is loaded, which hosts. */
  readonly browser?: BrowserOptions;
  /** Up to 64 characters: a-z, 0-9, dot, dash and underscore. Jobs and records refer to it. */
  readonly name: string;
  /** The site's origin: relative URLs are resolved against it, and its domain is the lane. */
  readonly site?: string;
  /** The input of an item, as a zod schema or any other Standard Schema. Inputs that do not match it are rejected, with their line number. */
  readonly input: StandardSchema<unknown, Input>;
  /** Inputs with the same key are one item. By default the canonical URL of `url`, or the input itself. */
  readonly key?: (input: Input) => string;
  /** A name that several scrapers share when one vendor hosts many sites; by default the registrable domain. */
  readonly lane?: string;
  /** The load that the site accepts; by default 2 requests per second and 4 items at a time. */
  readonly pace?: Partial<Pace>;
  /** Proxy tiers from cheap to expensive: `["direct", "datacenter", "residential:us-tx"]`. The first is used while the site allows it; `["direct"]` by default. */
  readonly proxies?: readonly string[];
  /** `lane` (default): items of a lane share an exit until it is refused. `item`: each has a new one. */
  readonly proxySession?: "lane" | "item";
  /** For kind `http`. `own` (default): as Sluice. `browser`: with the TLS handshake and the headers of Chrome; needs the package `impit`. */
  readonly identity?: Identity;
  /** robots.txt is obeyed unless this says "ignore". */
  readonly robots?: "obey" | "ignore";
  /** The scraper acts on the site: an item is not retried automatically after a request marked `acts` was sent. */
  readonly once?: boolean;
  /** Limits of one item. */
  readonly limits?: Partial<ScraperLimits>;
  /** Changes to the failure policy for this site. */
  readonly failures?: PolicyOverrides;
  /** Sent with every request; `authorization` and `cookie` to the site's own origin only, and never stored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** "none": only records and files are stored, and extraction cannot be run again. */
  readonly archive?: "all" | "none";
  /** How long the data of its jobs is kept after a job ends: `{ pages: "90d", records: "2y" }`. Forever by default. */
  readonly retention?: RetentionSetting;
  /** Fetches the pages and keeps them. Runs once for each attempt. */
  readonly collect: (context: CollectContext<Input, Kind>) => Promise<void>;
  /** Which fields are where on the kept pages, or a function that finds them. Without it pages are only kept. */
  readonly extract?: ExtractSpec | ExtractFunction;
  /** Inputs found on its pages become items of the same job: `[emitTo(detail, { … })]`. */
  readonly emit?: readonly Emit<Input>[];
  /** A scraper of the same inputs and fields that uses a browser: its records are compared with this one's, and replace them where they differ. */
  readonly checkAgainst?: CheckSetting;
}

/** Written by `sluice distill`. */
export interface CheckSetting {
  /** The scraper that uses a browser. */
  readonly scraper: AnyScraper;
  /** Both scrapers run the first item and then one item in this many; 200 by default. */
  readonly oneIn?: number;
}

export const CHECK_OPTIONS: OptionNames<CheckSetting> = { scraper: true, oneIn: true };

export const SCRAPER_OPTIONS: OptionNames<Scraper> = {
  kind: true,
  browser: true,
  name: true,
  site: true,
  input: true,
  key: true,
  lane: true,
  pace: true,
  proxies: true,
  proxySession: true,
  identity: true,
  robots: true,
  once: true,
  limits: true,
  failures: true,
  headers: true,
  archive: true,
  retention: true,
  collect: true,
  extract: true,
  emit: true,
  checkAgainst: true,
};

/** Durations such as `12h`, `90d`, `2w` or `1y`. Applied by `sluice serve`, and by `sluice prune`. */
export interface RetentionSetting {
  /** Then pages and files are removed; records, manifest and counts stay. */
  readonly pages?: string;
  /** Then the job is removed, with everything it has. */
  readonly records?: string;
}

export interface ScraperLimits extends Limits {
  /** Steps from one scraper to another, counted from a given input. Inputs beyond this depth are capped. 10 by default. */
  readonly depth: number;
  /** Consecutive steps by `emitTo("self")`, for example the next pages of a list. Inputs beyond them are capped. 10,000 by default. */
  readonly chain: number;
}

/**
 * A scraper whose input type is not known here: inputs reach it only after its own schema has let them through, which is what
 * makes the call sound.
 */
export type AnyScraper = Omit<Scraper<unknown>, "kind" | "collect"> & {
  readonly kind?: CollectorKind;
  /** The client that registered it over the API; none for scrapers of the installation. */
  readonly owner?: string;
  /** Called with the tools of its own kind. */
  readonly collect: (context: CollectBase<unknown> & AllTools) => Promise<void>;
};

/** The tools of all kinds together. */
export type AllTools = ScraperTools["http"] & ScraperTools["browser"] & ScraperTools["recording"];

export const DEFAULT_LIMITS: ScraperLimits = {
  requestMs: 30_000,
  itemMs: 120_000,
  bodyBytes: 10_000_000,
  decodedBytes: 40_000_000,
  fileBytes: 200_000_000,
  redirects: 10,
  hops: 50,
  depth: 10,
  chain: 10_000,
};

/** Polite for a site about which nothing is known. */
export const DEFAULT_PACE = { perSecond: 2, concurrency: 4 };

/** A scraper that remembers its types: `InputOf<typeof scraper>`, `RecordFrom<typeof scraper>`. */
interface DefinedScraper<Input, F extends Fields, Given = unknown> extends AnyScraper {
  readonly "~types"?: { readonly input: Input; readonly record: RecordOf<F>; readonly given: Given };
}

export type InputOf<S> = S extends DefinedScraper<infer Input, Fields> ? Input : never;
/** Each field's value, or null: a field may be empty, missing or malformed. */
export type RecordFrom<S> = S extends DefinedScraper<unknown, infer F> ? RecordOf<F> : never;

/** Typed from the input schema to the record; what it returns is checked once more when it is loaded. */
export const defineScraper = <
  Given,
  Input,
  F extends Fields = Fields,
  Kind extends Exclude<CollectorKind, "recording"> = "http",
>(
  scraper: Omit<Scraper<Input, Kind>, "input" | "extract" | "emit"> & {
    readonly input: StandardSchema<Given, Input>;
    readonly extract?: ExtractSpec<F> | ExtractFunction;
    /** Inputs found on its pages become items of the same job: `[emitTo(detail, { … })]`. */
    readonly emit?: readonly (EmitToOther<NoInfer<Input>> | EmitToSelf<NoInfer<Input>, NoInfer<Given>>)[];
  },
): DefinedScraper<Input, F, Given> => scraper as unknown as DefinedScraper<Input, F, Given>;

/**
 * The common interface of schema libraries (zod, valibot, arktype …), https://standardschema.dev: Sluice checks inputs through it and loads none of
 * them itself.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** `parcel: expected 10 digits; year: required` */
export const describeIssues = (issues: readonly SchemaIssue[]): string =>
  issues
    .map(({ message, path }) => {
      const where = (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
      return where === "" ? message : `${where}: ${message}`;
    })
    .join("; ");

/** `throw absent()` when the site itself says that the input does not exist. */
export const absent = (reason?: string): AbsentError => new AbsentError(reason);

/** The text of something that must be on a page; throws a `navigation` failure that names it when it is not there. */
export const need = (value: unknown, what: string): string => {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new FailureError({ kind: "navigation", detail: `${what} was not found` });
};

/** The scrapers that a scraper emits to, directly or not, the nearest first; itself left out. */
export const targetsOf = (root: AnyScraper): AnyScraper[] => {
  const found = new Set([root]);
  // Iterating over a set includes what is added during the iteration.
  for (const scraper of found)
    for (const { target } of scraper.emit ?? []) if (target !== "self") found.add(target);
  return [...found].slice(1);
};
