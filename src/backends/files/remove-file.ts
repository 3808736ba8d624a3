import { unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { isMissing } from "./blob-failure.ts";
import { syncFolder } from "./durable-folders.ts";

export const removeFile = async (path: string): Promise<void> => {
  try {
    await unlink(path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
};
