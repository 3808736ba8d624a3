import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { resolve as resolvePath } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkScraper } from "./check-scraper.ts";
import { page } from "./page.ts";
import type { AnyScraper } from "./scraper.ts";
import { ScraperLoadError } from "./scraper-load-error.ts";

export interface LoadedScraper {
  readonly scraper: AnyScraper;
  /** A file URL, or the name of a built-in. */
  readonly source: string;
  /** Hash of the source and of its relative imports: what a job is pinned to. */
  readonly version: string;
}

const BUILT_INS: Readonly<Record<string, AnyScraper>> = { page };
const HOUSE = new Map([
  ["sluice", new URL("../index.ts", import.meta.url).href],
  ["zod", undefined],
]);

/** Files that came in through relative imports, by the file that asked for them. */
const imports = new Map<string, Set<string>>();
let isHooked = false;

/** A scraper file may stand anywhere on disk: `sluice` (and `zod`, where it has none of its own) are found here. */
const hookImports = (): void => {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      if (HOUSE.has(specifier)) {
        const url = HOUSE.get(specifier);
        if (url) return { url, format: "module-typescript", shortCircuit: true };
        try {
          return next(specifier, context);
        } catch {
          return next(specifier, { ...context, parentURL: import.meta.url });
        }
      }
      const found = next(specifier, context);
      if (specifier.startsWith(".") && context.parentURL) {
        const known = imports.get(context.parentURL) ?? new Set();
        imports.set(context.parentURL, known.add(found.url));
      }
      return found;
    },
  });
};

/** By file path, file URL or built-in name. */
export const loadScraper = async (named: string): Promise<LoadedScraper> => {
  const builtIn = Object.hasOwn(BUILT_INS, named) ? BUILT_INS[named] : undefined;
  if (builtIn) return { scraper: builtIn, source: named, version: "built-in" };
  const url = named.startsWith("file:") ? named : pathToFileURL(resolvePath(named)).href;
  const file = fileURLToPath(url);
  if (!existsSync(file))
    throw new ScraperLoadError(
      "unknown-scraper",
      `${named}: no such scraper. Give the path of a .ts or .js file, or the name of a built-in: ${Object.keys(BUILT_INS).join(", ")}.`,
    );
  hookImports();
  let module: { readonly default?: unknown };
  try {
    module = (await import(url)) as { readonly default?: unknown };
  } catch (error) {
    throw new ScraperLoadError("broken-scraper", `${file}: cannot be loaded. ${explainImport(error)}`, {
      cause: error,
    });
  }
  return { scraper: checkScraper(module.default, file), source: url, version: versionOf(url) };
};

const explainImport = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const where = /^(file:\/\/\S+:\d+|\S+\.[jt]s:\d+)/m.exec(error.stack ?? "")?.[1];
  const place = where ? ` at ${where.replace("file://", "")}` : "";
  return `${error.name}: ${error.message.split("\n").slice(0, 3).join(" ").trim()}${place}. Correct the file and run again.`;
};

const versionOf = (url: string): string => {
  const hash = createHash("sha256");
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !file.startsWith("file:")) return;
    seen.add(file);
    hash.update(readFileSync(fileURLToPath(file)));
    for (const next of [...(imports.get(file) ?? [])].sort()) visit(next);
  };
  visit(url);
  return hash.digest("hex").slice(0, 16);
};
