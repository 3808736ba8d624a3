import { randomUUID } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf, isMissing } from "./blob-failure.ts";

/** A dot name, which no blob can have; in the blobs' own tree, so that a rename never crosses file systems. */
export const TEMP_FOLDER = ".incoming";

const DAY_MS = 86_400_000;
const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, "-");

/** Host and pid are in the name: whoever sweeps can tell whether its writer may still live. */
export const tempName = (): string => `${host}.${process.pid}.${randomUUID()}`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH"; // EPERM: alive, of another user
  }
};

/**
 * Removes what dead writers left. A pid means nothing on another host (or in another container), and may have been given
 * to a new process: there only a day without a write tells.
 */
export const sweepTempFiles = async (folder: string, now: number): Promise<void> => {
  for (const name of await readdir(folder)) {
    const [writerHost, pid] = name.split(".");
    const path = join(folder, name);
    try {
      const isOrphan = writerHost === host && !isAlive(Number(pid));
      if (isOrphan || (await stat(path)).mtimeMs < now - DAY_MS) await rm(path, { force: true });
    } catch (error) {
      if (!isMissing(error)) throw error; // somebody else was quicker
    }
  }
};
