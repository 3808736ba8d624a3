import { resolve } from "node:path";
import {
  copyLedger,
  LEDGER_FILE,
  lookAtLedger,
  openBlobFolder,
  openLedger,
  RESTORING_FILE,
} from "../../compose.ts";
import {
  backup,
  type BackupEnd,
  BackupError,
  type Copied,
  type CopyTools,
  restore,
} from "../../integrity/backup.ts";
import { EXIT } from "../exit-codes.ts";
import { bytesText, counted } from "../number-text.ts";
import { mustBeDataFolder } from "../open-existing-storage.ts";
import { print } from "../print.ts";
import { auditedIn, noteChange } from "../service/audit-local.ts";

export interface BackupOptions {
  readonly data: string;
  readonly json: boolean;
}

const PROGRESS_MS = 5_000;

export const backupTools = (json: boolean): CopyTools => {
  let next = performance.now() + PROGRESS_MS;
  return {
    ledgerFile: LEDGER_FILE,
    copyLedger,
    look: lookAtLedger,
    openLedger,
    openBlobs: openBlobFolder,
    onProgress({ objects, bytes }: Readonly<Copied>) {
      if (json || performance.now() < next) return;
      next = performance.now() + PROGRESS_MS;
      process.stderr.write(`${counted(objects, "object")} (${bytesText(bytes)}) copied so far\n`);
    },
  };
};

export const backupCommand = async (to: string, { data, json }: BackupOptions): Promise<number> => {
  mustBeDataFolder(data);
  if (resolve(to).startsWith(`${resolve(data)}/`) || resolve(to) === resolve(data))
    throw new BackupError(
      "not-empty",
      `${to}: inside the data folder itself. Choose a folder outside of it.`,
    );
  const done = await auditedIn(data, { action: "backup", target: resolve(to) }, () =>
    backup(data, to, backupTools(json)),
  );
  return tell(done, `backup of ${data} in ${to}`, json);
};

export const restoreCommand = async (from: string, { data, json }: BackupOptions): Promise<number> => {
  const done = await restore(from, data, { ...backupTools(json), restoringFile: RESTORING_FILE });
  await noteChange(data, { action: "restore", target: resolve(from) });
  return tell(done, `${from} restored to ${data}`, json);
};

/** Damage is copied as it is: what else there is may be all that is left. */
const tell = ({ at, copied, damage }: BackupEnd, what: string, json: boolean): number => {
  const { objects, bytes, kept } = copied;
  const exitCode = damage.length > 0 ? EXIT.storage : EXIT.ok;
  if (json) print([JSON.stringify({ at: new Date(at).toISOString(), objects, bytes, kept, damage })]);
  else
    print([
      `${what}: as of ${new Date(at).toISOString()}, ${counted(objects, "object")} (${bytesText(bytes)}), ${kept} of them there from before`,
      ...damage.map(({ where, problem }) => `damaged: ${where}: ${problem}`),
      damage.length === 0 ? "checked: no problems" : "`sluice fsck` tells what can be done.",
    ]);
  return exitCode;
};
