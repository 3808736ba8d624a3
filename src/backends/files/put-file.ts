import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "./blob-failure.ts";
import { type durableFolders, syncFolder } from "./durable-folders.ts";
import { TEMP_FOLDER, tempName } from "./temp-files.ts";

type Folders = ReturnType<typeof durableFolders>;

/**
 * Bytes into a temporary file, sync, rename, sync of the folder: in that order, so that the name never leads to
 * half an object, not after a power cut either.
 */
export const putFile = async (
  root: string,
  folders: Folders,
  name: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<{ readonly size: number }> => {
  const path = join(root, name);
  const temp = join(root, TEMP_FOLDER, tempName());
  await folders.ensure(join(root, TEMP_FOLDER));
  try {
    const size = await writeSynced(temp, body);
    await moveInto(folders, temp, path);
    return { size };
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
};

const writeSynced = async (path: string, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<number> => {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(body);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
};

const moveInto = async (folders: Folders, temp: string, path: string): Promise<void> => {
  const folder = dirname(path);
  await folders.ensure(folder);
  try {
    await rename(temp, path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    folders.forget(folder); // somebody has tidied away the empty folder
    await folders.ensure(folder);
    await rename(temp, path);
  }
  await syncFolder(folder);
};
