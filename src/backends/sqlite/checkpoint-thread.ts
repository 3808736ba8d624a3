import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const EVERY_MS = 250;
/** A smaller log is not moved. */
const SMALL_WAL = 4 * 1024 * 1024;
/** A log of this size is blocked for a moment, because otherwise it might never be moved completely. */
export const LARGE_WAL = 64 * 1024 * 1024;

/**
 * Moves the write-ahead log into the database file on a separate thread, where it delays nobody: inside a commit it would take
 * about 100 ms for 16 MB.
 */
export const startCheckpoints = (file: string): AsyncDisposable => {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: { file },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  // Without it, the log grows until `tidy` is called.
  thread.on("error", () => undefined);
  return { [Symbol.asyncDispose]: async () => void (await thread.terminate()) };
};

const checkpoint = (db: DatabaseSync, file: string): void => {
  const { size } = statSync(`${file}-wal`);
  if (size > SMALL_WAL) db.exec(`PRAGMA wal_checkpoint(${size > LARGE_WAL ? "RESTART" : "PASSIVE"})`);
};

if (!isMainThread && typeof workerData === "object" && workerData !== null && "file" in workerData) {
  const { file } = workerData as { readonly file: string };
  const db = new DatabaseSync(file, { timeout: 0 });
  setInterval(() => {
    try {
      checkpoint(db, file);
    } catch {
      // Another process has the lock, or the disk is full: writers report it.
    }
  }, EVERY_MS);
}
