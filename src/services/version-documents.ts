import type { CanaryRule, CanaryState } from "../domain/canary.ts";
import type { DocumentChange, StoredDocument } from "../ports/documents.ts";
import type { Ledger } from "../ports/ledger.ts";
import { type Bundle, deployedSource, newestBundle } from "../scrapers/bundle.ts";
import { parseBundle } from "../scrapers/parse-bundle.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import type { VersionCode, VersionDifference } from "../scrapers/version-difference.ts";
import { type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";

/** The pointers to a scraper's stored versions. */
export interface Pointers {
  readonly active?: string;
  readonly canary?: string;
  readonly previous?: string;
  /** A canary that has ended, and whose jobs have not all been changed yet. */
  readonly ending?: string;
}

export interface CanaryRecord extends CanaryRule {
  readonly state: "running" | "undecided" | "rolled-back" | "promoted";
  /** Set by the person who started it; by default it depends on the size of each job. */
  readonly ownShare?: number;
  readonly startedAt: number;
  readonly by: string;
  readonly endedAt?: number;
  readonly reason?: string;
  readonly test: CanaryState;
  /** Jobs with items of the canary. */
  readonly jobs: readonly string[];
  /** The jobs that have not been changed or extracted again yet. */
  readonly unread: readonly string[];
}

/** What is known about a stored version. */
export interface VersionRecord {
  readonly bundle: string;
  readonly by: string;
  readonly at: number;
  readonly commit?: string;
  readonly difference?: VersionDifference & { readonly from: string };
  readonly activations?: readonly {
    readonly at: number;
    readonly by: string;
    readonly how: "activated" | "rolled back" | "promoted";
    readonly accepted?: string;
  }[];
  readonly gate?: {
    readonly at: number;
    readonly against?: string;
    readonly isRefused: boolean;
    readonly reasons: readonly string[];
    readonly items: number;
    /** The whole report. */
    readonly blob: string;
  };
  readonly canary?: CanaryRecord;
}

type Stored = Pick<Ledger, "documents">;

/** A document as it was read, to be changed. */
export interface Found<Body> {
  readonly body: Body;
  readonly revision: number;
}

const found = <Body extends object>(document: StoredDocument | undefined, empty: Body): Found<Body> => ({
  body: (document?.body as Body | undefined) ?? empty,
  revision: document?.revision ?? 0,
});

export const readPointers = async ({ documents }: Stored, scraper: string): Promise<Found<Pointers>> =>
  found(await documents.read("scraper", scraper), {});

const MOST_SCRAPERS = 5000;

/** How many scrapers have each of the pointers. */
export const pointerCounts = async ({
  documents,
}: Stored): Promise<Readonly<Record<"active" | "canary" | "previous", number>>> => {
  const counts = { active: 0, canary: 0, previous: 0 };
  for (const { body } of await documents.list("scraper", { limit: MOST_SCRAPERS }))
    for (const pointer of ["active", "canary", "previous"] as const)
      if ((body as Pointers)[pointer] !== undefined) counts[pointer]++;
  return counts;
};

export const readVersion = async (
  { documents }: Stored,
  scraper: string,
  version: string,
): Promise<Found<VersionRecord> | undefined> => {
  const document = await documents.read("version", `${scraper}/${version}`);
  return document && found(document, {} as VersionRecord);
};

export const pointersChange = (
  scraper: string,
  { revision }: Found<unknown>,
  body: Pointers,
): DocumentChange => ({ kind: "scraper", name: scraper, expected: revision, body });

export const versionChange = (
  scraper: string,
  version: string,
  { revision }: Found<unknown>,
  body: VersionRecord,
): DocumentChange => ({ kind: "version", name: `${scraper}/${version}`, expected: revision, body });

const AGAIN = 20;

/** Reads, decides and commits; repeats this if another process was first. */
export const changing = async <Result>(
  scraper: string,
  attempt: () => Promise<{ readonly committed: boolean; readonly result: Result }>,
): Promise<Result> => {
  for (let n = 0; n < AGAIN; n++) {
    const { committed, result } = await attempt();
    if (committed) return result;
  }
  throw new Problem("unavailable", `${shown(scraper)}: someone else is changing its versions. Try again.`);
};

type Code = Pick<ServiceContext, "blobs" | "ledger" | "now">;

/** The code of a stored version. */
export const loadVersion = async (
  { blobs }: Pick<ServiceContext, "blobs">,
  scraper: string,
  version: string,
): Promise<VersionCode & { readonly hash: string; readonly bundle: Bundle }> => {
  const stored = await newestBundle(blobs, scraper, version);
  if (!stored)
    throw new Problem(
      "not-found",
      `${shown(scraper)} has no stored version ${shown(version)}. \`sluice versions list ${shown(scraper)}\` lists its versions.`,
    );
  const bundle = parseBundle(await blobs.get(stored.blob));
  const ready = await compileScraper(await loadScraper(deployedSource(scraper), blobs, version));
  return { hash: stored.hash, bundle, ready };
};

/** A version that was stored when a job was pinned to it has no document until someone uses it. */
export const versionRecord = async (
  context: Code,
  scraper: string,
  version: string,
  by: string,
): Promise<Found<VersionRecord>> => {
  const known = await readVersion(context.ledger, scraper, version);
  if (known) return known;
  const { hash } = await loadVersion(context, scraper, version);
  return { revision: 0, body: { bundle: hash, by, at: context.now() } };
};
