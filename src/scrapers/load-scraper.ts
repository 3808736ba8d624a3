import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin, registerHooks } from "node:module";
import { extname, resolve as resolvePath } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deployedName, deployedSource, isDeployed } from "./bundle.ts";
import { checkScraper, ScraperLoadError } from "./check-scraper.ts";
import { filesReadBy } from "./declared-files.ts";
import { errorPlace, placingErrors } from "./error-place.ts";
import type { OpenBundle } from "./open-bundle.ts";
import { page } from "./page.ts";
import { type AnyScraper, targetsOf } from "./scraper.ts";
import type { ScraperStore } from "./stored-scrapers.ts";

export interface LoadedScraper {
  readonly scraper: AnyScraper;
  /** A file URL, the name of a built-in, `deployed:NAME` for a bundle, or `stored:CLIENT/NAME` for one that a client registered. */
  readonly source: string;
  /** Hash of the source and of its relative imports: what a job is pinned to. */
  readonly version: string;
  /** The scrapers that it emits to, directly or not, by name. */
  readonly targets: ReadonlyMap<string, LoadedScraper>;
}

const BUILT_INS: Readonly<Record<string, AnyScraper>> = { page };
/** In a clone `.ts`, in an installed package `.js`. */
const ownModule = (name: string): string =>
  new URL(`../${name}${extname(import.meta.filename)}`, import.meta.url).href;

/** The package by its name, and by the short name that scrapers may use too. */
export const OWN_MODULES: ReadonlyMap<string, string> = new Map(
  ["sluice-jobs", "sluice"].flatMap((name) => [
    [name, ownModule("index")],
    [`${name}/client`, ownModule("client")],
  ]),
);

/** Files loaded through relative imports, by the importing file: URLs as Node has them, see `freshUrl`. */
const imports = new Map<string, Set<string>>();
/** Names of packages that files outside of packages import, by the file. */
const packages = new Map<string, Set<string>>();
/** Bundles that were loaded, by their hash. */
const bundles = new Map<string, { readonly open: OpenBundle; readonly loaded: Promise<LoadedScraper> }>();
/** By the URL of a file: where its code was last loaded from, and the version that it had. */
const lastLoads = new Map<string, { readonly url: string; readonly version: string }>();
let reloads = 0;
let isHooked = false;

/** A scraper file may be anywhere on disk: `sluice-jobs`, and `zod` if the scraper's project has none, resolve to this installation. */
export const hookImports = (): void => {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      const own = OWN_MODULES.get(specifier);
      if (own !== undefined) return { url: own, shortCircuit: true };
      const { parentURL } = context;
      const bundled = parentURL === undefined ? undefined : bundleOf(parentURL);
      const inBundle = bundled?.packages.get(specifier);
      if (inBundle !== undefined) return { url: inBundle, shortCircuit: true };
      if (specifier === "zod") {
        const ownZod = { ...context, parentURL: import.meta.url };
        if (bundled) return next(specifier, ownZod);
        try {
          const found = next(specifier, context);
          if (found.url !== next(specifier, ownZod).url) notePackage(parentURL, specifier);
          return found;
        } catch {
          return next(specifier, ownZod);
        }
      }
      const asked = ASKED.exec(specifier);
      if (asked) {
        const found = next(decodeURIComponent(asked[2]!), {
          ...context,
          parentURL: decodeURIComponent(asked[1]!),
        });
        resolved.set(specifier, found.url);
        return found;
      }
      const found = next(specifier, context);
      if (!specifier.startsWith(".") || !context.parentURL) {
        notePackage(parentURL, specifier);
        return found;
      }
      const url = found.url.startsWith("file:")
        ? fileOf(found.url) + RELOAD.exec(context.parentURL)?.[0]
        : found.url;
      const known = imports.get(context.parentURL) ?? new Set();
      imports.set(context.parentURL, known.add(url));
      return { ...found, url };
    },
  });
};

const bundleOf = (url: string): OpenBundle | undefined => {
  for (const { open } of bundles.values()) if (url.startsWith(open.root)) return open;
  return undefined;
};

const OWN_FOLDER = new URL("../", import.meta.url).href;

const notePackage = (from: string | undefined, specifier: string): void => {
  if (from === undefined || from.startsWith(OWN_FOLDER) || from.includes("/node_modules/")) return;
  if (isBuiltin(specifier)) return;
  packages.set(from, (packages.get(from) ?? new Set()).add(specifier));
};

/** An import as if another file had it: `sluice-import:FILE:NAME`. */
const ASKED = /^sluice-import:([^:]*):([^:]*)$/;
/** Results of such imports. */
const resolved = new Map<string, string>();

/** Imports what a file would get under this name, and returns its location. */
export const importFrom = async (
  file: string,
  specifier: string,
): Promise<{ readonly url: string; readonly names: readonly string[] }> => {
  hookImports();
  const asked = `sluice-import:${[file, specifier].map(encodeURIComponent).join(":")}`;
  const attributes = specifier.endsWith(".json") ? { with: { type: "json" } } : {};
  const module = (await import(asked, attributes)) as object;
  return { url: resolved.get(asked)!, names: Object.keys(module) };
};

/** The files that make the version of a scraper that was loaded from a file, in the order of its hash, and the packages that they import. */
export const loadedFiles = (
  source: string,
): readonly { readonly url: string; readonly packages: readonly string[] }[] =>
  [...filesOf(lastLoads.get(source)?.url ?? source)]
    .flatMap((url) => (url === source ? [url, ...filesReadBy(source)] : [url]))
    .map((url) => ({ url: fileOf(url), packages: [...(packages.get(url) ?? [])] }));

/** By file path, file URL or built-in name; from the store, the newest or the given version. */
export const loadScraper = async (
  named: string,
  store?: ScraperStore,
  version?: string,
): Promise<LoadedScraper> => {
  if (named.startsWith("stored:")) {
    const { loadStored } = await import("./stored-scrapers.ts");
    if (store) return await loadStored(store, named, version);
    throw new ScraperLoadError(
      "unknown-scraper",
      `${named}: this scraper is registered with a server. Use it with --server URL.`,
    );
  }
  if (isDeployed(named)) {
    const { openStoredBundle } = await import("./open-bundle.ts");
    const name = deployedName(named);
    if (store) return await loadBundle(await openStoredBundle(store, name, version));
    throw new ScraperLoadError(
      "unknown-scraper",
      `${name}: this scraper was deployed, and has no file on this machine. Use it with --server URL.`,
    );
  }
  const builtIn = Object.hasOwn(BUILT_INS, named) ? BUILT_INS[named] : undefined;
  if (builtIn) return { scraper: builtIn, source: named, version: "built-in", targets: new Map() };
  const url = named.startsWith("file:") ? named : pathToFileURL(resolvePath(named)).href;
  const file = fileURLToPath(url);
  if (!existsSync(file))
    throw new ScraperLoadError(
      "unknown-scraper",
      `${named}: no such scraper. Give the path of a .ts, .js, .json or .yaml file, or the name of a built-in: ${Object.keys(BUILT_INS).join(", ")}.`,
    );
  if (/\.(?:json|ya?ml)$/.test(file)) {
    const { loadDeclared } = await import("./declared-scraper.ts");
    return await loadDeclared(url);
  }
  hookImports();
  const fresh = freshUrl(url);
  let module: { readonly default?: unknown };
  try {
    module = (await placingErrors(() => import(fresh))) as { readonly default?: unknown };
    lastLoads.set(url, { url: fresh, version: versionOf(fresh) });
  } catch (error) {
    lastLoads.set(url, { url: fresh, version: "broken" });
    throw new ScraperLoadError("broken-scraper", `${file}: cannot be loaded. ${explainImport(error)}`, {
      cause: error,
    });
  }
  return await withTargets(checkScraper(module.default, file), fresh);
};

const KEPT_BUNDLES = 256;

/** The scraper of a bundle. Its version is computed again from the unpacked files, as for any file. */
export const loadBundle = async (open: OpenBundle): Promise<LoadedScraper> => {
  const known = bundles.get(open.hash);
  if (known) return await known.loaded;
  const loaded = Promise.resolve().then(async () => asDeployed(await loadScraper(open.entry), open));
  bundles.set(open.hash, { open, loaded });
  loaded.catch(() => bundles.delete(open.hash));
  if (bundles.size > KEPT_BUNDLES) bundles.delete(bundles.keys().next().value!);
  return await loaded;
};

const asDeployed = (loaded: LoadedScraper, { name, version }: OpenBundle): LoadedScraper => {
  if (loaded.scraper.name !== name || loaded.version !== version)
    throw new ScraperLoadError(
      "broken-scraper",
      `${name}: its bundle has scraper ${loaded.scraper.name} in version ${loaded.version}, not ${name} in version ${version}. Deploy it again: sluice deploy ${name}`,
    );
  const renamed = (one: LoadedScraper): LoadedScraper => ({
    ...one,
    source: deployedSource(name),
    targets: new Map([...one.targets].map(([of, target]) => [of, renamed(target)])),
  });
  return renamed(loaded);
};

/**
 * A scraper without code, for code that needs it: `await scraperFile("./county.scraper.yaml", import.meta.url)`. It is part of the version of the
 * file that loads it, like an import.
 */
export const scraperFile = async (path: string, from: string): Promise<AnyScraper> => {
  const url = new URL(path, fileOf(from)).href;
  imports.set(from, (imports.get(from) ?? new Set()).add(url));
  return (await loadScraper(url)).scraper;
};

/**
 * Node loads a module once and for ever, while a service sees its scrapers change: a file that did, or that something it imports did, is
 * loaded under another URL, with `?reload=N`, which its relative imports take over.
 */
const freshUrl = (url: string): string => {
  const last = lastLoads.get(url);
  if (!last) return url;
  return versionOf(last.url) === last.version ? last.url : `${url}?reload=${++reloads}`;
};

const RELOAD = /(?:\?reload=\d+)?$/;
const fileOf = (url: string): string => url.replace(RELOAD, "");

/** A target that is not the default export of a file is in the root's own file. */
const withTargets = async (scraper: AnyScraper, url: string): Promise<LoadedScraper> => {
  const targets = targetsOf(scraper);
  const homes = targets.length === 0 ? new Map<unknown, string>() : await defaultExports(filesOf(url));
  const load = (one: AnyScraper): LoadedScraper => {
    const home = homes.get(one) ?? url;
    const own = targetsOf(one);
    return {
      scraper: one,
      source: fileOf(home),
      version: versionOf(home),
      targets: new Map(
        own.filter((target) => target !== scraper).map((target) => [target.name, load(target)]),
      ),
    };
  };
  refuseNamesakes([scraper, ...targets], fileURLToPath(url));
  return load(scraper);
};

const refuseNamesakes = (scrapers: readonly AnyScraper[], file: string): void => {
  const names = scrapers.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined)
    throw new ScraperLoadError(
      "bad-scraper",
      `${file}: two of the scrapers of the job are named ${twice}. Give each its own name.`,
    );
};

const defaultExports = async (files: Iterable<string>): Promise<Map<unknown, string>> => {
  const found = new Map<unknown, string>();
  for (const url of files) {
    if (!/\.[cm]?[jt]s$/.test(fileOf(url))) continue;
    // It has been loaded already, by the file that imports it.
    const module = (await import(url)) as { readonly default?: unknown };
    if (module.default !== undefined && !found.has(module.default)) found.set(module.default, url);
  }
  return found;
};

export const explainImport = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const where = errorPlace(error);
  const place = where === undefined ? "" : ` (${where})`;
  return `${error.name}: ${error.message.split("\n").slice(0, 3).join(" ").trim()}${place}. Correct the file and run again.`;
};

const versionOf = (of: string): string => {
  const hash = createHash("sha256");
  for (const url of filesOf(of)) hash.update(readFileSync(fileURLToPath(fileOf(url))));
  return hash.digest("hex").slice(0, 16);
};

const byFile = (a: string, b: string): number => (fileOf(a) < fileOf(b) ? -1 : 1);

/** A file and its relative imports, and theirs. */
const filesOf = (url: string): ReadonlySet<string> => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !file.startsWith("file:")) return;
    seen.add(file);
    for (const next of [...(imports.get(file) ?? [])].sort(byFile)) visit(next);
  };
  visit(url);
  return seen;
};
