import type { StorageLocation } from "../../ports/storage.ts";
import { ledgerFile, storageLocation, LEDGER_FILE } from "../../config/storage-location.ts";
import { resolve } from "node:path";
import {
  copyLedger,
  lookAtLedger,
  openBlobFolder,
  openBlobs,
  openLedger,
  openRebuild,
  openRegistryFile,
  REBUILD_FILE,
  RESTORING_FILE,
} from "../../compose.ts";
import { newSecret } from "../../services/secrets.ts";
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
import { mustExist } from "../existing-storage.ts";
import { EXIT, UsageError } from "../exit.ts";
import { dataFlag, type DataOptions } from "../options.ts";
import { auditedIn, noteChange } from "../service/audit-local.ts";
import { print, throttled } from "../terminal.ts";
import { bytesText, counted, countText } from "../text.ts";

const PROGRESS_MS = 5_000;

export const backupTools = (json: boolean): CopyTools => ({
  ledgerFile: LEDGER_FILE,
  copyLedger,
  look: lookAtLedger,
  openLedger,
  openBlobs: openBlobFolder,
  onProgress: throttled(PROGRESS_MS, ({ objects, bytes }: Readonly<Copied>) => {
    if (!json) process.stderr.write(`${counted(objects, "object")} (${bytesText(bytes)}) copied so far\n`);
  }),
});

export const backupCommand = async (to: string, { location, json }: DataOptions): Promise<number> => {
  mustExist(location);
  const { data } = location;
  if (resolve(to).startsWith(`${resolve(data)}/`) || resolve(to) === resolve(data))
    throw new BackupError(
      "not-empty",
      `${to}: this is inside the data folder. Choose a folder outside of it.`,
    );
  const from = { ledger: ledgerFile(location), blobs: await openBlobs(location) };
  const done = await auditedIn(location, { action: "backup", target: resolve(to) }, () =>
    backup(from, to, backupTools(json)),
  );
  return printResult(done, `Backup of ${data} in ${to}`, json);
};

export const restoreCommand = async (from: string, { location, json }: DataOptions): Promise<number> => {
  const data = dataFolder(location);
  const done = await restore(from, data, { ...backupTools(json), restoringFile: RESTORING_FILE });
  await noteChange(location, { action: "restore", target: resolve(from) });
  return printResult(done, `Restored ${from} to ${data}`, json);
};

/** Damaged objects are copied too: they may be all that is left. */
const printResult = ({ at, copied, damage }: BackupEnd, what: string, json: boolean): number => {
  const { objects, bytes, kept } = copied;
  const exitCode = damage.length > 0 ? EXIT.storage : EXIT.ok;
  if (json) print([JSON.stringify({ at: new Date(at).toISOString(), objects, bytes, kept, damage })]);
  else
    print([
      `${what}: as of ${new Date(at).toISOString()}, ${counted(objects, "object")} (${bytesText(bytes)}), ${kept} of them copied earlier`,
      ...damage.map(({ where, problem }) => `damaged: ${where}: ${problem}`),
      damage.length === 0 ? "Verified: no problems" : "Run `sluice fsck` to see what to do.",
    ]);
  return exitCode;
};

export const rebuildTools = (json: boolean): RebuildTools => ({
  ledgerFile: LEDGER_FILE,
  rebuildFile: REBUILD_FILE,
  openBlobs,
  openRebuild,
  openLedger,
  openRegistry: openRegistryFile,
  newSecret,
  onProgress: throttled(PROGRESS_MS, ({ jobs, items }) => {
    if (!json) process.stderr.write(`${counted(jobs, "job")} and ${counted(items, "item")} rebuilt so far\n`);
  }),
});

export const rebuildCommand = async ({ location, json }: DataOptions): Promise<number> => {
  const data = dataFolder(location);
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
    `Rebuilt ${counted(jobs.length, "job")} in ${data}, and ${counted(clients, "client")} with ${counted(keys, "key")} that still work`,
    ...(webhooks > 0
      ? [
          `${counted(webhooks, "webhook")} got a new secret, because the archive holds no secrets. Rotate each secret and configure its receiver.`,
        ]
      : []),
    ...(paused.length > 0
      ? [
          `${counted(paused.length, "job")} paused, with ${counted(queued, "item")} to fetch. Check with \`sluice fsck${dataFlag({ data })}\`, then continue with \`sluice resume JOB${dataFlag({ data })}\`.`,
        ]
      : []),
  ];
};

const jobLine = ({ job, state, items, ended, queued, capped, lost, withoutInput }: RebuiltJob): string =>
  [
    `${job}: ${state}, ${countText(ended)} of ${counted(items, "item")} recovered with their data`,
    ...(queued > 0 ? [`${countText(queued)} queued`] : []),
    ...(capped > 0 ? [`${countText(capped)} capped`] : []),
    ...(lost > 0
      ? [`${countText(lost)} of the queued items had ended, but their records or pages are missing`]
      : []),
    ...(withoutInput > 0 ? [`${countText(withoutInput)} without their inputs`] : []),
  ].join(", ");

/** Restore and rebuild write a whole data folder. */
const dataFolder = ({ data, ledger, blobs }: StorageLocation): string => {
  const usual = storageLocation({ data });
  if (ledger === usual.ledger && blobs === usual.blobs) return data;
  throw new UsageError(
    "This command writes a data folder and cannot use `ledger` or `blobs`. Name the folder with --data DIR only. To continue in PostgreSQL or S3, copy the folder with `sluice migrate` afterwards.",
  );
};
