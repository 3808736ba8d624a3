import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "./database.ts";

/** Between two looks at whether the file has changed, which take no lock. */
const LOOK_MS = 100;

/** True as soon as it is so, false after `ms`. Where nothing was written nothing can have become so; where something was, a read tells. */
export const awaitChange = async (
  db: Database,
  isSo: () => Promise<boolean>,
  ms: number,
): Promise<boolean> => {
  const until = performance.now() + ms;
  let seen = "";
  while (db.isOpen) {
    const version = db.version();
    if (version !== seen && (await isSo())) return true;
    seen = version;
    const leftMs = until - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(LOOK_MS, leftMs));
  }
  return false;
};
