import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";

const INSTALLATION = resolve(import.meta.dirname, "../../..");
const TEMPLATE = join(INSTALLATION, "templates/project");
const isClone = !INSTALLATION.split(sep).includes("node_modules");

/** The files of a new project by their path in it. */
export const projectFiles = (folder: string): ReadonlyMap<string, string | Buffer> => {
  const files = new Map<string, string | Buffer>([
    ["package.json", packageJson(folder)],
    ["tsconfig.json", json(TSCONFIG)],
    [".gitignore", "node_modules/\ndata/\n"],
  ]);
  for (const entry of readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(TEMPLATE, path), readFileSync(path));
  }
  return files;
};

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Strict, and what Node runs as it is. */
const TSCONFIG = {
  compilerOptions: {
    target: "es2024",
    lib: ["esnext"],
    module: "nodenext",
    types: ["node"],
    // A clone has no built types, only the sources.
    ...(isClone && { customConditions: ["@sluice/source"] }),
    strict: true,
    noEmit: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
  },
  include: ["**/*.ts"],
  exclude: ["node_modules", "data"],
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const packageJson = (folder: string): string => {
  const own = JSON.parse(readFileSync(join(INSTALLATION, "package.json"), "utf8")) as Manifest;
  const { dependencies, devDependencies } = own;
  return json({
    name: packageName(folder),
    private: true,
    type: "module",
    scripts: { test: "sluice test", types: "tsc --noEmit", site: "node site.js" },
    dependencies: { [own.name]: installedFrom(folder, own.version), zod: dependencies["zod"] },
    // For editors and `npm run types` only: the scrapers run without them.
    devDependencies: {
      "@types/node": devDependencies["@types/node"],
      typescript: devDependencies["typescript"],
    },
  });
};

/** A clone is referred to as it stands; an installed package by its version. */
const installedFrom = (folder: string, version: string): string =>
  isClone ? `file:${relative(resolve(folder), INSTALLATION).replaceAll(sep, "/") || "."}` : version;

const packageName = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "") || "scrapers";
