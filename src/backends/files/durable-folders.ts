import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./blob-failure.ts";

export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Not `mkdir` with `recursive`: that one answers ENOENT on a read-only disk. */
export const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    return makeFolder(path);
  }
  await syncFolder(dirname(path));
};

/**
 * Makes folders so that they survive a power cut. A folder that is already there may have been made a moment ago by a
 * process that has not synced it yet: so the way down from `root` is synced once by everyone who uses it.
 */
export const durableFolders = (root: string) => {
  const known = new Map<string, Promise<void>>();

  const make = async (path: string): Promise<void> => {
    await makeFolder(path);
    for (let at = path; at !== root && at.startsWith(root); at = dirname(at)) await syncFolder(dirname(at));
  };

  return {
    ensure(path: string): Promise<void> {
      const before = known.get(path);
      if (before !== undefined) return before;
      if (known.size >= 4_096) known.clear();
      const made = make(path);
      known.set(path, made);
      made.catch(() => known.delete(path));
      return made;
    },
    /** The folder has vanished under us. */
    forget(path: string): void {
      known.delete(path);
    },
  };
};
