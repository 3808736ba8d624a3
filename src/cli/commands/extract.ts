import { pathToFileURL } from "node:url";
import type { House } from "../../compose.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import type { JobView } from "../../model/job.ts";
import { type Extracted, extractJob } from "../../reextract/extract-job.ts";
import { EXIT } from "../exit-codes.ts";
import { explainError } from "../explain-error.ts";
import { openExtractProgress } from "../extract-progress.ts";
import { findJob } from "../find-job.ts";
import { plainText } from "../fit-text.ts";
import { openExistingHouse } from "../open-existing-house.ts";
import type { LookOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { progressMode } from "../progress.ts";
import { differenceJson, renderDifference } from "../render-difference.ts";
import { renderExtraction } from "../render-extraction.ts";
import { UsageError } from "../usage-error.ts";

export interface ExtractCommandOptions extends LookOptions {
  readonly scraper?: string;
  /** A scraper, all of whose jobs are extracted again. */
  readonly all?: string;
  /** Only jobs begun since then. */
  readonly since?: number;
  readonly cores: number;
  readonly examples: number;
  readonly quiet: boolean;
}

/** Extracts from stored pages with the scraper as it is now, and shows what has become of the records. */
export const extractCommand = async (
  named: string | undefined,
  options: ExtractCommandOptions,
): Promise<number> => {
  if ((named === undefined) === (options.all === undefined))
    throw new UsageError(
      "name one job, or all jobs of a scraper with --all SCRAPER: `sluice extract last`, `sluice extract --all county --since 7d`.",
    );
  if (options.since !== undefined && options.all === undefined)
    throw new UsageError("--since goes with --all SCRAPER; a single job is named by its id or `last`.");
  await using house = await openExistingHouse(options.data, { cacheMb: 8 });
  const jobs = named === undefined ? await jobsOf(house, options) : [await findJob(house.ledger, named)];
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    let worst: number = EXIT.ok;
    for (const view of jobs) {
      const code = await extractOne(house, view, options, stop.signal, jobs.length > 1);
      if (stop.signal.aborted) return EXIT.interrupted;
      worst = Math.max(worst, code);
    }
    return worst;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
};

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** More jobs than `listJobs` gives are not looked at. */
const LISTED = 200;

/** Of a scraper by its name or its file; oldest first, so that what is printed last is the newest. */
const jobsOf = async (house: House, { all = "", since = 0 }: ExtractCommandOptions): Promise<JobView[]> => {
  const listed = await house.ledger.listJobs();
  const recent = listed.filter(({ createdAt }) => createdAt >= since);
  if (listed.length >= LISTED && recent.length === listed.length)
    process.stderr.write(
      `Only the newest ${LISTED} jobs were looked at. Name older ones one by one: sluice extract JOB.\n`,
    );
  const named = recent.filter(({ spec }) => spec.scraper === all);
  const found = named.length > 0 ? named : await ofFile(recent, all);
  if (found.length > 0) return found.toReversed();
  throw new UsageError(
    `--all ${all}: no job of that scraper${since > 0 ? " since then" : ""}. ` +
      "`sluice jobs ls` lists jobs with their scrapers; give the name, or the path of the file.",
  );
};

const ofFile = async (jobs: readonly JobView[], scraper: string): Promise<JobView[]> => {
  const file = await resolveScraper(scraper).catch(() => undefined);
  const source = file === undefined ? undefined : pathToFileURL(file).href;
  return jobs.filter(({ spec }) => spec.source === source);
};

const extractOne = async (
  house: House,
  view: JobView,
  options: ExtractCommandOptions,
  signal: AbortSignal,
  isOneOfMany: boolean,
): Promise<number> => {
  const { json, quiet, cores, examples, scraper } = options;
  const job = view.spec.id;
  const mode = progressMode(options);
  using progress = openExtractProgress({
    mode,
    job,
    total: extractableOf(view),
    stream: process.stderr,
    out: process.stdout,
  });
  const startedAt = performance.now();
  let extracted: Extracted;
  try {
    extracted = await extractJob(house, view, {
      cores,
      examples,
      signal,
      onProgress: (items) => progress.update(items),
      onOutput: (text) => progress.note(text),
      ...(scraper !== undefined && { scraper: await resolveScraper(scraper) }),
    });
  } catch (error) {
    if (signal.aborted) {
      progress.note(`${job}: interrupted. Nothing was changed: the records from before are still current.`);
      return EXIT.interrupted;
    }
    if (!isOneOfMany) throw error;
    // One job that cannot be extracted does not keep the others from it.
    const { message, exitCode } = explainError(error);
    process.stderr.write(`error: ${message ?? "unknown"}\n`);
    return exitCode;
  }
  progress[Symbol.dispose]();
  const { extraction, before, difference, failed, unread } = extracted;
  const after = `${job}@${extraction.id}`;
  const tookMs = performance.now() - startedAt;
  if (json)
    print([
      JSON.stringify({
        type: "end",
        ...extraction,
        tookMs: Math.round(tookMs),
        before,
        failed,
        unread,
        difference: differenceJson(difference),
      }),
    ]);
  else if (!quiet)
    print([
      ...renderExtraction(extracted, { tookMs, cores, data: options.data }),
      "",
      `${before} → ${after}`,
      ...(unread === undefined ? [] : [`  Some records from before count as none: ${plainText(unread)}`]),
      ...renderDifference(difference, { before, after }, printWidth()),
    ]);
  if (extraction.counts.damaged > 0) return EXIT.storage;
  return extraction.counts.failed > 0 ? EXIT.someFailed : EXIT.ok;
};

/** As far as the job's own counts tell: what failed for other reasons than its pages is not extracted. */
const extractableOf = ({ counts, failures }: JobView): number =>
  failures
    .filter(({ kind }) => kind === "structure-changed" || kind === "scraper-error")
    .reduce((sum, { count }) => sum + count, counts.states.done);
