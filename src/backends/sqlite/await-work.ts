import { setTimeout as delay } from "node:timers/promises";
import { hasWork, workWants } from "../../ledger/claim.ts";
import type { LedgerStore } from "../../ledger/store.ts";
import type { WorkFilter } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

/** Between two looks at whether the file has changed, which take no lock. */
const LOOK_MS = 100;

/** Where nothing was written, nothing new can be had; where something was, a read tells. So workers that wait do not wake one another. */
export const awaitWork = async (
  db: Database,
  store: LedgerStore,
  filter: WorkFilter,
  ms: number,
): Promise<boolean> => {
  const until = performance.now() + ms;
  let seen = "";
  while (db.isOpen) {
    const version = db.version();
    if (version !== seen && (await store.read(workWants(filter), (book) => hasWork(book, filter))))
      return true;
    seen = version;
    const leftMs = until - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(LOOK_MS, leftMs));
  }
  return false;
};
