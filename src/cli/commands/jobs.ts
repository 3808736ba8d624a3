import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { FAILURE_KINDS, type FailureKind } from "../../domain/failure.ts";
import type { JobView } from "../../domain/job.ts";
import { EXIT, jobExitCode, UsageError } from "../exit.ts";
import { RECENT, RemovedJobError, removalJson } from "../find-job.ts";
import { listOf, namesOf } from "../option-values.ts";
import {
  type CapOptions,
  capsOf,
  continueOptions,
  EXIT_CODES_HELP,
  given,
  JOB_HELP,
  placeOptions,
  type PlaceOptions,
  quietOption,
  type ToAction,
} from "../options.ts";
import { jobJson } from "../render/job-json.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { counted, countText, durationText, textTable } from "../text.ts";
import { registerResults } from "./export.ts";
import { registerRemove } from "./prune.ts";

const HELP = `
Examples:
  sluice jobs ls
  sluice jobs show last --json
  sluice jobs retry last --kind blocked,captcha && sluice resume last
  sluice jobs cancel 20261115-203412-k3f9
  sluice jobs results last --output taxes.csv
  sluice jobs pause last && sluice jobs resume last           for jobs run by \`sluice worker\` or \`sluice serve\`
  sluice jobs resume last --new-version                       after you fix its scraper
  sluice jobs watch last --server http://127.0.0.1:7070       all of these work with a server`;

const WATCH_HELP = `
Stopping this command does not stop the job.

Examples:
  sluice jobs watch last
  sluice jobs watch last --server http://127.0.0.1:7070 --json
${EXIT_CODES_HELP}`;

interface ListJobsOptions extends PlaceOptions {
  readonly scraper?: string;
  /** Include jobs of `try` and `capture`. */
  readonly all: boolean;
}

interface WatchOptions extends PlaceOptions {
  readonly quiet: boolean;
}

interface RetryOptions extends PlaceOptions {
  readonly kind?: readonly FailureKind[];
  readonly key?: readonly string[];
}

interface ResumeJobOptions extends PlaceOptions, CapOptions {
  readonly newVersion: boolean;
}

/** Show and control jobs, in a data folder or on a server: `jobs …`. */
export const register = (program: Command, toAction: ToAction): void => {
  const jobs = program
    .command("jobs")
    .description("List, show, watch and control jobs")
    .helpCommand(false)
    .addHelpText("after", HELP);
  const ofJob = (name: string, description: string): Command =>
    jobs.command(name).description(description).argument("<job>", JOB_HELP);

  const list = jobs
    .command("ls")
    .description("List jobs, newest first")
    .option("--scraper <name>", "only jobs of this scraper: its name, or the path of its file")
    .option("--all", "include jobs of `sluice try` and `sluice capture`", false);
  placeOptions(list).action(toAction(listJobs));
  placeOptions(ofJob("show", "Show the report of a job")).action(toAction(showJob));
  const watch = ofJob("watch", "Show the progress of a job until it ends or needs attention")
    .addOption(quietOption())
    .addHelpText("after", WATCH_HELP);
  placeOptions(watch).action(toAction(watchJob));
  registerResults(jobs, toAction);

  placeOptions(ofJob("pause", "Pause a job. Returns when no worker starts another request for it.")).action(
    toAction(pauseJob),
  );
  const resume = ofJob(
    "resume",
    "Let workers continue a job that is paused, held or at a limit. To run it on this machine, use `sluice resume`.",
  );
  placeOptions(continueOptions(resume)).action(toAction(resumeJob));
  placeOptions(
    ofJob("seal", "Declare that no more inputs will come, for a job whose upload was interrupted"),
  ).action(toAction(sealJob));
  const retry = ofJob(
    "retry",
    "Queue failed items again, with a new set of attempts. Workers run them; without workers, use `sluice resume`.",
  )
    .option("--kind <kind>", "only items with this failure kind", namesOf(FAILURE_KINDS))
    .option("--key <key>", "only items with these keys", listOf);
  placeOptions(retry).action(toAction(retryJob));
  placeOptions(ofJob("cancel", "Cancel a job permanently. Its data is kept.")).action(toAction(cancelJob));
  registerRemove(jobs, toAction);
};

const listJobs = async (options: ListJobsOptions): Promise<number> => {
  const { scraper, all, json, server } = options;
  await using verbs = await openVerbs(options);
  const jobs = await verbs.listJobs({ withTrials: all, ...given({ scraper }) });
  if (json) print(jobs.map((view) => JSON.stringify(jobJson(view))));
  else if (jobs.length > 0) print(jobTable(jobs, printWidth(), Date.now()));
  else {
    const start = server === undefined ? "run" : "submit";
    print([
      `No jobs${scraper === undefined ? "" : ` of scraper ${scraper}`} yet. Start one with \`sluice ${start}\`.`,
    ]);
  }
  if (jobs.length >= RECENT)
    process.stderr.write(`  Only the newest ${RECENT}. Older jobs can be named by their ID.\n`);
  return EXIT.ok;
};

const jobTable = (jobs: readonly JobView[], width: number, now: number): string[] => {
  const hasSkipped = jobs.some(({ counts }) => counts.states.skipped > 0);
  return textTable(
    [
      "job",
      "state",
      { right: "items" },
      { right: "done" },
      { right: "absent" },
      { right: "failed" },
      ...(hasSkipped ? [{ right: "skipped" }] : []),
      { right: "age" },
      "scraper",
    ],
    jobs.map(({ spec, state, counts: { accepted, states }, held, createdAt }) => [
      spec.id,
      held.length > 0 ? "held" : state,
      ...[accepted, states.done, states.absent, states.failed].map(countText),
      ...(hasSkipped ? [countText(states.skipped)] : []),
      durationText(now - createdAt),
      spec.scraper,
    ]),
    width,
  );
};

const showJob = async (named: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  try {
    const view = await verbs.findJob(named);
    const { lines, json } = await verbs.report(view);
    print(options.json ? [JSON.stringify({ ...jobJson(view), ...json })] : lines);
  } catch (error) {
    if (!(error instanceof RemovedJobError)) throw error;
    print([options.json ? JSON.stringify(removalJson(error.removal)) : error.message]);
  }
  return EXIT.ok;
};

const LOOK_MS = 500;

const watchJob = async (named: string, options: WatchOptions): Promise<number> => {
  const { openProgress, progressMode } = await import("../render/progress.ts");
  const { listenForInterrupts } = await import("../interrupts.ts");
  await using verbs = await openVerbs(options);
  using progress = openProgress({ mode: progressMode(options), stream: process.stderr });
  using interrupts = listenForInterrupts(() => process.exit(EXIT.interrupted));
  const { id } = (await verbs.findJob(named)).spec;
  for (;;) {
    const view = await verbs.findJob(id);
    progress.update(view, await verbs.slowLanes(id), { processes: 1 });
    if (isOver(view) || interrupts.signal.aborted) {
      progress.end(view, (await verbs.report(view)).lines);
      return isOver(view) ? jobExitCode(view) : EXIT.interrupted;
    }
    await delay(LOOK_MS, undefined, { signal: interrupts.signal }).catch(() => undefined);
  }
};

/** A job that is paused only while its stored pages are re-read continues by itself. */
const isOver = ({ state, paused }: JobView): boolean =>
  state === "done" || state === "cancelled" || (state === "paused" && paused?.cause !== "new-version");

const retryJob = async (named: string, options: RetryOptions): Promise<number> => {
  const { json, kind: kinds, key: keys, server } = options;
  await using verbs = await openVerbs(options);
  const { id } = (await verbs.findJob(named)).spec;
  const count = await verbs.retryItems(id, given({ kinds, keys }));
  const queued = `${id}: ${counted(count, "failed item")} queued again.`;
  if (json) print([JSON.stringify({ job: id, retried: count })]);
  else if (count === 0) print([`${id}: no ${wantedText(options)}.`]);
  // A server has workers that run them.
  else if (server !== undefined) print([queued]);
  else print([`${queued} Run them with:`, `  sluice resume ${id}${verbs.flag}`]);
  return EXIT.ok;
};

const wantedText = ({ kind, key }: RetryOptions): string =>
  (kind ? `items that failed with ${kind.join(" or ")}` : "failed items") +
  (key ? ` with ${key.length === 1 ? "this key" : "these keys"}` : "");

const cancelJob = async (named: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { id } = (await verbs.findJob(named)).spec;
  const { view, isQuiet } = await verbs.controlJob(id, "cancel");
  const { cancelled, leased } = view.counts.states;
  print(
    options.json
      ? [JSON.stringify({ job: id, cancelled, inFlight: leased, isQuiet })]
      : [
          `${id}: cancelled, with ${counted(cancelled, "unfinished item")}. Its data is kept.`,
          ...(leased > 0 ? [`${counted(leased, "item")} in flight will be counted when they end.`] : []),
        ],
  );
  return EXIT.ok;
};

const pauseJob = async (named: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { id } = (await verbs.findJob(named)).spec;
  const { view, isQuiet } = await verbs.controlJob(id, "pause");
  const then = isQuiet
    ? "It starts no more requests."
    : "Some workers have not confirmed yet; they lose their leases soon.";
  print(
    options.json
      ? [JSON.stringify({ job: id, state: view.state, isQuiet })]
      : [`${id}: paused. ${then} Continue it with:`, `  sluice jobs resume ${id}${verbs.flag}`],
  );
  return EXIT.ok;
};

const sealJob = async (named: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const before = await verbs.findJob(named);
  const { id } = before.spec;
  if (before.isSealed) throw new UsageError(`${id}: the job already has all of its inputs.`);
  const { view } = await verbs.sealJob(id);
  print(
    options.json
      ? [JSON.stringify({ job: id, state: view.state })]
      : [`${id}: ${view.state}, with ${counted(view.counts.accepted, "item")}. It accepts no more inputs.`],
  );
  return EXIT.ok;
};

const resumeJob = async (named: string, options: ResumeJobOptions): Promise<number> => {
  const { newVersion, json } = options;
  await using verbs = await openVerbs(options);
  const { id } = (await verbs.findJob(named)).spec;
  const say = (line: string) => void (json || process.stderr.write(`${line}\n`));
  const { view } = await verbs.resumeJob(id, { newVersion, caps: capsOf(options), say });
  print(json ? [JSON.stringify({ job: id, state: view.state })] : resumedText(view, verbs.flag));
  return EXIT.ok;
};

const resumedText = (
  { spec: { id, scraper, version }, state, paused, counts }: JobView,
  flag: string,
): string[] => {
  const watch = [" Watch it with:", `  sluice jobs watch ${id}${flag}`] as const;
  if (paused?.cause === "new-version")
    return [
      `${id}: its stored pages are being re-read with version ${version} of ${scraper}; then it continues.${watch[0]}`,
      watch[1],
    ];
  if (state !== "done") return [`${id}: ${state}. Workers continue it.${watch[0]}`, watch[1]];
  return counts.states.failed === 0
    ? [`${id}: done. Nothing is left to do.`]
    : [`${id}: done. To retry the failed items:`, `  sluice jobs retry ${id}${flag}`];
};
