/** `sluice init`: a project with an example scraper, its fixture and what editors need. */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

export interface MadeProject {
  readonly written: readonly string[];
  /** Existed already and are unchanged. */
  readonly kept: readonly string[];
  /** Whether a `package.json` existed and now has what was missing in it. */
  readonly completesManifest: boolean;
}

/** What a fresh repository and `npm install` leave behind. */
const FRESH = new Set([".git", "node_modules", "package.json", "package-lock.json"]);

/** The files that keep a folder from being a new project's. */
export const otherFiles = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !FRESH.has(name)) : [];

/** Writes the files that do not exist yet, and adds what is missing to `package.json`. */
export const makeProject = (folder: string): MadeProject => {
  const isFresh = otherFiles(folder).length === 0;
  const written: string[] = [];
  const kept: string[] = [];
  for (const [path, content] of templateFiles()) {
    const file = join(folder, path);
    makeFolder(dirname(file));
    (writeNew(file, content) ? written : kept).push(path);
  }
  const manifest = join(folder, "package.json");
  const wanted = packageJson(folder);
  if (writeNew(manifest, json(wanted)))
    return { written: ["package.json", ...written].sort(), kept: kept.sort(), completesManifest: false };
  const before = readFileSync(manifest, "utf8");
  const completed = completeManifest(JSON.parse(before) as Manifest, wanted, isFresh);
  const completesManifest = JSON.stringify(completed) !== JSON.stringify(JSON.parse(before));
  if (completesManifest) writeFileSync(manifest, json(completed));
  else kept.push("package.json");
  return { written: written.sort(), kept: kept.sort(), completesManifest };
};

/** False if the file exists: it is never overwritten. */
const writeNew = (file: string, content: string | Buffer): boolean => {
  try {
    writeFileSync(file, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
};

const INSTALLATION = resolve(import.meta.dirname, "../..");
const TEMPLATE = join(INSTALLATION, "templates/project");
const isClone = !INSTALLATION.split(sep).includes("node_modules");

const templateFiles = (): ReadonlyMap<string, string | Buffer> => {
  // npm leaves a file named .gitignore out of packages.
  const files = new Map<string, string | Buffer>([
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

/** Strict, and only syntax that Node runs without a build. */
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
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const packageJson = (folder: string): Manifest => {
  const own = JSON.parse(readFileSync(join(INSTALLATION, "package.json"), "utf8")) as Required<Manifest>;
  const versions = { ...own.devDependencies, ...own.dependencies };
  const pick = (...names: string[]) => Object.fromEntries(names.map((name) => [name, versions[name]!]));
  return {
    name: packageName(folder),
    private: true,
    type: "module",
    scripts: { test: "sluice test", types: "tsc --noEmit", site: "node site.js" },
    dependencies: { [own.name]: installedFrom(folder, own.version), ...pick("zod") },
    // For editors and `npm run types` only: scrapers run without them.
    devDependencies: pick("@types/node", "typescript"),
  };
};

/** What `npm init -y` writes. */
const NO_TEST = /no test specified/;

/** Adds what is missing. A fresh project becomes one of ES modules: `npm init` writes `"type": "commonjs"`. */
const completeManifest = (found: Manifest, wanted: Manifest, isFresh: boolean): Manifest => {
  const { test, ...scripts } = found.scripts ?? {};
  const hasTest = test !== undefined && !NO_TEST.test(test);
  return {
    ...found,
    type: isFresh ? "module" : (found.type ?? "module"),
    scripts: { ...wanted.scripts, ...scripts, ...(hasTest && { test }) },
    dependencies: { ...wanted.dependencies, ...found.dependencies },
    devDependencies: { ...wanted.devDependencies, ...found.devDependencies },
  };
};

/** A clone is referred to by its folder, an installed package by its version. */
const installedFrom = (folder: string, version: string): string =>
  isClone ? `file:${relative(resolve(folder), INSTALLATION).replaceAll(sep, "/") || "."}` : version;

const packageName = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "") || "scrapers";

/** Why a folder cannot be created or written to; undefined if it can. */
export const folderProblem = (folder: string): string | undefined => {
  const path = resolve(folder);
  const found = statOf(path);
  if (found === undefined) return folderProblem(dirname(path));
  if (!found.isDirectory()) return `${path} is a file`;
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch {
    return `${path} cannot be written to`;
  }
};

/** Creates a folder and its parents one by one: a recursive `mkdirSync` never returns where none can be created (`/proc`). */
export const makeFolder = (folder: string): void => {
  const path = resolve(folder);
  if (statOf(path)?.isDirectory() === true) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  mkdirSync(path);
};

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
};
