import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface ScratchDatabase extends Disposable {
  readonly db: DatabaseSync;
  /** Where further temporary files can be. */
  readonly folder: string;
}

/** A database in a temporary folder, for what is sorted or looked up by key and does not fit in memory. It goes when it is disposed, or with the process. */
export const openScratch = (purpose: string, tables: string): ScratchDatabase => {
  const folder = mkdtempSync(join(tmpdir(), `sluice-${purpose}-`));
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clear); // also on interruption
  const db = new DatabaseSync(join(folder, "scratch.db"));
  // No sync: the file does not outlive the command.
  db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768");
  db.exec(tables);
  return {
    db,
    folder,
    [Symbol.dispose]() {
      db.close();
      clear();
      process.off("exit", clear);
    },
  };
};
