import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const EVERY_MS = 250;
/** A smaller log is left alone. */
const SMALL_WAL = 4 * 1024 * 1024;
/** One that has grown to this is closed for a moment, for else it may never come to its end. */
export const LARGE_WAL = 64 * 1024 * 1024;

/**
 * Moves the write-ahead log into the database file on a thread of its own, where it keeps nobody from being answered: inside a commit it would take
 * some 100 ms for 16 MB.
 */
export const startCheckpoints = (file: string): AsyncDisposable => {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: { file },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  // Without it the log grows, until `tidy` is called.
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
      // Somebody else has the lock, or the disk is full: those who write say so.
    }
  }, EVERY_MS);
}
