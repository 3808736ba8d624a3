import { laneOf, openStorage } from "../../compose.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import { createJob, loadInputs } from "../../pipeline/submit.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { compileScraper } from "../../scrapers/compiled-scraper.ts";
import { Supervisor } from "../../worker/supervisor.ts";
import { jobId } from "../../domain/job.ts";
import { openInputs } from "../../inputs/open-inputs.ts";
import { paceAtRate } from "../rate-option.ts";
import type { RunOptions } from "../options.ts";
import { workerScript } from "../run-workers.ts";
import { checkOutput } from "../../export/outputs/open-output.ts";
import { openProgress, progressMode } from "../progress.ts";
import { superviseJob } from "../supervise-job.ts";
import { UsageError } from "../usage-error.ts";

/** Takes inputs, runs them to their end on this machine, and says what came of every one. */
export const runCommand = async (named: string, options: RunOptions): Promise<number> => {
  if (options.input === undefined)
    throw new UsageError("no inputs given. Name a file with --input FILE, or pipe them in with --input -");
  const { input, processes, data, logLevel } = options;
  if (options.output !== undefined) checkOutput(options.output);
  using progress = openProgress({ mode: progressMode(options), stream: process.stderr });
  // Worker processes load their code while the scraper and the ledger are opened here.
  const supervisor = new Supervisor({
    script: workerScript,
    processes,
    onOutput: (line) => progress.note(line),
  });
  try {
    const ready = await compileScraper(await loadScraper(await resolveScraper(named)), {
      extracts: options.extract,
    });
    const inputs = await openInputs(input, options.format, ready.scraper, laneOf);
    await using storage = await openStorage(data);
    const job = jobId(new Date());
    const submission = {
      job,
      client: "local",
      ready,
      paceOf: paceAtRate(options.rate, (text) => progress.note(text)),
      extracts: options.extract,
      laneOf,
      inputs,
      ...(options.limit !== undefined && { limit: options.limit }),
      ...(options.maxItems !== undefined && { maxItems: options.maxItems }),
    };
    await createJob(storage.ledger, submission);
    return await superviseJob({
      storage,
      job,
      title: ready.scraper.name,
      isNew: true,
      input,
      supervisor,
      processes,
      progress,
      logLevel,
      ...(options.output !== undefined && { output: options.output }),
      load: async (signal, onProgress) =>
        void (await loadInputs(storage.ledger, { ...submission, signal, onProgress })),
    });
  } finally {
    await supervisor.kill();
    if (input === "-") process.stdin.destroy(); // an open pipe would keep the process
  }
};
