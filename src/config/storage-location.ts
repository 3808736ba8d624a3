import { isAbsolute, join, resolve } from "node:path";
import { isController, parseStorageUrl, type StorageLocation } from "../ports/storage.ts";
import { ConfigError } from "./check-config.ts";

/** The ledger's file in a data folder. */
export const LEDGER_FILE = "sluice.db";
const BLOBS_FOLDER = "blobs";

interface StorageSettings {
  readonly data: string;
  readonly ledger?: string | undefined;
  readonly blobs?: string | undefined;
  readonly key?: string | undefined;
}

/** Ledger and archive are below the data folder unless their URLs say otherwise. A controller has both. */
export const storageLocation = ({ data, ledger, blobs, key }: StorageSettings): StorageLocation => {
  const ledgerUrl = ledger ?? `sqlite:${join(data, LEDGER_FILE)}`;
  const blobsUrl = blobs ?? (isController(ledgerUrl) ? ledgerUrl : `file:${join(data, BLOBS_FOLDER)}`);
  return { data, ledger: ledgerUrl, blobs: blobsUrl, ...(key !== undefined && { key }) };
};

/** Paths in `sluice.config.ts` are relative to that file. */
export const resolveStorageUrl = (url: string, folder: string): string => {
  const parsed = parseStorageUrl(url);
  return parsed && (parsed.scheme === "sqlite" || parsed.scheme === "file") && !isAbsolute(parsed.path)
    ? `${parsed.scheme}:${resolve(folder, parsed.path)}`
    : url;
};

/** What to do instead where the ledger is no file. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  postgres:
    "The ledger is in PostgreSQL: back it up and restore it with pg_dump and pg_restore. To check it, stop all processes, copy it to a file with `sluice migrate --from URL --to sqlite:copy.db`, and use `--ledger sqlite:copy.db`",
  http: "The ledger belongs to a controller: run the command on the controller's machine",
};

/** The ledger's file, for commands that work on it: fsck, backup, restore, rebuild. */
export const ledgerFile = ({ ledger }: Pick<StorageLocation, "ledger">): string => {
  const file = parseStorageUrl(ledger);
  if (file?.scheme === "sqlite") return file.path;
  const [, wayOut = "Expected a ledger `sqlite:FILE`"] =
    Object.entries(WAYS_OUT).find(([scheme]) => file?.scheme.startsWith(scheme)) ?? [];
  throw new ConfigError("bad-config", `This command works on ledgers that are files. ${wayOut}.`);
};
