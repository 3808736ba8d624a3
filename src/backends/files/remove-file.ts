import { rmdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { isMissing } from "./blob-failure.ts";
import { syncFolder } from "./durable-folders.ts";

/** With the folders that it leaves empty. */
export const removeFile = async (root: string, path: string): Promise<void> => {
  try {
    await unlink(path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await removeEmpty(root, dirname(path));
};

/** A put that finds its folder gone makes it again. Those at the top stay: everybody makes folders in them. */
const removeEmpty = async (root: string, folder: string): Promise<void> => {
  if (folder === root || dirname(folder) === root) return;
  try {
    await rmdir(folder);
  } catch (error) {
    if (!isMissing(error)) return;
  }
  await removeEmpty(root, dirname(folder));
};
