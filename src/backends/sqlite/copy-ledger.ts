import { open, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { makePrivate } from "./database.ts";

/** Copies a ledger at one moment to a file that must not exist; writers are not blocked. Durable when it returns. */
export const copyLedger = async (from: string, to: string): Promise<void> => {
  await rm(to, { force: true });
  makePrivate(to);
  using db = new DatabaseSync(from, { readOnly: true, timeout: 30_000 });
  db.prepare("VACUUM INTO ?").run(to);
  await using file = await open(to, "r+");
  await file.sync();
};
