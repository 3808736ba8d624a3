import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { ExtractRun, ExtractTask } from "../runs/extract-pages.ts";
import type { Stored, StoreTask } from "../runs/store-pages.ts";
import { rounded, spreadOf } from "../spread.ts";

const PAGES = 100_000;
/** One round is a quick look: a fifth of the pages is enough. */
const FEW_PAGES = 20_000;
const CORES = 2;
const JOB = "bench";

/** `sluice extract` over stored property pages, on one core and on two, in turns. */
export const measureExtract = async (kit: BenchKit, { rounds, full }: BenchOptions): Promise<Figure[]> =>
  await kit.inFolder(async (folder) => {
    const pages = rounds > 1 || full ? PAGES : FEW_PAGES;
    const data = join(folder, "data");
    const scraper = join(import.meta.dirname, "../scrapers/property.ts");
    const store: StoreTask = { data, job: JOB, scraper, pages };
    await runChild<Stored>(runScript("store-pages.ts"), store);
    const one: ExtractRun[] = [];
    const all: ExtractRun[] = [];
    for (let round = 0; round < rounds; round++) {
      one.push(await extractOnce(data, 1));
      all.push(await extractOnce(data, CORES));
    }
    const perSecond = (runs: readonly ExtractRun[]) => spreadOf(runs.map(({ seconds }) => pages / seconds));
    const describe = (runs: readonly ExtractRun[]) => ({
      pagesPerSecond: perSecond(runs),
      maxRssMb: spreadOf(runs.map(({ maxRssMb }) => maxRssMb)),
      rssMbEarly: spreadOf(runs.map(({ rssMbEarly }) => rssMbEarly)),
      rssMbAtEnd: spreadOf(runs.map(({ rssMbAtEnd }) => rssMbAtEnd)),
    });
    const from = {
      pages,
      machineCores: availableParallelism(),
      oneCore: describe(one),
      twoCores: describe(all),
    };
    const count = pages.toLocaleString("en-US");
    return [
      {
        figure: `extracting ${count} stored pages on ${CORES} cores`,
        value: rounded(perSecond(all).median),
        unit: "items/s",
        goal: { atLeast: 5_000 },
        rounds,
        from,
        note: "the whole command: start, listing, reading, digests, eight fields, judgement, difference from the previous records, new records stored",
      },
      {
        figure: `extracting on ${CORES} cores ÷ on one`,
        value: rounded(perSecond(all).median / perSecond(one).median),
        unit: "ratio",
        goal: { atLeast: 1.3 },
        rounds,
        from,
        note: "`--cores 2` ÷ `--cores 1`; listing and storing have a thread of their own either way",
      },
      {
        figure: "memory of an extraction, at the end ÷ after a quarter",
        value: rounded(spreadOf(all.map((run) => run.rssMbAtEnd / run.rssMbEarly)).median),
        unit: "ratio",
        goal: { atMost: 1.25 },
        rounds,
        from,
        note: "resident set of the process with its threads; 1 is flat. The heaps hold about 30 MB throughout; the rest is memory that they have reserved",
      },
    ];
  });

const extractOnce = async (data: string, cores: number): Promise<ExtractRun> => {
  const task: ExtractTask = { data, job: JOB, cores };
  const run = await runChild<ExtractRun>(runScript("extract-pages.ts"), task);
  if (run.exitCode !== 0) throw new Error(`sluice extract --cores ${cores} ended with ${run.exitCode}`);
  return run;
};
