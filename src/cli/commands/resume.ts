import { availableParallelism } from "node:os";
import { type Storage, laneOf, openStorage } from "../../compose.ts";
import { loadInputs } from "../../pipeline/submit.ts";
import type { JobView } from "../../domain/job.ts";
import { loadPinned } from "../../scrapers/load-pinned.ts";
import type { CompiledScraper } from "../../scrapers/compiled-scraper.ts";
import { ScraperLoadError } from "../../scrapers/load-scraper.ts";
import { Supervisor } from "../../worker/supervisor.ts";
import { capsOf } from "../common-options.ts";
import { findJob } from "../find-job.ts";
import { readInputs } from "../../inputs/read-inputs.ts";
import type { ResumeOptions } from "../options.ts";
import { checkOutput } from "../../export/outputs/open-output.ts";
import { openProgress, progressMode } from "../progress.ts";
import { dataFlag } from "../next-steps.ts";
import { NEW_VERSION_WAIT_MS, readNewVersion, waitText } from "../read-new-version.ts";
import { reapDead } from "../reap-dead.ts";
import { workerScript } from "../run-workers.ts";
import { noteChange } from "../service/audit-local.ts";
import { LOCAL_ACTOR } from "../../services/context.ts";
import { resumeJob } from "../../services/jobs.ts";
import { superviseJob } from "../supervise-job.ts";
import { UsageError } from "../usage-error.ts";

/** Goes on with a job that was interrupted, held or killed, as if it had never stopped. */
export const resumeCommand = async (named: string, options: ResumeOptions): Promise<number> => {
  if (options.output !== undefined) checkOutput(options.output);
  await using storage = await openStorage(options.data);
  const found = await findJob(storage.ledger, named);
  const job = found.spec.id;
  const after = await storage.ledger.events.last();
  const { client } = found.spec;
  if (client !== "local")
    await noteChange(options.data, {
      action: "resumeJob",
      target: job,
      detail: { of: client, ...capsOf(options), ...(options.newVersion && { newVersion: true }) },
    });
  await reapDead(storage.ledger);
  const caps = capsOf(options);
  const { newVersion } = options;
  using progress = openProgress({ mode: progressMode(options), stream: process.stderr });
  const say = (line: string): void => progress.note(line);
  let load: Load | undefined;
  const view = await resumeJob({ ledger: storage.ledger, laneOf }, LOCAL_ACTOR, job, {
    ...(caps && { caps }),
    newVersion,
    waitMs: NEW_VERSION_WAIT_MS,
    onWait: (inFlight) => say(waitText(job, inFlight)),
    async readPages(now, isTaken) {
      const isUnchanged = newVersion && !isTaken;
      await readNewVersion(storage, now, { isUnchanged, cores: availableParallelism(), say });
      // Before the job is resumed: without its scraper or its inputs it could not run.
      const ready = await loadPinned(now.spec).catch((error: unknown) => {
        throw withCommand(error, job, options);
      });
      load = loaderOf(storage, now, ready, options);
    },
  });
  const { processes, logLevel, output } = options;
  const supervisor = new Supervisor({
    script: workerScript,
    processes,
    onOutput: (line) => progress.note(line),
  });
  try {
    return await superviseJob({
      storage,
      job,
      title: `${view.spec.scraper}, resumed`,
      isNew: false,
      after,
      supervisor,
      processes,
      progress,
      logLevel,
      ...(output !== undefined && { output }),
      ...(load && { load }),
    });
  } finally {
    await supervisor.kill();
    if (options.input === "-") process.stdin.destroy(); // an open pipe would keep the process
  }
};

/** With the command to paste. */
const withCommand = (error: unknown, job: string, { data }: ResumeOptions): unknown =>
  error instanceof ScraperLoadError && error.code === "changed-scraper"
    ? new ScraperLoadError(
        error.code,
        `${error.message}\n  sluice resume ${job} --new-version${dataFlag(data)}`,
      )
    : error;

type Load = (signal: AbortSignal, onProgress: (received: number) => void) => Promise<void>;

/** A job whose inputs were not all read when it was stopped needs them again; those that it has are folded. */
const loaderOf = (
  storage: Storage,
  view: JobView,
  ready: CompiledScraper,
  { input, format }: ResumeOptions,
): Load | undefined => {
  const { id: job, client, limit } = view.spec;
  if (view.isSealed) return undefined;
  if (input === undefined)
    throw new UsageError(
      `${job}: it was stopped before all of its inputs were read. Give them again with --input FILE: ` +
        `the ${view.counts.accepted} that it has are folded.`,
    );
  const inputs = readInputs(input, format ? { format } : {});
  const submission = { job, client, ready, laneOf, inputs, ...(limit !== undefined && { limit }) };
  return async (signal, onProgress) =>
    void (await loadInputs(storage.ledger, { ...submission, signal, onProgress }));
};
