import { open, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { makePrivate } from "./database.ts";

/** A copy of a ledger as it is in one moment, in a file that must not be there; those who write meanwhile are not held up. Durable when it returns. */
export const copyLedger = async (from: string, to: string): Promise<void> => {
  await rm(to, { force: true });
  makePrivate(to);
  using db = new DatabaseSync(from, { readOnly: true, timeout: 30_000 });
  db.prepare("VACUUM INTO ?").run(to);
  await using file = await open(to, "r+");
  await file.sync();
};
