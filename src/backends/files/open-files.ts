import type { Dirent } from "node:fs";
import { open, readdir, readFile, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { BlobError, type Blobs, checkBlobName } from "../../ports/blobs.ts";
import {
  codeOf,
  durableFolders,
  isMissing,
  makeFolder,
  putFile,
  sweepTempFiles,
  syncFolder,
  TEMP_FOLDER,
} from "./put-file.ts";

/** A file costs two syncs; items wait for it before they are settled. */
const GATHER_MS = 1000;

/** Blobs as plain files below `folder`, which is created if it does not exist. Several processes may share it. */
export const openFiles = async (folder: string): Promise<Blobs> => {
  const root = resolve(folder);
  await prepare(root);
  const folders = durableFolders(root);

  return {
    gatherMs: GATHER_MS,
    async put(name, body) {
      checkBlobName(name);
      const source = watched(body);
      try {
        const write = () => putFile(root, folders, name, source.body);
        return await (body instanceof Uint8Array ? inTurn(write) : write());
      } catch (error) {
        throw source.failure === undefined ? blobFailure(error, root, name) : source.failure.error;
      }
    },
    async get(name, range) {
      checkBlobName(name);
      try {
        return await (range === undefined ? readWhole(join(root, name)) : readRange(join(root, name), range));
      } catch (error) {
        throw readFailure(error, root, name);
      }
    },
    async *stream(name) {
      checkBlobName(name);
      try {
        yield* streamFile(join(root, name));
      } catch (error) {
        throw readFailure(error, root, name);
      }
    },
    list: (prefix) => listFiles(root, prefix),
    async remove(name) {
      checkBlobName(name);
      try {
        await removeFile(root, join(root, name));
      } catch (error) {
        throw blobFailure(error, root, name);
      }
    },
  };
};

/** System calls run on four threads, one of which stays free for those that only read: hundreds of files may be written at once. */
const MOST_WRITES = 3;
const waiting: (() => void)[] = [];
let writes = 0;

const inTurn = async <T>(write: () => Promise<T>): Promise<T> => {
  if (writes < MOST_WRITES) writes++;
  else await new Promise<void>((begin) => waiting.push(begin));
  try {
    return await write();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else writes--;
  }
};

/** Keeps errors of the body separate: a connection that breaks during a download is not a disk error. */
const watched = (body: Uint8Array | AsyncIterable<Uint8Array>) => {
  const source: { body: typeof body; failure?: { readonly error: unknown } } = { body };
  if (body instanceof Uint8Array) return source;
  source.body = (async function* () {
    try {
      yield* body;
    } catch (error) {
      source.failure = { error };
      throw error;
    }
  })();
  return source;
};

const prepare = async (root: string): Promise<void> => {
  try {
    await makeFolder(root);
  } catch (error) {
    throw blobFailure(error, root, ".");
  }
  try {
    await makeFolder(join(root, TEMP_FOLDER));
    await sweepTempFiles(join(root, TEMP_FOLDER), Date.now());
  } catch (error) {
    const failure = blobFailure(error, root, TEMP_FOLDER);
    // Reading is still possible; a put will report what is wrong.
    if (!(failure instanceof BlobError && (failure.code === "read-only" || failure.code === "no-space")))
      throw failure;
  }
};

/** Explains what a failed system call means for the blob: what happened, where, and what to do. */
const blobFailure = (error: unknown, folder: string, blob: string): unknown => {
  if (error instanceof BlobError) return error;
  const because = { cause: error };
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return new BlobError(
        "no-space",
        blob,
        `no space left for ${blob} in ${folder}: free some space, then continue with \`sluice resume\`; nothing that was stored is lost`,
        because,
      );
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return new BlobError(
        "read-only",
        blob,
        `no permission to use ${blob} in ${folder}: give this user read and write access, or choose another folder for blobs`,
        because,
      );
    case "EISDIR":
    case "ENOTDIR":
    case "EEXIST":
      return new BlobError(
        "bad-name",
        blob,
        `bad blob name ${blob}: another blob in ${folder} needs a part of it as a folder, or is that folder`,
        because,
      );
    case "":
      return error;
    default:
      return new BlobError("unavailable", blob, `cannot use ${blob} in ${folder}: ${String(error)}`, because);
  }
};

/** The same for a verb that only reads. */
const readFailure = (error: unknown, folder: string, blob: string): unknown =>
  isMissing(error)
    ? new BlobError("not-found", blob, `no blob ${blob} in ${folder}`, { cause: error })
    : blobFailure(error, folder, blob);

type Listed = { readonly name: string; readonly size: number };

/** Walks only the folder that the prefix names, and its subfolders; on each level, the names of one folder are in memory. */
async function* listFiles(root: string, prefix: string): AsyncGenerator<Listed> {
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

/** Folders include their `/` for sorting: `a-b` comes before `a/c`, as in the order of complete names. */
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
    if (isMissing(error)) return undefined; // removed after the folder was read
    throw error;
  }
};

const CHUNK = 256 * 1024;

const readWhole = (path: string): Promise<Uint8Array> => readFile(path);

const readRange = async (
  path: string,
  range: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> => {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const wanted = Math.max(0, Math.min(range.length, size - range.offset));
    const bytes = Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await file.read(bytes, filled, wanted - filled, range.offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
};

async function* streamFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    while (true) {
      const bytes = Buffer.allocUnsafeSlow(CHUNK);
      const { bytesRead } = await file.read(bytes, 0, CHUNK, null);
      if (bytesRead === 0) return;
      yield bytes.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Also removes folders that become empty. */
const removeFile = async (root: string, path: string): Promise<void> => {
  try {
    await unlink(path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await removeEmpty(root, dirname(path));
};

/** A put that finds its folder missing creates it again. Top-level folders stay: every process creates folders in them. */
const removeEmpty = async (root: string, folder: string): Promise<void> => {
  if (folder === root || dirname(folder) === root) return;
  try {
    await rmdir(folder);
  } catch (error) {
    if (!isMissing(error)) return;
  }
  await removeEmpty(root, dirname(folder));
};
