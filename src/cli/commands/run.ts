import { laneOf, openHouse } from "../../compose.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import { createJob, loadInputs } from "../../flow/submit.ts";
import type { Pace } from "../../model/pace.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { fullPace, readyScraper, type ReadyScraper } from "../../scrapers/ready-scraper.ts";
import { Supervisor } from "../../worker/supervisor.ts";
import { jobId } from "../job-id.ts";
import { readInputs } from "../inputs/read-inputs.ts";
import { refuseMisfits } from "../inputs/refuse-misfits.ts";
import type { RunOptions } from "../options.ts";
import { checkOutput } from "../outputs/check-output.ts";
import { openProgress, progressMode } from "../progress.ts";
import { superviseJob } from "../supervise-job.ts";
import { UsageError } from "../usage-error.ts";

export const workerScript = new URL("../worker-main.ts", import.meta.url);

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
    const ready = await readyScraper(await loadScraper(await resolveScraper(named)), {
      extracts: options.extract,
    });
    await using house = await openHouse(data);
    const job = jobId(new Date());
    const rows = readInputs(input, options.format ? { format: options.format } : {});
    const submission = {
      job,
      client: "local",
      ready,
      paceOf: (one: ReadyScraper) => paceOf(one, options.rate, (text) => progress.note(text)),
      extracts: options.extract,
      laneOf,
      inputs: refuseMisfits(rows, ready.scraper, input, laneOf),
      ...(options.limit !== undefined && { limit: options.limit }),
      ...(options.maxItems !== undefined && { maxItems: options.maxItems }),
    };
    await createJob(house.ledger, submission);
    return await superviseJob({
      house,
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
        void (await loadInputs(house.ledger, { ...submission, signal, onProgress })),
    });
  } finally {
    await supervisor.kill();
    if (input === "-") process.stdin.destroy(); // an open pipe would keep the process
  }
};

/** A job can only lower the pace that a scraper declares; where it declares none, the rate asked for is the pace. */
const paceOf = (ready: ReadyScraper, rate: number | undefined, say: (text: string) => void): Pace => {
  if (rate === undefined) return ready.pace;
  const declared = ready.scraper.pace?.perSecond;
  if (declared === undefined) return fullPace({ ...ready.scraper.pace, perSecond: rate });
  if (rate > declared)
    say(
      `--rate ${rate} is above what the scraper ${ready.scraper.name} allows; it stays at ${declared} requests a second.`,
    );
  return fullPace({ ...ready.scraper.pace, perSecond: Math.min(rate, declared) });
};
