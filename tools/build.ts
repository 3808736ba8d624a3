/** `npm run build`: the JavaScript and the types that the package ships, from `src` to `dist`. `npm pack` runs it. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
/** The public modules: what `exports` in package.json names. */
const PUBLIC = ["index.d.ts", "client.d.ts"];

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

rmSync(DIST, { recursive: true, force: true });
execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: ROOT,
  stdio: "inherit",
});
const needed = reachable(PUBLIC.map((file) => join(DIST, file)));
for (const file of globSync("**/*.d.ts", { cwd: DIST }).map((name) => join(DIST, name)))
  if (!needed.has(file)) rmSync(file);
