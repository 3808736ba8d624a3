import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Blobs } from "../ports/blobs.ts";
import { type Bundle, bundleHash, newestBundle, newestDeployed } from "./bundle.ts";
import { ScraperLoadError } from "./check-scraper.ts";

/** A bundle whose files are on this machine. */
export interface OpenBundle extends Pick<Bundle, "name" | "version"> {
  readonly hash: string;
  /** URL of its folder. */
  readonly root: string;
  /** URL of the scraper's own file. */
  readonly entry: string;
  /** URLs by the names of packages. */
  readonly packages: ReadonlyMap<string, string>;
}

let folder: string | undefined;

/** Bundles are unpacked below the data folder of the storage that was opened last. What they are named after is checked, so any folder will do. */
export const unpackBundlesIn = (data: string): void => {
  folder = join(data, ".bundles");
};

/** The bundle of a version, or of the version that was deployed last. Throws `ScraperLoadError` if there is none. */
export const openStoredBundle = async (
  store: Pick<Blobs, "get" | "list">,
  name: string,
  version?: string,
): Promise<OpenBundle> => {
  const wanted = version ?? (await newestDeployed(store, name))?.version;
  const found = wanted === undefined ? undefined : await newestBundle(store, name, wanted);
  if (!found)
    throw new ScraperLoadError(
      "unknown-scraper",
      `${name}: no such scraper is deployed${wanted === undefined ? "" : ` in version ${wanted}`}. Deploy it: sluice deploy ${name}`,
    );
  const { hash, blob } = found;
  return await opened(hash, async () => {
    const bytes = await store.get(blob);
    if (bundleHash(bytes) === hash) return bytes;
    throw new ScraperLoadError(
      "broken-scraper",
      `${name}: the stored code of version ${wanted} is damaged: its hash is not ${hash}. Deploy it again from its files: sluice deploy ${name}`,
    );
  });
};

/** From bytes that are not stored yet. */
export const openBundle = (bytes: Uint8Array): Promise<OpenBundle> =>
  opened(bundleHash(bytes), async () => bytes);

const KEPT = 256;
const open = new Map<string, Promise<OpenBundle>>();

/** Unpacked once by each process. */
const opened = (hash: string, read: () => Promise<Uint8Array>): Promise<OpenBundle> => {
  const known = open.get(hash);
  if (known) return known;
  const opening = unpack(hash, read);
  open.set(hash, opening);
  opening.catch(() => open.delete(hash));
  if (open.size > KEPT) open.delete(open.keys().next().value!);
  return opening;
};

const unpack = async (hash: string, read: () => Promise<Uint8Array>): Promise<OpenBundle> => {
  folder ??= mkdtempSync(join(tmpdir(), "sluice-bundles-"));
  const root = join(folder, hash);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const packed = join(root, "bundle.json");
  const cached = await readFile(packed).catch(() => undefined);
  const bytes = cached && bundleHash(cached) === hash ? cached : await read();
  const { parseBundle } = await import("./parse-bundle.ts"); // only where there are bundles: its schema library loads slowly
  const { name, version, entry, packages, files, binary } = parseBundle(bytes);
  const contents: [string, Uint8Array][] = [
    ...Object.entries(files).map(([path, text]): [string, Buffer] => [path, Buffer.from(text)]),
    ...Object.entries(binary).map(([path, text]): [string, Buffer] => [path, Buffer.from(text, "base64")]),
    ["bundle.json", bytes],
  ];
  for (const [path, content] of contents) await write(join(root, path), content);
  const real = await realpath(root);
  const urlOf = (path: string): string => pathToFileURL(join(real, path)).href;
  return {
    name,
    version,
    hash,
    root: pathToFileURL(`${real}/`).href,
    entry: urlOf(entry),
    packages: new Map(Object.entries(packages).map(([specifier, path]) => [specifier, urlOf(path)])),
  };
};

/** Other processes may unpack the same bundle; a file that is not as it should be is written again. */
const write = async (file: string, content: Uint8Array): Promise<void> => {
  const there = await readFile(file).catch(() => undefined);
  if (there?.equals(content)) return;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(part, content, { mode: 0o600, flag: "wx" });
  await rename(part, file);
};
