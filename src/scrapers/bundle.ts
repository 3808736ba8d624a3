import { createHash } from "node:crypto";
import { type Blobs, BlobError } from "../ports/blobs.ts";
import { ScraperLoadError } from "./check-scraper.ts";

/** A version of a scraper with all of its code, as an object of the blob store. The name of the object has the hash of its bytes. */
export interface Bundle {
  readonly name: string;
  /** As jobs are pinned to it. */
  readonly version: string;
  /** Path of the scraper's own file. */
  readonly entry: string;
  /** Paths of imported packages, by the imported name. */
  readonly packages: Readonly<Record<string, string>>;
  /** Content by path; content that is not text is in `binary`, in base64. */
  readonly files: Readonly<Record<string, string>>;
  readonly binary: Readonly<Record<string, string>>;
}

/** A scraper's own files are below it, in the places that they have to each other. */
export const CODE_FOLDER = "code/";
export const PACKAGES_FOLDER = "packages/";
export const MOST_BUNDLE_BYTES = 16 * 1024 * 1024;

export const BUNDLE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
export const BUNDLE_VERSION = /^[0-9a-f]{16}$/;

/** The same content gives the same bytes. */
export const packBundle = ({
  name,
  version,
  entry,
  packages,
  files,
  binary,
}: Bundle): Buffer<ArrayBuffer> => {
  const sorted = <T>(of: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const content = { packages: sorted(packages), files: sorted(files), binary: sorted(binary) };
  const bytes = Buffer.from(JSON.stringify({ format: 1, name, version, entry, ...content }));
  if (bytes.length > MOST_BUNDLE_BYTES)
    throw unbundled(name, `its code is ${(bytes.length / 1e6).toFixed(1)} MB; the limit is 16 MB`);
  return bytes;
};

export const bundleHash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Why a scraper's code cannot be put into a bundle, and the way out. */
export const unbundled = (name: string, problem: string, cause?: unknown): ScraperLoadError =>
  new ScraperLoadError(
    "broken-scraper",
    `${name}: its code cannot be stored: ${problem}. Change that, or keep the scraper's project, with its packages, on every machine that runs it.`,
    { cause },
  );

type Readable = Pick<Blobs, "get" | "list">;

/** For scrapers of the installation, which workers read and only operators write. */
export const BUNDLES_FOLDER = "service/bundles/";
const OBJECT = /\/(\d{6})-([0-9a-f]{64})\.json$/;

interface StoredBundle {
  readonly hash: string;
  readonly blob: string;
  readonly size: number;
}

/** The bundles of a version, the newest last: packages that it imports may change while its own files do not. */
const listBundles = async (store: Readable, name: string, version: string): Promise<StoredBundle[]> => {
  if (!BUNDLE_NAME.test(name) || !BUNDLE_VERSION.test(version)) return [];
  const found: StoredBundle[] = [];
  for await (const { name: blob, size } of store.list(`${BUNDLES_FOLDER}${name}/${version}/`)) {
    const hash = OBJECT.exec(blob)?.[2];
    if (hash !== undefined) found.push({ hash, blob, size });
  }
  return found;
};

export const newestBundle = async (
  store: Readable,
  name: string,
  version: string,
): Promise<StoredBundle | undefined> => (await listBundles(store, name, version)).at(-1);

/** Each bundle is put once. False if the newest one of its version is the same. */
export const putBundle = async (
  store: Readable & Pick<Blobs, "put">,
  { name, version }: Pick<Bundle, "name" | "version">,
  bytes: Uint8Array,
): Promise<boolean> => {
  const known = await listBundles(store, name, version);
  const hash = bundleHash(bytes);
  if (known.at(-1)?.hash === hash) return false;
  const last = Number(OBJECT.exec(known.at(-1)?.blob ?? "")?.[1] ?? 0);
  const number = String(last + 1).padStart(6, "0");
  await store.put(`${BUNDLES_FOLDER}${name}/${version}/${number}-${hash}.json`, bytes);
  return true;
};

/** Who has put a version into use, and when. */
export interface DeployedVersion {
  readonly version: string;
  /** Hash of its bundle. */
  readonly bundle: string;
  readonly by: string;
  readonly at: number;
  /** Of the repository that it came from. */
  readonly commit?: string;
}

/** One object for each deployed scraper. Other marks beside `newest` are kept. */
interface Marks {
  readonly newest: DeployedVersion;
}

const MARKS_FOLDER = "service/deployed/";
const marksBlob = (name: string): string => `${MARKS_FOLDER}${name}.json`;

const readMarks = async (store: Pick<Blobs, "get">, name: string): Promise<Marks | undefined> => {
  if (!BUNDLE_NAME.test(name)) return undefined;
  try {
    return JSON.parse(Buffer.from(await store.get(marksBlob(name))).toString()) as Marks;
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found") return undefined;
    throw error;
  }
};

/** The bundle for this name if the installation has no file of it. */
export const newestDeployed = async (
  store: Pick<Blobs, "get">,
  name: string,
): Promise<DeployedVersion | undefined> => (await readMarks(store, name))?.newest;

export const markNewest = async (
  store: Pick<Blobs, "get" | "put">,
  name: string,
  newest: DeployedVersion,
): Promise<void> => {
  const marks = { ...(await readMarks(store, name)), newest };
  await store.put(marksBlob(name), Buffer.from(JSON.stringify(marks)));
};

export const deployedNames = async (store: Pick<Blobs, "list">): Promise<string[]> => {
  const names: string[] = [];
  for await (const { name } of store.list(MARKS_FOLDER))
    names.push(name.slice(MARKS_FOLDER.length, -".json".length));
  return names;
};

/** Begins the source of a scraper that is loaded from a bundle: `deployed:BUNDLE_NAME`. */
const SCHEME = "deployed:";
export const isDeployed = (source: string): boolean => source.startsWith(SCHEME);
export const deployedSource = (name: string): string => SCHEME + name;
export const deployedName = (source: string): string => source.slice(SCHEME.length);
