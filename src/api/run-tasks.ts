import type { AlertRules } from "../domain/alert-rules.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Channel, WebhookSender } from "../ports/channel.ts";
import type { Ledger, WorkerView } from "../ports/ledger.ts";
import type { Registry } from "../ports/registry.ts";
import type { StorageLocation } from "../ports/storage.ts";
import type { PruneTools } from "../retention/plan-prune.ts";
import type { ServiceContext } from "../services/context.ts";
import type { StageRunners } from "../services/firing-stages.ts";
import type { ControllerLog } from "./controller-context.ts";
import type { Metrics } from "./metrics.ts";
import { taskLog, wait } from "./run-task.ts";
import { runAlerts } from "./tasks/alerts.ts";
import { runAbandonedUploads, runJoins } from "./tasks/blob-upkeep.ts";
import { runCanaries } from "./tasks/canaries.ts";
import { runManifests } from "./tasks/manifests.ts";
import { runNewVersions } from "./tasks/new-versions.ts";
import { runProgress } from "./tasks/progress.ts";
import { runQuality } from "./tasks/quality.ts";
import { runReaper } from "./tasks/reaper.ts";
import { extractStage, runInputLoads, runOldFirings, runSchedules, runStages } from "./tasks/schedules.ts";
import { runReleases } from "./tasks/releases.ts";
import { runRetention, runTidy } from "./tasks/retention.ts";
import { runWebhooks } from "./tasks/webhooks.ts";
import type { OnDeliveryEnd } from "./webhooks/send-deliveries.ts";

export interface TasksOptions {
  readonly ledger: Ledger;
  readonly registry: Registry;
  readonly blobs: Blobs;
  /** Threads that read stored pages open it themselves. */
  readonly location: StorageLocation;
  /** What schedules need to start jobs. */
  readonly service: ServiceContext;
  /** Runs the stages after `extract`. */
  readonly runners?: StageRunners;
  /** Names this controller among those that share the ledger. */
  readonly holder: string;
  readonly log: ControllerLog;
  readonly metrics: Pick<Metrics, "onDeliveryEnd">;
  readonly sender: WebhookSender;
  /** Where alerts are sent; without channels, only the API shows them. */
  readonly channels: readonly Channel[];
  readonly rules?: Partial<AlertRules>;
  /** Retention of a job, for one round. */
  readonly retentionOf: () => PruneTools["retentionOf"];
  /** Writes a job's manifest on another thread. */
  readonly keepManifest?: (job: string) => Promise<void>;
  /** Deletes the log of a removed job. */
  readonly removeLog: (job: string) => Promise<void>;
  /** Whether a worker's process has ended, if that can be seen from here. */
  readonly isGone?: (worker: WorkerView) => boolean;
}

const RESTART_MS = 10_000;

/** All background tasks of a controller, until the signal. Errors are logged, and the task is tried again. */
export const runTasks = async (options: TasksOptions, signal: AbortSignal): Promise<void> => {
  const { log, metrics, ...rest } = options;
  const { report, onReaped, onEvent, onDeliveryEnd, onRemoved, onAlerts } = taskLog(log);
  const runners = { extract: extractStage(options, options.location), ...options.runners };
  const tools = { ...rest, runners, report };
  /** A failing task ends neither the process nor other tasks. */
  const keepOn = async (name: string, run: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      await run().catch((error: unknown) => report(name, error));
      await wait(RESTART_MS, signal);
    }
  };
  const onEnd: OnDeliveryEnd = (delivery, end) => {
    onDeliveryEnd(delivery, end);
    metrics.onDeliveryEnd(delivery, end);
  };
  await Promise.all([
    keepOn("reaper", () => runReaper({ ...tools, onReaped }, signal)),
    keepOn("tidy", () => runTidy(tools, signal)),
    keepOn("manifests", () => runManifests(tools, signal)),
    keepOn("quality", () => runQuality(tools, signal)),
    keepOn("releases", () => runReleases(tools, signal)),
    keepOn("retention", () => runRetention({ ...tools, onRemoved }, signal)),
    ...(options.blobs.join ? [keepOn("joins", () => runJoins(tools, signal))] : []),
    ...(options.blobs.abortAbandoned
      ? [keepOn("abandoned-uploads", () => runAbandonedUploads(tools, signal))]
      : []),
    keepOn("schedules", () => runSchedules(tools, signal)),
    keepOn("stages", () => runStages(tools, signal)),
    keepOn("input-loads", () => runInputLoads(tools, signal)),
    keepOn("old-firings", () => runOldFirings(tools, signal)),
    keepOn("canaries", () => runCanaries(tools, signal)),
    keepOn("new-versions", () => runNewVersions(tools, signal)),
    keepOn("progress", () => runProgress(tools, signal)),
    keepOn("webhooks", () => runWebhooks({ ...tools, onEvent, onEnd }, signal)),
    keepOn("alerts", () => runAlerts({ ...tools, onAlerts }, signal)),
  ]);
};
