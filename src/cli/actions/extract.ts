import type { Storage } from "../../compose.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import type { JobView } from "../../domain/job.ts";
import { diffSets } from "../../reextract/diff-sets.ts";
import { type Extracted, extractJob } from "../../reextract/extract-job.ts";
import { chooseSet } from "../../reextract/job-sets.ts";
import { ReextractError } from "../../reextract/reextract-error.ts";
import { findRecordSet, openExistingStorage, scraperJobs } from "../existing-storage.ts";
import { EXIT, UsageError } from "../exit.ts";
import { explainError } from "../explain-error.ts";
import { findJob } from "../find-job.ts";
import type { DataOptions } from "../options.ts";
import {
  currentText,
  differenceJson,
  openExtractProgress,
  renderDifference,
  renderExtraction,
} from "../render/extraction.ts";
import { progressMode } from "../render/progress.ts";
import { print, printWidth } from "../terminal.ts";
import { counted, plainText } from "../text.ts";

export interface ExtractCommandOptions extends DataOptions {
  readonly scraper?: string;
  /** A scraper, all of whose jobs are extracted again. */
  readonly all?: string;
  /** Only jobs begun since then. */
  readonly since?: number;
  /** Extracts nothing: makes this set of records current. */
  readonly use?: string;
  /** Makes the new records current even where they lost what was there. */
  readonly force: boolean;
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
  await using storage = await openExistingStorage(options.data, { cacheMb: 8 });
  if (options.use !== undefined) return await useSet(storage, named, options.use, options);
  if (named === undefined) return await extractAll(storage, options);
  return await untilStopped(
    async (signal) => await extractOne(storage, await findJob(storage.ledger, named), options, signal),
  );
};

/** The way back: an older set of records, or one that was held back, is what `export` writes from now on. */
const useSet = async (
  { ledger, blobs }: Storage,
  named: string | undefined,
  which: string,
  { scraper, force, json, quiet, data }: ExtractCommandOptions,
): Promise<number> => {
  if (named === undefined || scraper !== undefined || force)
    throw new UsageError(
      "--use makes a set of records current that is there already: it takes one job and nothing else, `sluice extract last --use first`.",
    );
  const { id } = (await findJob(ledger, named)).spec;
  const set = await chooseSet(blobs, id, which, Date.now());
  if (json) print([JSON.stringify({ type: "use", job: id, current: set })]);
  else if (!quiet) print([`${id}: ${currentText(id, set, data)}`]);
  return EXIT.ok;
};

/** One job that cannot be extracted does not keep the others from it; what is wrong with all of them is said once. */
const extractAll = async (storage: Storage, options: ExtractCommandOptions): Promise<number> => {
  const jobs = await scraperJobs(storage.ledger, options.all ?? "", options.since);
  return await untilStopped(async (signal) => {
    let worst: number = EXIT.ok;
    let extracted = 0;
    const told = new Map<string, number>();
    for (const view of jobs) {
      try {
        worst = Math.max(worst, await extractOne(storage, view, options, signal));
        extracted++;
      } catch (error) {
        const { message = "unknown", exitCode } = explainError(error);
        const isPassedOver = error instanceof ReextractError && PASSED_OVER.has(error.code);
        if (!isPassedOver) worst = Math.max(worst, exitCode);
        const said = message.replace(`${view.spec.id}: `, "");
        if (!told.has(said)) process.stderr.write(`${isPassedOver ? "passed over" : "error"}: ${message}\n`);
        told.set(said, (told.get(said) ?? 0) + 1);
      }
      if (signal.aborted) return EXIT.interrupted;
    }
    const again = [...told.values()].reduce((sum, count) => sum + count - 1, 0);
    if (again > 0) process.stderr.write(`The same for ${counted(again, "more job")}.\n`);
    return extracted === 0 ? Math.max(worst, EXIT.usage) : worst;
  });
};

/** Of jobs that have nothing to extract from, among others that do. */
const PASSED_OVER: ReadonlySet<string> = new Set(["nothing-stored", "nothing-to-extract"]);

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const untilStopped = async (work: (signal: AbortSignal) => Promise<number>): Promise<number> => {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
};

const extractOne = async (
  storage: Storage,
  view: JobView,
  options: ExtractCommandOptions,
  signal: AbortSignal,
): Promise<number> => {
  const { json, quiet, cores, examples, scraper, force } = options;
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
    extracted = await extractJob(storage, view, {
      cores,
      examples,
      signal,
      isForced: force,
      onProgress: (items) => progress.update(items),
      onOutput: (text) => progress.note(text),
      ...(scraper !== undefined && { scraper: await resolveScraper(scraper) }),
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    progress.note(`${job}: interrupted. Nothing was changed: the records from before are still current.`);
    return EXIT.interrupted;
  }
  progress[Symbol.dispose]();
  const { extraction, current, before, difference, failed, gone, unread } = extracted;
  const after = `${job}@${extraction.id}`;
  const tookMs = performance.now() - startedAt;
  if (json)
    print([
      JSON.stringify({
        type: "end",
        ...extraction,
        tookMs: Math.round(tookMs),
        current,
        before,
        failed,
        gone,
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

export interface DiffCommandOptions extends DataOptions {
  readonly field?: readonly string[];
  readonly examples: number;
}

/** What differs between two sets of records. */
export const diffCommand = async (
  a: string,
  b: string,
  { data, json, field, examples }: DiffCommandOptions,
): Promise<number> => {
  await using storage = await openExistingStorage(data, { cacheMb: 8 });
  const old = await findRecordSet(storage.ledger, a);
  const now = await findRecordSet(storage.ledger, b);
  const { before, after, difference } = await diffSets(
    storage,
    { spec: old.view.spec, which: old.which },
    { spec: now.view.spec, which: now.which },
    { most: examples, only: field && new Set(field) },
  );
  const unknown = field?.filter((name) => !difference.fields.has(name)) ?? [];
  if (unknown.length > 0 && difference.records > 0)
    throw new UsageError(
      `--field ${unknown.join(", ")}: no record of ${before} or ${after} has such a field. Leave --field out to see them all.`,
    );
  print(
    json
      ? [JSON.stringify({ before, after, ...differenceJson(difference) })]
      : [`${before} → ${after}`, ...renderDifference(difference, { before, after }, printWidth())],
  );
  return EXIT.ok;
};
