import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bundle, CODE_FOLDER, unbundled } from "./bundle.ts";
import { filesReadBy } from "./declared-files.ts";
import { importFrom, loadedFiles, type LoadedScraper, OWN_MODULES } from "./load-scraper.ts";

const CODE = /\.[cm]?[jt]s$/;
/** Imports that a file may make later; `import("x").Name` is a type. */
const LATER =
  /(?<!\btypeof\s+)\b(?:import|require)\s*\(\s*(["'`])([^"'`$\n]+)\1(?!\s*\)\s*\.\s*(?!then\b|catch\b|finally\b))/g;
/** Files that it names: `new URL("./x.csv", import.meta.url)`, `scraperFile("./x.yaml", …)`. */
const NAMED =
  /\b(?:new\s+URL|scraperFile)\s*\(\s*(["'`])(?![a-z][a-z+.-]*:|\/)([^"'`$\n]+)\1\s*,\s*import\.meta\.url/gi;
/** Imports of a file that was not loaded, without type-only imports. */
const STATIC = /(?:^|[\s;}])(?:import|export)\s+(?!type\s)(?:[^;"'()]*?\bfrom\s*)?(["'])([^"'\n]+)\1/g;
const FOLDER_OF_FILE = /\bimport\.meta\.(?:dirname|filename)\b|\b__(?:dirname|filename)\b/;

/**
 * All code of a scraper that was loaded from a file of this machine. Throws `ScraperLoadError` or `MissingPackageError` if not all of it can be
 * bundled.
 */
export const makeBundle = async ({
  scraper: { name },
  source,
  version,
}: Pick<LoadedScraper, "scraper" | "source" | "version">): Promise<Bundle> => {
  const contents = new Map<string, Buffer>();
  const packages = new Map<string, string>();
  const take = (url: string): string => {
    const bytes = readFileSync(fileURLToPath(url));
    contents.set(url, bytes);
    return CODE.test(url) ? bytes.toString() : "";
  };
  const takeFile = (from: string, path: string): void => {
    const url = new URL(path, from).href;
    // A file that is named in a comment need not exist.
    const stats = statSync(fileURLToPath(url), { throwIfNoEntry: false });
    if (stats?.isDirectory())
      throw unbundled(name, `${fileURLToPath(from)} names the folder ${path}. Name the files in it`);
    if (stats?.isFile() && !contents.has(url)) look(url, take(url), STATIC);
  };
  const takeImport = (from: string, specifier: string): void => {
    if (OWN_MODULES.has(specifier) || isBuiltin(specifier) || specifier.startsWith("data:")) return;
    if (specifier.startsWith(".")) return takeFile(from, specifier);
    if (/^(?:file:|\/)/.test(specifier))
      throw unbundled(name, `${fileURLToPath(from)} imports ${specifier}, a place on this machine`);
    packages.set(specifier, from);
  };
  const look = (url: string, text: string, ...patterns: readonly RegExp[]): void => {
    const place = FOLDER_OF_FILE.exec(text)?.[0];
    if (place !== undefined)
      throw unbundled(
        name,
        `${fileURLToPath(url)} uses ${place}, and may read files that are not known. Use new URL("./FILE", import.meta.url), with the file's name`,
      );
    for (const pattern of [LATER, ...patterns])
      for (const [, , specifier] of text.matchAll(pattern)) takeImport(url, specifier!);
    for (const [, , path] of text.matchAll(NAMED)) takeFile(url, path!);
    for (const other of filesReadBy(url)) if (!contents.has(other)) take(other);
  };

  const loaded = loadedFiles(source);
  const hash = createHash("sha256");
  const texts = loaded.map(({ url }) => take(url));
  for (const { url } of loaded) hash.update(contents.get(url)!);
  if (hash.digest("hex").slice(0, 16) !== version)
    throw unbundled(name, "its files changed while they were read. Run the command again");
  for (const [at, { url, packages: imported }] of loaded.entries()) {
    for (const specifier of imported) takeImport(url, specifier);
    look(url, texts[at]!);
  }

  const root = commonFolder([...contents.keys()].map((url) => dirname(fileURLToPath(url))));
  const pathOf = (file: string): string => CODE_FOLDER + relative(root, file).split(sep).join("/");
  const files = new Map([...contents].map(([url, bytes]) => [pathOf(fileURLToPath(url)), bytes]));
  for (const [path, type] of moduleTypes([...contents.keys()], root, pathOf))
    if (!files.has(path)) files.set(path, Buffer.from(JSON.stringify({ type })));
  const bundled = await packagesOf(name, packages);
  for (const [path, bytes] of bundled.files) files.set(path, bytes);
  return {
    name,
    version,
    entry: pathOf(fileURLToPath(source)),
    packages: bundled.packages,
    ...textAndBinary(files),
  };
};

const packagesOf = async (
  name: string,
  wanted: ReadonlyMap<string, string>,
): Promise<{ readonly packages: Record<string, string>; readonly files: Map<string, Buffer> }> => {
  if (wanted.size === 0) return { packages: {}, files: new Map() };
  const imported = new Map<string, Awaited<ReturnType<typeof importFrom>>>();
  const ownZod = import.meta.resolve("zod");
  for (const [specifier, from] of wanted)
    try {
      const found = await importFrom(from, specifier);
      if (found.url !== ownZod) imported.set(specifier, found);
    } catch (error) {
      // All other imports were resolved already: this one is for later, and the code may not need it.
      if ((error as { code?: string }).code === "ERR_MODULE_NOT_FOUND") continue;
      throw unbundled(
        name,
        `${fileURLToPath(from)} imports ${specifier}, which cannot be loaded: ${(error as Error).message.split("\n")[0]}`,
        error,
      );
    }
  const { bundlePackages } = await import("./bundle-packages.ts");
  return await bundlePackages(name, imported);
};

const commonFolder = (folders: readonly string[]): string =>
  folders.reduce((common, folder) => {
    let shared = common;
    while (folder !== shared && !folder.startsWith(shared.endsWith(sep) ? shared : shared + sep))
      shared = dirname(shared);
    return shared;
  });

/** A package.json above the files says whether they are ES modules; it is not bundled, so a small one replaces it. */
const moduleTypes = (
  urls: readonly string[],
  root: string,
  pathOf: (file: string) => string,
): Map<string, string> => {
  const types = new Map<string, string>();
  for (const url of urls.filter((one) => /\.[jt]s$/.test(one))) {
    const found = nearestPackage(dirname(fileURLToPath(url)));
    const isBelow = found !== undefined && found.startsWith(root + sep);
    const path = isBelow ? pathOf(found) : `${CODE_FOLDER}package.json`;
    const { type } = (found === undefined ? {} : JSON.parse(readFileSync(found, "utf8"))) as {
      readonly type?: string;
    };
    const isModule = /^\s*(?:import|export)\b/m.test(readFileSync(fileURLToPath(url), "utf8"));
    types.set(path, type ?? types.get(path) ?? (isModule ? "module" : "commonjs"));
  }
  return types;
};

const nearestPackage = (folder: string): string | undefined => {
  const file = join(folder, "package.json");
  if (existsSync(file)) return file;
  return dirname(folder) === folder ? undefined : nearestPackage(dirname(folder));
};

const textAndBinary = (files: ReadonlyMap<string, Buffer>): Pick<Bundle, "files" | "binary"> => {
  const texts: Record<string, string> = {};
  const binary: Record<string, string> = {};
  for (const [path, bytes] of files) {
    const text = bytes.toString();
    if (Buffer.from(text).equals(bytes)) texts[path] = text;
    else binary[path] = bytes.toString("base64");
  }
  return { files: texts, binary };
};
