import { availableParallelism } from "node:os";
import { ReextractError } from "../../archive/extractions.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import { extractJob } from "../../reextract/extract-job.ts";
import { ScraperLoadError } from "../../scrapers/check-scraper.ts";
import type { ServiceContext } from "../../services/context.ts";
import { fireSchedule } from "../../services/fire-schedule.ts";
import { FiringStages, type StageRunner, type StageRunners } from "../../services/firing-stages.ts";
import { loadInputs } from "../../services/load-inputs.ts";
import { allSchedules, type StoredFiring } from "../../services/schedule-documents.ts";
import { renewQuality } from "../../services/quality.ts";
import { readPointers } from "../../services/version-documents.ts";
import { openJobs } from "../progress-watch.ts";
import { JobBackoff, runTask, type TaskTools, wait } from "../run-task.ts";

interface ScheduleOptions extends TaskTools {
  readonly service: ServiceContext;
  /** Runs `extract`, `audit` and `publish`. */
  readonly runners: StageRunners;
  readonly everyMs?: number;
}

const EVERY_MS = 1000;

/**
 * Fires schedules. Every controller does this: writes are compare-and-set, so that one of them succeeds, and no time waits for a
 * controller that was killed.
 */
export const runSchedules = async (options: ScheduleOptions, signal: AbortSignal): Promise<void> => {
  const { service, report, everyMs = EVERY_MS, wait: waitFor = wait } = options;
  const schedules = new JobBackoff((error) => report("schedules", error), "schedule");
  while (!signal.aborted) {
    try {
      for await (const schedule of allSchedules(service.ledger)) {
        if (signal.aborted) break;
        await schedules.try(schedule.name, async () => void (await fireSchedule(service, schedule)));
      }
    } catch (error) {
      report("schedules", error);
    }
    await waitFor(everyMs, signal);
  }
};

/** Moves firings through their stages, in one controller at a time. */
export const runStages = async (options: ScheduleOptions, signal: AbortSignal): Promise<void> => {
  const { service, runners, report, everyMs = EVERY_MS } = options;
  const schedules = new JobBackoff((error) => report("stages", error), "schedule");
  const stages = new FiringStages(service, runners);
  const run = async (stop: AbortSignal): Promise<void> => {
    for await (const schedule of allSchedules(service.ledger)) {
      if (stop.aborted) return;
      if (schedule.body.running.length > 0)
        await schedules.try(schedule.name, async () => void (await stages.advance(schedule, stop)));
    }
  };
  await runTask(options, { name: "stages", everyMs, run }, signal);
};

/** Loads the inputs of jobs with `inputsFrom`, also after another controller was interrupted. */
export const runInputLoads = async (options: ScheduleOptions, signal: AbortSignal): Promise<void> => {
  const { service, report, everyMs = EVERY_MS } = options;
  const jobs = new JobBackoff((error) => report("input-loads", error));
  const run = async (stop: AbortSignal): Promise<void> => {
    for await (const view of openJobs(service.ledger, { states: ["loading", "paused"] })) {
      if (stop.aborted) return;
      if (view.spec.inputsFrom && !view.isSealed)
        await jobs.try(view.spec.id, async () => await loadInputs(service, view, stop));
    }
  };
  await runTask(options, { name: "input-loads", everyMs, run }, signal);
};

const HOUR_MS = 3_600_000;
/** Firings of a schedule that are kept, the newest. */
const KEPT_FIRINGS = 1000;
const REMOVED_TOGETHER = 50;

/** Removes old firings: beyond the newest thousand of a schedule. */
export const runOldFirings = async (options: ScheduleOptions, signal: AbortSignal): Promise<void> => {
  const { documents } = options.service.ledger;
  const run = async (): Promise<void> => {
    for await (const { name } of allSchedules(options.service.ledger)) {
      const last = { prefix: `${name}/`, newest: true } as const;
      const kept = await documents.list("firing", { ...last, limit: KEPT_FIRINGS });
      const after = kept.at(KEPT_FIRINGS - 1)?.name;
      if (after === undefined) continue;
      const old = (await documents.list("firing", {
        ...last,
        after,
        limit: REMOVED_TOGETHER,
      })) as StoredFiring[];
      const changes = old
        .filter(({ body }) => body.state !== "running")
        .map(({ kind, name: firing, revision }) => ({ kind, name: firing, expected: revision, body: null }));
      if (changes.length > 0) await documents.commit({ changes });
    }
  };
  await runTask(options, { name: "old-firings", everyMs: HOUR_MS, run }, signal);
};

/** Extracts again from the stored pages with the active version of the scraper, or with its current file if no version is active. */
export const extractStage = (
  { ledger, blobs }: Pick<ServiceContext, "ledger" | "blobs">,
  location: StorageLocation,
): StageRunner => {
  // One core is left for the requests that this process answers.
  const cores = Math.max(1, Math.min(4, availableParallelism() - 1));
  return async ({ job, signal }) => {
    try {
      const { active: version } = (await readPointers(ledger, job.spec.scraper)).body;
      const { extraction } = await extractJob({ ledger, blobs, location }, job, {
        version,
        cores,
        examples: 0,
        signal,
      });
      const { notCurrent, counts } = extraction;
      await renewQuality({ ledger, blobs }, job.spec.id);
      return notCurrent === undefined
        ? { ok: true, detail: `${counts.items} items read again` }
        : { ok: false, detail: `the records of the run stay current: ${notCurrent}` };
    } catch (error) {
      if (error instanceof ReextractError || error instanceof ScraperLoadError)
        return { ok: false, detail: error.message };
      throw error;
    }
  };
};
