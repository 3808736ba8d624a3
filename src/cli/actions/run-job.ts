import { laneOf, openStorage } from "../../compose.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import { proxySettings } from "../../config/check-config.ts";
import { jobId } from "../../domain/job.ts";
import { tierProblem } from "../../domain/proxy-tier.ts";
import { checkOutput } from "../../export/outputs/open-output.ts";
import { openInputs } from "../../inputs/open-inputs.ts";
import { createJob, loadInputs, proxiesProblem } from "../../pipeline/submit.ts";
import { type CompiledScraper, compileScraper, loweredPace } from "../../scrapers/compiled-scraper.ts";
import { jobScrapers } from "../../scrapers/load-pinned.ts";
import { keepBundle } from "../../scrapers/keep-bundle.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import type { Supervisor } from "../../worker/supervisor.ts";
import { UsageError } from "../exit.ts";
import { type BudgetOptions, budgetOf, given, type WorkingOptions } from "../options.ts";
import type { Progress } from "../render/progress.ts";
import { paceNote } from "../service/submission.ts";
import { superviseJob } from "./supervise-job.ts";

export interface RunOptions extends WorkingOptions, BudgetOptions {
  readonly limit?: number;
  /** Requests per second in each lane; can only lower the scraper's own pace. */
  readonly rate?: number;
  readonly maxItems?: number;
  readonly proxies?: readonly string[];
  /** False for `--no-extract`. */
  readonly extract: boolean;
}

/** Runs a new job to its end. The worker processes have been started already, see `run.ts`. */
export const runJob = async (
  named: string,
  options: RunOptions & { readonly input: string },
  supervisor: Supervisor,
  progress: Progress,
): Promise<number> => {
  checkOutputs(options);
  const { input, processes, location, logLevel } = options;
  const ready = await compileScraper(await loadScraper(await resolveScraper(named)), {
    extracts: options.extract,
  });
  const badProxies = proxiesProblem(ready, options.proxies);
  if (badProxies !== undefined) throw new UsageError(badProxies);
  for (const tier of options.proxies ?? ready.scraper.proxies ?? []) {
    const problem = tierProblem(proxySettings(), tier);
    if (problem !== undefined)
      throw new UsageError(`scraper ${ready.scraper.name}: ${problem}. See docs/proxies.md.`);
  }
  const inputs = await openInputs(input, options.format, ready.scraper, laneOf);
  await using storage = await openStorage(location);
  const job = jobId(new Date());
  const submission = {
    job,
    client: "local",
    ready,
    paceOf: ({ pace }: CompiledScraper) => loweredPace(pace, { perSecond: options.rate }),
    extracts: options.extract,
    laneOf,
    inputs,
    ...given({ limit: options.limit, maxItems: options.maxItems }),
    options: { ...given({ proxies: options.proxies }), ...budgetOf(options) },
  };
  const { perSecond } = ready.pace;
  const note = paceNote(options.rate, { scraper: ready.scraper.name, perSecond });
  if (note !== undefined) progress.note(note);
  return await superviseJob({
    storage,
    job,
    title: ready.scraper.name,
    isNew: true,
    input,
    supervisor,
    processes,
    ...(needsHttpOnly(ready) && { kinds: ["http"] }),
    progress,
    logLevel,
    ...given({ output: options.output }),
    async create() {
      const unkept = await keepBundle(storage.blobs, ready);
      if (unkept !== undefined) progress.note(unkept);
      await createJob(storage.ledger, submission);
    },
    load: async (signal, onProgress) =>
      void (await loadInputs(storage.ledger, { ...submission, signal, onProgress })),
  });
};

const needsHttpOnly = (root: CompiledScraper): boolean =>
  jobScrapers(root).every(
    ({ ready: { scraper } }) => (scraper.kind ?? "http") === "http" && scraper.checkAgainst === undefined,
  );

export const checkOutputs = ({ json, output }: WorkingOptions): void => {
  if (json && output === "-")
    throw new UsageError(
      "--json and --output - both write to stdout. Write the results to a file, or omit --json.",
    );
  if (output !== undefined) checkOutput(output);
};
