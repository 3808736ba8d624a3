import { join, resolve } from "node:path";
import { BlobError, type Blobs, checkBlobName } from "../../ports/blobs.ts";
import { blobFailure, readFailure } from "./blob-failure.ts";
import { durableFolders, makeFolder } from "./durable-folders.ts";
import { listFiles } from "./list-files.ts";
import { putFile } from "./put-file.ts";
import { readWhole, readRange, streamFile } from "./read-file.ts";
import { removeFile } from "./remove-file.ts";
import { sweepTempFiles, TEMP_FOLDER } from "./temp-files.ts";

/** A file costs two syncs; items wait for it before they are settled. */
const GATHER_MS = 1000;

/** Blobs as plain files below `folder`, which is made when it is not there. Several processes may share it. */
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
        return await putFile(root, folders, name, source.body);
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

/** Keeps the body's own error apart: a connection that broke under a download is no failure of the disk. */
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
    // Reading is possible all the same; a put will say what is wrong.
    if (!(failure instanceof BlobError && (failure.code === "read-only" || failure.code === "no-space")))
      throw failure;
  }
};
