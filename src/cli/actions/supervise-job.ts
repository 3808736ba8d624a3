import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Storage } from "../../ports/storage.ts";
import type { JobView, LaneView } from "../../domain/job.ts";
import type { CollectorKind } from "../../domain/job-version.ts";
import { exportJob } from "../../export/export-records.ts";
import { storedPath } from "../../export/kept-files.ts";
import { writeManifest } from "../../archive/manifest.ts";
import { notify } from "../../pipeline/notify.ts";
import type { Ledger, LedgerEvent, WorkerView } from "../../ports/ledger.ts";
import { type LogLevel, openJobLog } from "../../worker/log.ts";
import type { Supervisor } from "../../worker/supervisor.ts";
import { isGone } from "../../worker/this-process.ts";
import { EXIT, jobExitCode } from "../exit.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { DRAINING } from "../run-workers.ts";
import type { Progress } from "../render/progress.ts";
import { configuredPrices } from "../configured-prices.ts";
import { renderReport } from "../render/report.ts";

export interface SuperviseJobOptions {
  readonly storage: Storage;
  readonly job: string;
  readonly title: string;
  /** False for a job that is resumed. */
  readonly isNew: boolean;
  /** The last event before it was resumed: the previous run showed the earlier ones. */
  readonly after?: number;
  readonly supervisor: Supervisor;
  readonly processes: number;
  /** The kinds of collectors that the job needs, where that is known: workers look for no others. */
  readonly kinds?: readonly CollectorKind[];
  readonly progress: Progress;
  readonly logLevel: LogLevel;
  readonly output?: string;
  /** Where the inputs come from, for the report. */
  readonly input?: string;
  /** Makes the job. From then on an interrupt pauses it. */
  readonly create?: () => Promise<void>;
  /** Reads the inputs while the job runs; undefined if the job has them all. */
  readonly load?: (signal: AbortSignal, onProgress: (received: number) => void) => Promise<void>;
}

const LOOK_MS = 200;
/** Lanes change slowly and may be many: they are read only in every fifth look. */
const SELDOM = 5;
/** Lanes that are read for display. */
const MOST_LANES = 200;
/** Delay before the first look, which must not delay the first request. */
const FIRST_LOOK_MS = 300;

/** Runs a job's workers until the job ends, is held or is interrupted; then writes the results and the report. */
export const superviseJob = async (options: SuperviseJobOptions): Promise<number> => {
  const { storage, job, supervisor, progress, logLevel } = options;
  const startedAt = performance.now();
  using interrupts = listenForInterrupts(
    () => void supervisor.kill().then(() => process.exit(EXIT.interrupted)),
  );
  await options.create?.();
  const log = openJobLog(storage.data, job, logLevel);
  progress.note(`Job ${job}: ${options.title}`);
  const { events } = storage.ledger;
  const consumer = `run ${job}`;
  const hearing = { consumer, job, ...(options.after !== undefined && { after: options.after }) };
  const show = (news: readonly LedgerEvent[]): void => {
    for (const event of news) {
      log.info(event.type, { job: event.job, ...event.facts });
      const note = noteOf(event);
      if (note) progress.note(note);
    }
  };
  // Idle workers sleep, so they start only when the first items exist.
  const start = once(() =>
    supervisor.start({
      ledger: storage.ledger,
      location: storage.location,
      jobs: [job],
      ...(options.kinds && { kinds: options.kinds }),
      logLevel,
      log,
    }),
  );
  let lanes: readonly LaneView[] = [];
  let loaded: number | undefined;
  let loadError: unknown;
  const onLoaded = (received: number) => {
    loaded = received;
    start();
  };
  const loadStop = new AbortController();
  const loading = options
    .load?.(loadStop.signal, onLoaded)
    .catch((error: unknown) => (loadError = error))
    .finally(() => (loaded = undefined));
  if (!loading) start();
  await delay(FIRST_LOOK_MS, undefined, { signal: interrupts.signal }).catch(() => undefined);
  for (let looks = 0; ; looks++) {
    if (looks % SELDOM === 0) {
      lanes = await storage.ledger.listLanes({ job, limit: MOST_LANES });
      await storage.ledger.tidy();
    }
    const view = await look(options, lanes, loaded);
    await notify(events, hearing, show);
    if (isOver(view) || supervisor.failure || loadError !== undefined || interrupts.signal.aborted) break;
    await delay(LOOK_MS, undefined, { signal: interrupts.signal }).catch(() => undefined);
  }
  if (interrupts.signal.aborted) progress.note(DRAINING);
  loadStop.abort();
  await Promise.all([supervisor.stop(), loading]);
  if (loadError !== undefined) {
    await giveUpLoading(options);
    throw loadError;
  }
  if (supervisor.failure) throw supervisor.failure;
  const view = await pauseIfOpen(options, interrupts.signal.aborted);
  await notify(events, hearing, show);
  // A run that is killed keeps its cursor, for when the job is resumed.
  await events.forget(consumer);
  return await finish(options, view, performance.now() - startedAt);
};

/** Keeps the inputs that were read: only a new job without any is cancelled. */
const giveUpLoading = async ({ storage, job, isNew }: SuperviseJobOptions): Promise<void> => {
  const view = await storage.ledger.readJob(job).catch(() => undefined);
  const isEmpty = isNew && view?.counts.accepted === 0;
  // May fail too, for example on a full disk: the original error matters more.
  await storage.ledger.controlJob(job, isEmpty ? "cancel" : "pause").catch(() => undefined);
};

const look = async (
  { storage, job, progress, processes }: SuperviseJobOptions,
  lanes: readonly LaneView[],
  loaded: number | undefined,
): Promise<JobView> => {
  const view = (await storage.ledger.readJob(job))!;
  progress.update(view, lanes, { processes, ...(loaded !== undefined && { loaded }) });
  return view;
};

const once = (work: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
};

const isOver = ({ state }: JobView): boolean =>
  state === "done" || state === "paused" || state === "cancelled";

const pauseIfOpen = async (options: SuperviseJobOptions, isInterrupted: boolean): Promise<JobView> => {
  const { storage, job } = options;
  const lanes = await storage.ledger.listLanes({ job, limit: MOST_LANES });
  const view = await look(options, lanes, undefined);
  if (!isInterrupted || isOver(view)) return view;
  await storage.ledger.controlJob(job, "pause");
  return await look(options, lanes, undefined);
};

const finish = async (options: SuperviseJobOptions, view: JobView, tookMs: number): Promise<number> => {
  const { storage, job, progress, output } = options;
  await writeManifest(storage, job);
  const problem =
    output === undefined
      ? undefined
      : await exportJob(storage, job, output, { pathOfFile: storedPath(storage.location) }).then(
          nothing,
          asError,
        );
  const isWritten = output !== undefined && problem === undefined;
  progress.end(
    view,
    renderReport(view, {
      location: storage.location,
      tookMs,
      prices: configuredPrices(),
      ...(isWritten && { output }),
      ...(options.input && { input: options.input }),
    }),
  );
  if (problem) throw problem;
  return jobExitCode(view);
};

const nothing = (): undefined => undefined;
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const noteOf = ({ type, facts }: LedgerEvent): string | undefined => {
  if (type === "lane.held") {
    const { reason } = facts["evidence"] as { readonly reason: string };
    return `Held: lane ${String(facts["lane"])}: ${reason}`;
  }
  if (type === "lane.tier")
    return `Lane ${String(facts["lane"])} now uses proxy tier ${String(facts["to"])}: ${String(facts["why"])}`;
  if (type === "proxy.down")
    return `Proxy tier ${String(facts["tier"])} is down for lane ${String(facts["lane"])}: ${String(facts["why"])}`;
  return type === "lane.released" ? `Released: lane ${String(facts["lane"])} responds again` : undefined;
};

/** Ends the leases of silent workers, and at once those of workers whose process has ended; perhaps no other process does. */
export const reapDead = async (ledger: Pick<Ledger, "listWorkers" | "reap">): Promise<void> => {
  for (const worker of await ledger.listWorkers())
    if (worker.space === undefined ? isGoneByName(worker) : isGone(worker))
      await ledger.reap({ worker: worker.name });
  await ledger.reap({});
};

/** For systems that cannot notify containers apart. */
const isGoneByName = ({ name }: WorkerView): boolean => {
  const own = `${hostname()}-`;
  const pid = name.startsWith(own) ? Number(/^(\d+)-/.exec(name.slice(own.length))?.[1]) : NaN;
  return !Number.isNaN(pid) && !isAlive(pid);
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};
