import { isoTime } from "../domain/iso-time.ts";
import type { Deployment } from "../schemas/operations.ts";
import {
  bundleHash,
  type DeployedVersion,
  markNewest,
  newestBundle,
  newestDeployed,
  putBundle,
} from "../scrapers/bundle.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { loadBundle } from "../scrapers/load-scraper.ts";
import { openBundle } from "../scrapers/open-bundle.ts";
import { versionDifference } from "../scrapers/version-difference.ts";
import type { ServiceContext } from "./context.ts";
import { changing, loadVersion, readPointers, readVersion, versionChange } from "./version-documents.ts";

interface NewDeployment {
  /** The scraper's name, as its bundle must have it. */
  readonly name: string;
  readonly bundle: Uint8Array;
  /** As in the audit log. */
  readonly by: string;
  readonly commit?: string | undefined;
}

/**
 * Stores a version of a scraper with all of its code. The scraper's name refers to it if the installation has no file for it. The
 * code is loaded first, as a worker loads it. Storing the same bundle again changes nothing.
 */
export const deployScraper = async (
  context: Pick<ServiceContext, "blobs" | "ledger" | "now">,
  { name, bundle: bytes, by, commit }: NewDeployment,
): Promise<Deployment & { readonly isNew: boolean }> => {
  const { blobs, now } = context;
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
  if (isNew) {
    await noteVersion(context, name, made, before?.version);
    await markNewest(blobs, name, made);
  }
  const { at, ...newest } = isNew ? made : before;
  return { name, ...newest, at: isoTime(at), bytes: bytes.length, isNew };
};

/** Stores what is known about the version, including the differences from the version that was active or newest before. */
const noteVersion = async (
  context: Pick<ServiceContext, "blobs" | "ledger">,
  name: string,
  { version, ...made }: DeployedVersion,
  newest: string | undefined,
): Promise<void> =>
  await changing(name, async () => {
    const { active } = (await readPointers(context.ledger, name)).body;
    const from = active ?? newest;
    const known = await readVersion(context.ledger, name, version);
    const isOther = from !== undefined && from !== version && (await newestBundle(context.blobs, name, from));
    const difference =
      known?.body.difference ??
      (isOther
        ? {
            from,
            ...versionDifference(
              await loadVersion(context, name, from),
              await loadVersion(context, name, version),
            ),
          }
        : undefined);
    const body = { ...known?.body, ...made, ...(difference && { difference }) };
    const change = versionChange(name, version, known ?? { revision: 0, body }, body);
    return { result: undefined, ...(await context.ledger.documents.commit({ changes: [change] })) };
  });
