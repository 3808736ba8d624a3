import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ItemState } from "../domain/item.ts";

interface ShelvedItem {
  readonly scraper: string;
  readonly key: string;
  readonly state: ItemState;
  readonly lines: Buffer;
  /** The object they are in. */
  readonly blob: string;
}

/** Items put aside to be found again by key, in a temporary file: two jobs have their items in two orders, and may have millions. */
interface ItemIndex extends Disposable {
  put(items: readonly ShelvedItem[]): void;
  take(scraper: string, key: string): Pick<ShelvedItem, "state" | "lines" | "blob"> | undefined;
  /** What was never taken: how many, and the keys of the first. */
  left(most: number): { readonly count: number; readonly keys: readonly string[] };
}

export const openItemIndex = (): ItemIndex => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-diff-"));
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clear); // also when it was interrupted
  const db = new DatabaseSync(join(folder, "items.db"));
  // Nothing in it is worth a sync: it does not outlive the command.
  db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768");
  db.exec(
    `CREATE TABLE items (scraper TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, lines BLOB NOT NULL, object TEXT NOT NULL, is_taken INTEGER NOT NULL DEFAULT 0);
     CREATE UNIQUE INDEX by_key ON items (key, scraper)`,
  );
  const insert = db.prepare("INSERT INTO items (scraper, key, state, lines, object) VALUES (?, ?, ?, ?, ?)");
  const find = db.prepare(
    "UPDATE items SET is_taken = 1 WHERE key = ? AND scraper = ? RETURNING state, lines, object AS blob",
  );
  return {
    put(items) {
      db.exec("BEGIN");
      for (const { scraper, key, state, lines, blob } of items) insert.run(scraper, key, state, lines, blob);
      db.exec("COMMIT");
    },
    take(scraper, key) {
      const row = find.get(key, scraper) as { state: ItemState; lines: Uint8Array; blob: string } | undefined;
      return row && { ...row, lines: Buffer.from(row.lines) };
    },
    left(most) {
      const { count } = db.prepare("SELECT count(*) AS count FROM items WHERE is_taken = 0").get() as {
        count: number;
      };
      const rows = db
        .prepare("SELECT key FROM items WHERE is_taken = 0 ORDER BY rowid LIMIT ?")
        .all(most) as { key: string }[];
      return { count, keys: rows.map(({ key }) => key) };
    },
    [Symbol.dispose]() {
      db.close();
      clear();
      process.off("exit", clear);
    },
  };
};
