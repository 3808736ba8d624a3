import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";

type Folders = ReturnType<typeof durableFolders>;

/**
 * Writes a temporary file, syncs it, renames it and syncs the folder, in that order: the name never points to a partial object,
 * even after a power cut.
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
    await rm(temp, { force: true }).catch(() => undefined); // report the first error
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
    folders.forget(folder); // another process has removed the empty folder
    await folders.ensure(folder);
    await rename(temp, path);
  }
  await syncFolder(folder);
};

export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Not `mkdir` with `recursive`, which returns ENOENT on a read-only disk, and never returns where no folder can be created (`/proc`). */
export const makeFolder = async (path: string): Promise<void> => {
  const hasParent = await stat(dirname(path)).then(
    () => true,
    () => false,
  );
  if (!hasParent) await makeFolder(dirname(path));
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    throw error;
  }
  await syncFolder(dirname(path));
};

/**
 * Creates folders so that they survive a power cut. An existing folder may have been created a moment ago by a process that has
 * not synced it yet, so every process syncs the path from `root` once.
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
    /** The folder was removed in the meantime. */
    forget(path: string): void {
      known.delete(path);
    },
  };
};

/** A name with a dot, which no blob can have. It is in the same tree as the blobs, so that a rename never crosses file systems. */
export const TEMP_FOLDER = ".incoming";

const DAY_MS = 86_400_000;
const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, "-");

/** The name contains host and pid, to find out later whether its writer may still be alive. */
export const tempName = (): string => `${host}.${process.pid}.${randomUUID()}`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH"; // EPERM: alive, but owned by another user
  }
};

/**
 * Removes files of dead writers. A pid means nothing on another host (or in another container), and may belong to a new process:
 * in these cases, a file counts as abandoned after a day without a write.
 */
export const sweepTempFiles = async (folder: string, now: number): Promise<void> => {
  for (const name of await readdir(folder)) {
    const [writerHost, pid] = name.split(".");
    const path = join(folder, name);
    try {
      const isOrphan = writerHost === host && !isAlive(Number(pid));
      if (isOrphan || (await stat(path)).mtimeMs < now - DAY_MS) await rm(path, { force: true });
    } catch (error) {
      if (!isMissing(error)) throw error; // another process was faster
    }
  }
};

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Also if a part of the path is a file, or the path is a folder: there is no such blob. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(error));
