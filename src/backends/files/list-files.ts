import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { blobFailure, isMissing } from "./blob-failure.ts";

type Listed = { readonly name: string; readonly size: number };

/** Walks only the folder that the prefix names, and those in it; one folder's names are in memory at a time, per level. */
export async function* listFiles(root: string, prefix: string): AsyncGenerator<Listed> {
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const parts = folder.split("/").slice(0, -1);
  if (parts.some((part) => part === "" || part.startsWith("."))) return;
  try {
    yield* walk(root, folder, prefix);
  } catch (error) {
    throw blobFailure(error, root, prefix);
  }
}

async function* walk(root: string, folder: string, prefix: string): AsyncGenerator<Listed> {
  for (const { name, isFolder } of await sortedEntries(join(root, folder))) {
    const path = folder + name;
    if (!path.startsWith(prefix)) continue;
    if (isFolder) yield* walk(root, path, prefix);
    else {
      const size = await sizeOf(join(root, path));
      if (size !== undefined) yield { name: path, size };
    }
  }
}

/** Folders carry their `/` while sorting: `a-b` comes before `a/c`, as it does in the order of whole names. */
const sortedEntries = async (path: string) => {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    if (isMissing(error)) return [];
    throw error;
  });
  return entries
    .filter((entry) => !entry.name.startsWith("."))
    .map((entry) => ({
      name: entry.isDirectory() ? `${entry.name}/` : entry.name,
      isFolder: entry.isDirectory(),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const sizeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined; // removed since the folder was read
    throw error;
  }
};
