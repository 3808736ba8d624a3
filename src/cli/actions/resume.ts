import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { laneOf, openStorage } from "../../compose.ts";
import type { JobView } from "../../domain/job.ts";
import { readInputs } from "../../inputs/read-inputs.ts";
import { loadInputs } from "../../pipeline/submit.ts";
import type { Storage } from "../../ports/storage.ts";
import { isDeployed } from "../../scrapers/bundle.ts";
import { ScraperLoadError } from "../../scrapers/check-scraper.ts";
import type { CompiledScraper } from "../../scrapers/compiled-scraper.ts";
import { loadPinned } from "../../scrapers/load-pinned.ts";
import { LOCAL_ACTOR } from "../../services/context.ts";
import { resumeJob } from "../../services/jobs.ts";
import { Supervisor } from "../../worker/supervisor.ts";
import { UsageError } from "../exit.ts";
import { findJob } from "../find-job.ts";
import { type CapOptions, capsOf, dataFlag, given, type WorkingOptions } from "../options.ts";
import { NEW_VERSION_WAIT_MS, readNewVersion, waitText } from "../read-new-version.ts";
import { openProgress, progressMode } from "../render/progress.ts";
import { workerScript } from "../worker-script.ts";
import { noteChange } from "../service/audit-local.ts";
import { checkOutputs } from "./run-job.ts";
import { reapDead, superviseJob } from "./supervise-job.ts";

export interface ResumeOptions extends WorkingOptions, CapOptions {
  /** Continue with the current version of the scraper. */
  readonly newVersion: boolean;
}

export const resumeCommand = async (named: string, options: ResumeOptions): Promise<number> => {
  checkOutputs(options);
  await using storage = await openStorage(options.location);
  const found = await findJob(storage.ledger, named);
  const job = found.spec.id;
  const after = await storage.ledger.events.last();
  const { client } = found.spec;
  if (client !== "local")
    await noteChange(options.location, {
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
  const view = await resumeJob({ ledger: storage.ledger, blobs: storage.blobs, laneOf }, LOCAL_ACTOR, job, {
    ...(caps && { caps }),
    newVersion,
    waitMs: NEW_VERSION_WAIT_MS,
    onWait: (inFlight) => say(waitText(job, inFlight)),
    async readPages(now, isTaken) {
      const isUnchanged = newVersion && !isTaken;
      await readNewVersion(storage, now, { isUnchanged, cores: availableParallelism(), say });
      // Before the job is resumed: without its scraper or its inputs it could not run.
      const ready = await loadPinned(now.spec, storage.blobs).catch((error: unknown) => {
        throw withCommand(error, job, options);
      });
      if (isDeployed(ready.source) && now.spec.source.startsWith("file:")) say(changedNote(now, options));
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
      ...given({ output, load }),
    });
  } finally {
    await supervisor.kill();
    if (options.input === "-") process.stdin.destroy(); // an open pipe would keep the process alive
  }
};

/** The job continues with the code that was stored when it began. */
const changedNote = ({ spec }: JobView, { location }: ResumeOptions): string =>
  existsSync(fileURLToPath(spec.source))
    ? `${spec.scraper}: its files have changed since the job began. The job continues as it began; to use the new version:\n` +
      `  sluice resume ${spec.id} --new-version${dataFlag(location)}`
    : `${spec.scraper}: its file no longer exists. The job continues as it began.`;

/** Adds the command to run. */
const withCommand = (error: unknown, job: string, { location }: ResumeOptions): unknown =>
  error instanceof ScraperLoadError && error.code === "changed-scraper"
    ? new ScraperLoadError(
        error.code,
        `${error.message}\n  sluice resume ${job} --new-version${dataFlag(location)}`,
      )
    : error;

type Load = (signal: AbortSignal, onProgress: (received: number) => void) => Promise<void>;

/** A job that was stopped before it had read all inputs needs them again; inputs that it has are ignored as duplicates. */
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
      `${job}: the job stopped before it had read all of its inputs. Provide them again with --input FILE; ` +
        `the ${view.counts.accepted} that it already has are ignored.`,
    );
  const inputs = readInputs(input, format ? { format } : {});
  const submission = { job, client, ready, laneOf, inputs, ...given({ limit }) };
  return async (signal, onProgress) =>
    void (await loadInputs(storage.ledger, { ...submission, signal, onProgress }));
};
