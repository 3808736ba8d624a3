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

const writeModules = async (): Promise<void> => {
  const bundle = await rolldown({
    input: Object.fromEntries([...PUBLIC, ...PROGRAMS].map((name) => [name, join(SRC, `${name}.ts`)])),
    platform: "node",
    external: (id) => !/^[./]/.test(id),
    plugins: [{ name: "module-places", transform: keepPlace, renderChunk: placeChunk }],
  });
  await bundle.write({ dir: DIST, entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" });
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
