/**
 * `npm run build`: the JavaScript and the types that the package ships, from `src` to `dist`. `npm pack` runs it.
 *
 * The modules are joined into chunks, because a process that loads hundreds of small files starts a fifth slower. Dependencies stay imports.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import { buildDashboard } from "./build-dashboard.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SRC = join(ROOT, "src");
const DIST = join(ROOT, "dist");
/** What `exports` in package.json names. */
const PUBLIC = ["index", "client"];
/** Programs of processes and threads keep their own files: they are started by path. */
const PROGRAMS = globSync("**/{main,*-main,*-thread}.ts", { cwd: SRC, exclude: ["**/testing/**"] }).map(
  (file) => file.slice(0, -3),
);

/** What the command, its worker process and the public modules load at once. */
const STARTS: Readonly<Record<string, readonly string[]>> = {
  client: ["client"],
  index: ["index"],
  main: ["cli/early-worker", "cli/exit"],
  cli: ["cli/program", "cli/commands/run", "cli/actions/run"],
  // Help and most commands need no more than these.
  commands: globSync("cli/commands/*.ts", { cwd: SRC }).map((file) => file.slice(0, -3)),
  run: ["cli/actions/run-job", "cli/render/progress", "backends/sqlite/open", "backends/files/open-files"],
  work: [
    "compose",
    "backends/sqlite/open",
    "backends/files/open-files",
    "collectors/http/http-session",
    "collectors/http/transport",
    "worker/worker",
    "archive/packer",
  ],
};
/** They load little: other chunks must not bring more. */
const THREADS: typeof STARTS = {
  packer: ["archive/packer-thread"],
  thread: ["programs/extract-thread", "programs/read-thread", "devtools/fixture-thread"],
};

const fileOf = (name: string): string => join(SRC, `${name}.ts`);

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

const loadedBy = (names: readonly string[], graph: ModuleGraph): ReadonlySet<string> => {
  const seen = new Set(names.map(fileOf));
  for (const id of seen) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) seen.add(next);
  return seen;
};

const programFiles = new Set(PROGRAMS.map(fileOf));
let loads: readonly (readonly [start: string, modules: ReadonlySet<string>])[] | undefined;

/** Modules that the same starts load become one chunk: the first request waits for each file. A program stays alone, because it runs when it is loaded. */
const chunkOf = (id: string, graph: ModuleGraph): string | null => {
  loads ??= Object.entries({ ...STARTS, ...THREADS }).map(([start, names]) => [
    start,
    loadedBy(names, graph),
  ]);
  const loading = loads.filter(([, modules]) => modules.has(id)).map(([start]) => start);
  return programFiles.has(id) || !loading.some((start) => start in STARTS) ? null : loading.join("-");
};

const writeModules = async (): Promise<void> => {
  const bundle = await rolldown({
    input: Object.fromEntries([...PUBLIC, ...PROGRAMS].map((name) => [name, join(SRC, `${name}.ts`)])),
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    external: (id) => !/^[./]/.test(id),
    plugins: [{ name: "module-places", transform: keepPlace, renderChunk: placeChunk }],
  });
  await bundle.write({
    dir: DIST,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: {
      groups: [{ name: chunkOf, debugName: "starts", includeDependenciesRecursively: false }],
    },
  });
};

const BASE = "@dist@";

/** A module sees itself where it would be without chunks, so that it finds its neighbours. Text in quotes is for other files. */
const keepPlace = (code: string, id: string): string | undefined => {
  const place = `new URL("${BASE}/${relative(SRC, id).replace(/\.ts$/, ".js")}", import.meta.url)`;
  const file = `process.getBuiltinModule("node:url").fileURLToPath(${place})`;
  const folder = `process.getBuiltinModule("node:path").dirname(${file})`;
  const placed = code.replace(/(?<!")\bimport\.meta\.(url|filename|dirname)\b/g, (_all, part) =>
    part === "url" ? `${place}.href` : part === "filename" ? file : folder,
  );
  return placed === code ? undefined : placed;
};

const placeChunk = (code: string, { fileName }: { readonly fileName: string }): string =>
  code.replaceAll(BASE, relative(dirname(fileName), ".") || ".");

/** A declaration file and those it imports, and theirs. */
const reachable = (files: readonly string[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(/(?:from|import\() ?"(\.[^"]+)"/g))
      visit(join(dirname(file), specifier!.replace(/\.[jt]s$/, ".d.ts")));
  };
  files.forEach(visit);
  return seen;
};

/** Only the declarations that the public modules refer to. */
const writeTypes = (): void => {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: ROOT, stdio: "inherit" });
  const needed = reachable(PUBLIC.map((name) => join(DIST, `${name}.d.ts`)));
  for (const file of globSync("**/*.d.ts", { cwd: DIST }).map((name) => join(DIST, name)))
    if (!needed.has(file)) rmSync(file);
};

/** Migrations, which are read when a data folder is opened. */
const copySql = (): void => {
  for (const file of globSync("**/*.sql", { cwd: SRC })) {
    mkdirSync(dirname(join(DIST, file)), { recursive: true });
    copyFileSync(join(SRC, file), join(DIST, file));
  }
};

rmSync(DIST, { recursive: true, force: true });
await writeModules();
writeTypes();
copySql();
await buildDashboard(join(DIST, "dashboard"));
