import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Storage, LEDGER_FILE, openStorage } from "../compose.ts";
import { UsageError } from "./usage-error.ts";

/** For commands that look at what is there: a mistyped folder is told, not made. */
export const openExistingStorage = async (
  data: string,
  options?: { readonly cacheMb: number },
): Promise<Storage> => {
  mustBeDataFolder(data);
  return await openStorage(data, options);
};

export const mustBeDataFolder = (data: string): void => {
  if (existsSync(join(data, LEDGER_FILE))) return;
  if (existsSync(join(data, "blobs", "jobs")))
    throw new UsageError(
      `${data}: there is an archive here, but its ledger (${LEDGER_FILE}) is missing. Put it back from a backup, or make it again with \`sluice rebuild\`.`,
    );
  throw new UsageError(
    `${data}: there is no Sluice data folder here. Start a job with \`sluice run\`, or name the folder with --data DIR.`,
  );
};
