import {
  LEDGER_FILE,
  openBlobs,
  openLedger,
  openRebuild,
  openRegistryFile,
  REBUILD_FILE,
} from "../../compose.ts";
import { newSecret } from "../../services/secrets.ts";
import { rebuild, type Rebuilt, type RebuildTools } from "../../integrity/rebuild.ts";
import type { RebuiltJob } from "../../ports/ledger-check.ts";
import { EXIT } from "../exit-codes.ts";
import { counted, countText } from "../number-text.ts";
import { dataFlag } from "../next-steps.ts";
import { print } from "../print.ts";
import type { BackupOptions } from "./backup.ts";

const PROGRESS_MS = 5_000;

export const rebuildTools = (json: boolean): RebuildTools => {
  let next = performance.now() + PROGRESS_MS;
  return {
    ledgerFile: LEDGER_FILE,
    rebuildFile: REBUILD_FILE,
    openBlobs,
    openRebuild,
    openLedger,
    openRegistry: openRegistryFile,
    newSecret,
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
