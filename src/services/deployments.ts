import { isoTime } from "../domain/iso-time.ts";
import type { Deployment } from "../schemas/operations.ts";
import {
  bundleHash,
  type DeployedVersion,
  markNewest,
  newestDeployed,
  putBundle,
} from "../scrapers/bundle.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { loadBundle } from "../scrapers/load-scraper.ts";
import { openBundle } from "../scrapers/open-bundle.ts";
import type { ServiceContext } from "./context.ts";

interface NewDeployment {
  /** The scraper's name, as its bundle must have it. */
  readonly name: string;
  readonly bundle: Uint8Array;
  /** As in the audit log. */
  readonly by: string;
  readonly commit?: string | undefined;
}

/**
 * Stores a version of a scraper with all of its code, and makes it the one that its name means where the installation has no file of it. The code is loaded
 * first, as a worker loads it. The same bundle again changes nothing.
 */
export const deployScraper = async (
  { blobs, now }: Pick<ServiceContext, "blobs" | "now">,
  { name, bundle: bytes, by, commit }: NewDeployment,
): Promise<Deployment & { readonly isNew: boolean }> => {
  const open = await openBundle(bytes);
  if (open.name !== name)
    throw new ScraperLoadError(
      "broken-scraper",
      `${name}: this is the bundle of ${open.name}. Use its name.`,
    );
  await compileScraper(await loadBundle(open));
  const { version } = open;
  const bundle = bundleHash(bytes);
  const isPut = await putBundle(blobs, open, bytes);
  const before = await newestDeployed(blobs, name);
  const isNew = isPut || before?.bundle !== bundle || before.version !== version;
  const made: DeployedVersion = { version, bundle, by, at: now(), ...(commit !== undefined && { commit }) };
  if (isNew) await markNewest(blobs, name, made);
  const { at, ...newest } = isNew ? made : before;
  return { name, ...newest, at: isoTime(at), bytes: bytes.length, isNew };
};
