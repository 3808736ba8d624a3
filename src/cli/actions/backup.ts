import { resolve } from "node:path";
import {
  copyLedger,
  LEDGER_FILE,
  lookAtLedger,
  newWebhookSecret,
  openBlobFolder,
  openBlobs,
  openLedger,
  openRebuild,
  openRegistryFile,
  REBUILD_FILE,
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
import { rebuild, type RebuildTools, type Rebuilt } from "../../integrity/rebuild.ts";
import type { RebuiltJob } from "../../ports/ledger-check.ts";
import { mustBeDataFolder } from "../existing-storage.ts";
import { EXIT } from "../exit.ts";
import { dataFlag } from "../options.ts";
import { auditedIn, noteChange } from "../service/audit-local.ts";
import { print } from "../terminal.ts";
import { bytesText, counted, countText } from "../text.ts";

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

export const rebuildTools = (json: boolean): RebuildTools => {
  let next = performance.now() + PROGRESS_MS;
  return {
    ledgerFile: LEDGER_FILE,
    rebuildFile: REBUILD_FILE,
    openBlobs,
    openRebuild,
    openLedger,
    openRegistry: openRegistryFile,
    newSecret: newWebhookSecret,
    onProgress({ jobs, items }) {
      if (json || performance.now() < next) return;
      next = performance.now() + PROGRESS_MS;
      process.stderr.write(`${counted(jobs, "job")} and ${counted(items, "item")} rebuilt so far\n`);
    },
  };
};

export const rebuildCommand = async ({ data, json }: BackupOptions): Promise<number> => {
  const rebuilt = await rebuild(data, rebuildTools(json));
  print(json ? [JSON.stringify(rebuilt)] : report(rebuilt, data));
  return rebuilt.problems.length > 0 ? EXIT.storage : EXIT.ok;
};

const report = ({ jobs, problems, clients, keys, webhooks }: Rebuilt, data: string): string[] => {
  const paused = jobs.filter(({ state }) => state === "paused");
  const queued = paused.reduce((sum, job) => sum + job.queued, 0);
  return [
    ...jobs.map(jobLine),
    ...problems.map((problem) => `not recovered: ${problem}`),
    `${counted(jobs.length, "job")} rebuilt in ${data}, ${counted(clients, "client")} with ${counted(keys, "key")} that work as before`,
    ...(webhooks > 0
      ? [
          `${counted(webhooks, "webhook")} got a new secret, because secrets are never in the archive: rotate each and tell its receiver.`,
        ]
      : []),
    ...(paused.length > 0
      ? [
          `${counted(paused.length, "job")} paused, ${counted(queued, "item")} to fetch. Check with \`sluice fsck${dataFlag(data)}\`, then go on: \`sluice resume JOB${dataFlag(data)}\``,
        ]
      : []),
  ];
};

const jobLine = ({ job, state, items, ended, queued, capped, lost, withoutInput }: RebuiltJob): string =>
  [
    `${job}: ${state}, ${countText(ended)} of ${counted(items, "item")} with what they brought`,
    ...(queued > 0 ? [`${countText(queued)} queued`] : []),
    ...(capped > 0 ? [`${countText(capped)} capped`] : []),
    ...(lost > 0
      ? [`${countText(lost)} of the queued had ended, but their records or pages are missing`]
      : []),
    ...(withoutInput > 0 ? [`${countText(withoutInput)} without their inputs`] : []),
  ].join(", ");
