import type { Blobs } from "../ports/blobs.ts";
import { ScraperLoadError } from "./check-scraper.ts";
import { declareScraper, versionOf } from "./declared-scraper.ts";
import type { LoadedScraper } from "./load-scraper.ts";

/** Scrapers that clients registered over the API. Each version is a separate object that never changes: jobs keep the one they started with. */
export type ScraperStore = Pick<Blobs, "get" | "list">;

/** Prefix of the source of such a scraper: `stored:CLIENT/NAME`. */
const SCHEME = "stored:";
export const STORED_FOLDER = "service/scrapers/";
/** In place of a version: the scraper was removed. Its versions stay for the jobs that have them. */
const REMOVED = "removed";
const OBJECT = /^service\/scrapers\/([^/]+)\/([^/]+)\/(\d{6})-(\w+)\.json$/;

export interface StoredVersion {
  readonly client: string;
  readonly name: string;
  readonly number: number;
  readonly version: string;
  readonly blob: string;
}

export const isStored = (source: string): boolean => source.startsWith(SCHEME);
export const storedSource = ({ client, name }: Pick<StoredVersion, "client" | "name">): string =>
  `${SCHEME}${client}/${name}`;

/** All versions below a place (`CLIENT/`, `CLIENT/NAME/`), the oldest of each scraper first. */
export async function* listVersions(store: ScraperStore, below: string): AsyncGenerator<StoredVersion> {
  for await (const { name: blob } of store.list(STORED_FOLDER + below)) {
    const [, client, name, number, version] = OBJECT.exec(blob) ?? [];
    if (client && name && version) yield { client, name, number: Number(number), version, blob };
  }
}

/** The newest version of each scraper below a place; those that were removed are left out. */
export const currentVersions = async (store: ScraperStore, below: string): Promise<StoredVersion[]> => {
  const newest = new Map<string, StoredVersion>();
  for await (const one of listVersions(store, below)) newest.set(storedSource(one), one);
  return [...newest.values()].filter(({ version }) => version !== REMOVED);
};

/** Where the next version of a scraper is put; without a version, the mark that it was removed. */
export const versionBlob = (client: string, name: string, number: number, version = REMOVED): string =>
  `${STORED_FOLDER}${client}/${name}/${String(number).padStart(6, "0")}-${version}.json`;

const KEPT = 256;
const loaded = new Map<string, LoadedScraper>();

/** By its source: the newest version, or one that a job is pinned to. */
export const loadStored = async (
  store: ScraperStore,
  source: string,
  version?: string,
): Promise<LoadedScraper> => {
  const place = source.slice(SCHEME.length);
  let found: StoredVersion | undefined;
  for await (const one of listVersions(store, `${place}/`))
    if (version === undefined || one.version === version) found = one;
  if (!found || found.version === REMOVED)
    throw new ScraperLoadError(
      "unknown-scraper",
      `${place}: no such scraper is registered${version === undefined ? "" : ` in version ${version}`}. Register it again: PUT /v1/scrapers/NAME.`,
    );
  const known = loaded.get(found.blob);
  if (known) return known;
  const ready = readStored(found, Buffer.from(await store.get(found.blob)).toString());
  loaded.set(found.blob, ready);
  if (loaded.size > KEPT) loaded.delete(loaded.keys().next().value!);
  return ready;
};

/** A scraper of a client: no code, no patterns, no files, and only public addresses. */
export const readStored = (of: Pick<StoredVersion, "client" | "name">, text: string): LoadedScraper => ({
  scraper: {
    ...declareScraper(JSON.parse(text), { place: `scraper ${of.name}`, isTrusted: false }),
    owner: of.client,
  },
  source: storedSource(of),
  version: versionOf([text]),
  targets: new Map(),
});
