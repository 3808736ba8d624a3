import { MissingPackageError } from "../domain/missing-package.ts";
import type { Blobs } from "../ports/blobs.ts";
import { newestBundle, packBundle, putBundle } from "./bundle.ts";
import { ScraperLoadError } from "./check-scraper.ts";
import type { LoadedScraper } from "./load-scraper.ts";

const KEPT = 1000;
const kept = new WeakMap<object, Map<string, Promise<string | undefined>>>();

/**
 * Stores the code of a scraper that a job is about to be pinned to, so that the job can continue when the file has changed. Returns why that was not
 * possible: the job then needs the unchanged file.
 */
export const keepBundle = (
  store: Pick<Blobs, "get" | "list" | "put">,
  loaded: Pick<LoadedScraper, "scraper" | "source" | "version">,
): Promise<string | undefined> => {
  const { source, version } = loaded;
  if (!source.startsWith("file:")) return Promise.resolve(undefined);
  const known = kept.get(store) ?? new Map<string, Promise<string | undefined>>();
  kept.set(store, known);
  const id = `${source} ${version}`;
  const before = known.get(id);
  if (before) return before;
  const keeping = keep(store, loaded);
  known.set(id, keeping);
  keeping.catch(() => known.delete(id));
  if (known.size > KEPT) known.delete(known.keys().next().value!);
  return keeping;
};

const keep = async (
  store: Pick<Blobs, "get" | "list" | "put">,
  loaded: Pick<LoadedScraper, "scraper" | "source" | "version">,
): Promise<string | undefined> => {
  // A deployed bundle stays the one for its version.
  if (await newestBundle(store, loaded.scraper.name, loaded.version)) return undefined;
  try {
    const { makeBundle } = await import("./make-bundle.ts");
    const bundle = await makeBundle(loaded);
    await putBundle(store, bundle, packBundle(bundle));
    return undefined;
  } catch (error) {
    if (error instanceof ScraperLoadError || error instanceof MissingPackageError) return error.message;
    throw error;
  }
};
