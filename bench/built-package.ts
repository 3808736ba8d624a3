import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");

/** Builds the package and lays it out below `folder` as npm installs it; returns the path of its command. */
export const installBuilt = (folder: string): string => {
  execFileSync(process.execPath, [join(ROOT, "tools/build.ts")], { cwd: ROOT, stdio: "inherit" });
  const modules = join(folder, "node_modules");
  const own = join(modules, "sluice-jobs");
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules")).filter((one) => !one.startsWith(".")))
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(ROOT, part), join(own, part), { recursive: true });
  return join(own, "bin/sluice.js");
};
