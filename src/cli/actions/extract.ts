import { chooseSet, ReextractError } from "../../archive/extractions.ts";
import type { Storage } from "../../ports/storage.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import type { JobView } from "../../domain/job.ts";
import { diffSets } from "../../reextract/diff-sets.ts";
import { type Extracted, extractJob } from "../../reextract/extract-job.ts";
import { isDeployed } from "../../scrapers/bundle.ts";
import { renewQuality } from "../../services/quality.ts";
import { readPointers } from "../../services/version-documents.ts";
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
  /** Extract all jobs of this scraper. */
  readonly all?: string;
  /** Only jobs created since then, in milliseconds since 1970. */
  readonly since?: number;
  /** Extract nothing; make this set of records current. */
  readonly use?: string;
  /** Make the new records current even if nothing was extracted or pages could not be read. */
  readonly force: boolean;
  readonly cores: number;
  readonly examples: number;
  readonly quiet: boolean;
}

export const extractCommand = async (
  named: string | undefined,
  options: ExtractCommandOptions,
): Promise<number> => {
  if ((named === undefined) === (options.all === undefined))
    throw new UsageError(
      "name either a job or, with --all SCRAPER, all jobs of a scraper: `sluice extract last`, `sluice extract --all county --since 7d`.",
    );
  if (options.since !== undefined && options.all === undefined)
    throw new UsageError("--since needs --all SCRAPER. Name a single job by its ID or `last`.");
  await using storage = await openExistingStorage(options.location, { cacheMb: 8 });
  if (options.use !== undefined) return await useSet(storage, named, options.use, options);
  if (named === undefined) return await extractAll(storage, options);
  return await untilStopped(
    async (signal) => await extractOne(storage, await findJob(storage.ledger, named), options, signal),
  );
};

/** Makes an earlier set of records current, or one that did not become current: `export` then writes it. */
const useSet = async (
  { ledger, blobs }: Storage,
  named: string | undefined,
  which: string,
  { scraper, force, json, quiet, location }: ExtractCommandOptions,
): Promise<number> => {
  if (named === undefined || scraper !== undefined || force)
    throw new UsageError(
      "--use makes existing records current, so it needs one job and cannot be combined with --all, --scraper or --force: `sluice extract last --use first`.",
    );
  const { id } = (await findJob(ledger, named)).spec;
  const set = await chooseSet(blobs, id, which, Date.now());
  await renewQuality({ ledger, blobs }, id);
  if (json) print([JSON.stringify({ type: "use", job: id, current: set })]);
  else if (!quiet) print([`${id}: ${currentText(id, set, location)}`]);
  return EXIT.ok;
};

/** A job that cannot be extracted does not stop the others. The same problem is printed once. */
const extractAll = async (storage: Storage, options: ExtractCommandOptions): Promise<number> => {
  const jobs = await scraperJobs(storage.ledger, options.all ?? "", options.since);
  return await untilStopped(async (signal) => {
    let worst: number = EXIT.ok;
    let extracted = 0;
    const problems = new Map<string, number>();
    for (const view of jobs) {
      try {
        worst = Math.max(worst, await extractOne(storage, view, options, signal));
        extracted++;
      } catch (error) {
        const { message = "unknown", exitCode } = explainError(error);
        const isSkipped = error instanceof ReextractError && SKIPPED.has(error.code);
        if (!isSkipped) worst = Math.max(worst, exitCode);
        const said = message.replace(`${view.spec.id}: `, "");
        if (!problems.has(said)) process.stderr.write(`${isSkipped ? "skipped" : "error"}: ${message}\n`);
        problems.set(said, (problems.get(said) ?? 0) + 1);
      }
      if (signal.aborted) return EXIT.interrupted;
    }
    const again = [...problems.values()].reduce((sum, count) => sum + count - 1, 0);
    if (again > 0) process.stderr.write(`The same for ${counted(again, "more job")}.\n`);
    return extracted === 0 ? Math.max(worst, EXIT.usage) : worst;
  });
};

/** Codes of jobs without anything to extract. */
const SKIPPED: ReadonlySet<string> = new Set(["nothing-stored", "nothing-to-extract"]);

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
    // What was deployed last may be refused, or a canary.
    const { active } = isDeployed(view.spec.source)
      ? (await readPointers(storage.ledger, view.spec.scraper)).body
      : {};
    extracted = await extractJob(storage, view, {
      version: active,
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
    progress.note(`${job}: interrupted. Nothing changed: the earlier records are still current.`);
    return EXIT.interrupted;
  }
  progress[Symbol.dispose]();
  await renewQuality(storage, job);
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
      ...renderExtraction(extracted, { tookMs, cores, location: options.location }),
      "",
      `${before} → ${after}`,
      ...(unread === undefined
        ? []
        : [`  Some earlier records could not be read and count as missing: ${plainText(unread)}`]),
      ...renderDifference(difference, { before, after }, printWidth()),
    ]);
  if (extraction.counts.damaged > 0) return EXIT.storage;
  return extraction.counts.failed > 0 ? EXIT.someFailed : EXIT.ok;
};

/** An estimate from the job's counts: items that failed for reasons other than their pages are not extracted. */
const extractableOf = ({ counts, failures }: JobView): number =>
  failures
    .filter(({ kind }) => kind === "structure-changed" || kind === "scraper-error")
    .reduce((sum, { count }) => sum + count, counts.states.done);

export interface DiffCommandOptions extends DataOptions {
  readonly field?: readonly string[];
  readonly examples: number;
}

export const diffCommand = async (
  a: string,
  b: string,
  { location, json, field, examples }: DiffCommandOptions,
): Promise<number> => {
  await using storage = await openExistingStorage(location, { cacheMb: 8 });
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
      `--field ${unknown.join(", ")}: no record of ${before} or ${after} has this field. Omit --field to see all fields.`,
    );
  print(
    json
      ? [JSON.stringify({ before, after, ...differenceJson(difference) })]
      : [`${before} → ${after}`, ...renderDifference(difference, { before, after }, printWidth())],
  );
  return EXIT.ok;
};
