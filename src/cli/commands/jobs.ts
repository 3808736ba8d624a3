import type { FailureKind } from "../../domain/failure.ts";
import type { JobView } from "../../domain/job.ts";
import { durationText } from "../duration-text.ts";
import { EXIT } from "../exit-codes.ts";
import { RECENT } from "../find-job.ts";
import { jobJson } from "../job-json.ts";
import { counted, countText } from "../number-text.ts";
import { capsOf } from "../common-options.ts";
import type { CapOptions, PlaceOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { RemovedJobError, removalJson } from "../removed-job.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { textTable } from "../text-table.ts";
import { UsageError } from "../usage-error.ts";

export interface ListJobsOptions extends PlaceOptions {
  readonly scraper?: string;
  /** Those of `try` and `capture` too. */
  readonly all: boolean;
}

export const listJobsCommand = async (options: ListJobsOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { scraper, all } = options;
  const jobs = await verbs.listJobs({ withTrials: all, ...(scraper !== undefined && { scraper }) });
  print(
    options.json
      ? jobs.map((view) => JSON.stringify(jobJson(view)))
      : jobs.length === 0
        ? [
            `No jobs${scraper === undefined ? "" : ` of ${scraper}`} yet. Start one with \`sluice ${options.server === undefined ? "run" : "submit"}\`.`,
          ]
        : jobTable(jobs, printWidth(), Date.now()),
  );
  if (jobs.length >= RECENT)
    process.stderr.write(`  the newest ${RECENT}; older ones are found by their id\n`);
  return EXIT.ok;
};

const jobTable = (jobs: readonly JobView[], width: number, now: number): string[] => {
  const number = (title: string) => ({ title, align: "right" as const });
  const hasSkipped = jobs.some(({ counts }) => counts.states.skipped > 0);
  return textTable(
    [
      { title: "job" },
      { title: "state" },
      number("items"),
      number("done"),
      number("absent"),
      number("failed"),
      ...(hasSkipped ? [number("skipped")] : []),
      number("age"),
      { title: "scraper" },
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

export const showJobCommand = async (named: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  let view: JobView;
  try {
    view = await verbs.findJob(named);
  } catch (error) {
    if (!(error instanceof RemovedJobError)) throw error;
    print([options.json ? JSON.stringify(removalJson(error.removal)) : error.message]);
    return EXIT.ok;
  }
  const { lines, json } = await verbs.report(view);
  print(options.json ? [JSON.stringify({ ...jobJson(view), ...json })] : lines);
  return EXIT.ok;
};

export interface RetryOptions extends PlaceOptions {
  readonly kind?: readonly FailureKind[];
  readonly key?: readonly string[];
}

export const retryJobCommand = async (named: string, options: RetryOptions): Promise<number> => {
  const { json, kind, key, server } = options;
  await using verbs = await openVerbs(options);
  const { id } = (await verbs.findJob(named)).spec;
  const count = await verbs.retryItems(id, { ...(kind && { kinds: kind }), ...(key && { keys: key }) });
  if (json) print([JSON.stringify({ job: id, retried: count })]);
  else if (count === 0) print([`${id}: no ${wantedText(options)}.`]);
  else {
    const back = `${id}: ${counted(count, "failed item")} put back.`;
    // A server has workers that run them; here somebody must.
    print(server === undefined ? [`${back} Run them with:`, `  sluice resume ${id}${verbs.flag}`] : [back]);
  }
  return EXIT.ok;
};

const wantedText = ({ kind, key }: RetryOptions): string =>
  (kind ? `items that failed with ${kind.join(" or ")}` : "failed items") +
  (key ? ` of ${key.length === 1 ? "this key" : "these keys"}` : "");

export const cancelJobCommand = async (named: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { id } = (await verbs.findJob(named)).spec;
  const { view, isQuiet } = await verbs.controlJob(id, "cancel");
  const { cancelled, leased } = view.counts.states;
  print(
    options.json
      ? [JSON.stringify({ job: id, cancelled, inFlight: leased, isQuiet })]
      : [
          `${id}: cancelled, with ${counted(cancelled, "item")} that had not ended. What was collected is kept.`,
          ...(leased > 0
            ? [`${counted(leased, "item")} in flight will still be counted when they end.`]
            : []),
        ],
  );
  return EXIT.ok;
};

export const pauseJobCommand = async (named: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { id } = (await verbs.findJob(named)).spec;
  const { view, isQuiet } = await verbs.controlJob(id, "pause");
  const then = isQuiet
    ? "No request of it starts any more."
    : "Not every worker has heard of it yet; those that have not are given up soon.";
  print(
    options.json
      ? [JSON.stringify({ job: id, state: view.state, isQuiet })]
      : [`${id}: paused. ${then}`, `  sluice jobs resume ${id}${verbs.flag}`],
  );
  return EXIT.ok;
};

export const sealJobCommand = async (named: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const before = await verbs.findJob(named);
  const { id } = before.spec;
  if (before.isSealed) throw new UsageError(`${id}: it has all of its inputs already.`);
  const { view } = await verbs.sealJob(id);
  print(
    options.json
      ? [JSON.stringify({ job: id, state: view.state })]
      : [`${id}: ${view.state}, with ${counted(view.counts.accepted, "item")}. It takes no more inputs.`],
  );
  return EXIT.ok;
};

export interface ResumeJobOptions extends PlaceOptions, CapOptions {
  readonly newVersion: boolean;
}

export const resumeJobCommand = async (named: string, options: ResumeJobOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { id } = (await verbs.findJob(named)).spec;
  const say = (line: string) => void (options.json || process.stderr.write(`${line}\n`));
  const { view } = await verbs.resumeJob(id, {
    newVersion: options.newVersion,
    caps: capsOf(options),
    say,
  });
  print(options.json ? [JSON.stringify({ job: id, state: view.state })] : resumedText(view, verbs.flag));
  return EXIT.ok;
};

const resumedText = (
  { spec: { id, scraper, version }, state, paused, counts }: JobView,
  flag: string,
): string[] => {
  if (paused?.cause === "new-version")
    return [
      `${id}: its stored pages are read with version ${version} of ${scraper}, then it goes on. \`sluice jobs watch ${id}${flag}\` shows how.`,
    ];
  if (state !== "done")
    return [`${id}: ${state}. Workers go on with it; \`sluice jobs watch ${id}${flag}\` shows how.`];
  return counts.states.failed === 0
    ? [`${id}: done. Nothing is left to go on with.`]
    : [`${id}: done. What failed is put back with:`, `  sluice jobs retry ${id}${flag}`];
};
