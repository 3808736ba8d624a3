import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "rolldown";
import { MissingPackageError } from "../domain/missing-package.ts";
import { PACKAGES_FOLDER, unbundled } from "./bundle.ts";

interface Imported {
  readonly url: string;
  /** What it exports. */
  readonly names: readonly string[];
}

/** Code that was compiled for one kind of machine, and code that loads it. */
const NATIVE = /\.node$|^(?:bindings|node-gyp-build|@mapbox\/node-pre-gyp|prebuild-install)$/;

/** The code of packages and of their dependencies, by path; and the path for each name. */
export const bundlePackages = async (
  scraper: string,
  imported: ReadonlyMap<string, Imported>,
): Promise<{ readonly packages: Record<string, string>; readonly files: Map<string, Buffer> }> => {
  const packages: Record<string, string> = {};
  const files = new Map<string, Buffer>();
  const input: Record<string, string> = {};
  const texts = new Map<string, string>();
  for (const [specifier, { url, names }] of [...imported].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const place = fileURLToPath(url);
    const label = specifier.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-/, "");
    if (NATIVE.test(place)) throw native(scraper, specifier);
    if (place.endsWith(".json")) {
      packages[specifier] = `${PACKAGES_FOLDER}${label}.json`;
      files.set(packages[specifier], readFileSync(place));
      continue;
    }
    // Two names may give the same label.
    const name = Object.hasOwn(input, label) ? `${label}-${texts.size}` : label;
    packages[specifier] = `${PACKAGES_FOLDER}${name}.mjs`;
    input[name] = `${VIRTUAL}${texts.size}.mjs`;
    texts.set(input[name], reexport(place, names));
  }
  if (texts.size > 0)
    for (const [path, code] of await build(scraper, input, texts)) files.set(path, Buffer.from(code));
  return { packages, files };
};

const VIRTUAL = "/sluice-packages/";

/** A module that exports what Node gives for the package: of CommonJS, `module.exports` and the names that Node finds in it. */
const reexport = (place: string, names: readonly string[]): string => {
  const from = JSON.stringify(place);
  if (!names.includes("module.exports"))
    return `export * from ${from};${names.includes("default") ? ` export { default } from ${from};` : ""}`;
  const others = names.filter((name) => !["module.exports", "default", "__esModule"].includes(name));
  const taken = others.map((name, at) => `${JSON.stringify(name)}: $${at}`);
  const given = others.map((name, at) => `$${at} as ${JSON.stringify(name)}`);
  return `import all from ${from}; const { ${taken.join(", ")} } = all; export { all as default, ${given.join(", ")} };`;
};

const build = async (
  scraper: string,
  input: Record<string, string>,
  texts: ReadonlyMap<string, string>,
): Promise<Map<string, string>> => {
  const { rolldown } = await import("rolldown").catch((error: unknown) => {
    if ((error as { code?: string }).code === "ERR_MODULE_NOT_FOUND")
      throw new MissingPackageError("rolldown", `Storing scraper ${scraper}, which imports packages,`);
    throw error;
  });
  let refused: Error | undefined;
  const plugin: Plugin = {
    name: "sluice",
    resolveId(id) {
      if (texts.has(id)) return id;
      if (NATIVE.test(id)) refused ??= native(scraper, id);
      return null;
    },
    load(id) {
      if (id.endsWith(".node")) refused ??= native(scraper, id);
      if (refused) throw refused;
      return texts.get(id);
    },
  };
  try {
    await using built = await rolldown({
      input,
      platform: "node",
      plugins: [plugin],
      // A package may name others that need not be there.
      logLevel: "silent",
      transform: { define: { __dirname: "import.meta.dirname", __filename: "import.meta.filename" } },
      // Paths of this machine stay out of it.
      experimental: { attachDebugInfo: "none" },
    });
    const { output } = await built.generate({
      format: "esm",
      entryFileNames: "[name].mjs",
      chunkFileNames: "shared-[hash].mjs",
    });
    return new Map(
      output.map((part): [string, string] => [
        PACKAGES_FOLDER + part.fileName,
        part.type === "chunk" ? part.code : Buffer.from(part.source).toString(),
      ]),
    );
  } catch (error) {
    throw (
      refused ??
      unbundled(scraper, `its packages cannot be bundled: ${(error as Error).message.split("\n")[0]}`, error)
    );
  }
};

const native = (scraper: string, what: string): Error =>
  unbundled(
    scraper,
    `it imports ${what.replace(/^.*node_modules\//, "")}, which is compiled for one kind of machine`,
  );
