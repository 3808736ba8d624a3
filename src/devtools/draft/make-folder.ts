import { accessSync, constants, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Why a folder cannot be made or written to; undefined where nothing speaks against it. */
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

/** Makes a folder and those above it, one by one: all at once, Node never comes back from where none can be made (`/proc`). */
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
    // Below a file there is nothing.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
};
