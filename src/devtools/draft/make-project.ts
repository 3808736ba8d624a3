import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { projectFiles } from "./project-files.ts";

export interface MadeProject {
  readonly written: readonly string[];
  /** Were there already, and are as they were. */
  readonly kept: readonly string[];
}

/** What stands in the way of a new project: everything in the folder but the history of a fresh repository. */
export const standsInTheWay = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name !== ".git") : [];

/** Writes the files that are not there yet. Never over one that is. */
export const makeProject = (folder: string): MadeProject => {
  const written: string[] = [];
  const kept: string[] = [];
  for (const [path, content] of projectFiles(folder)) {
    const file = join(folder, path);
    makeFolder(dirname(file));
    try {
      writeFileSync(file, content, { flag: "wx" });
      written.push(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      kept.push(path);
    }
  }
  return { written: written.sort(), kept: kept.sort() };
};
