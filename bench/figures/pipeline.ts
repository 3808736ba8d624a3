import { join } from "node:path";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { installPeers, peerScript } from "../peers-folder.ts";
import { runChild } from "../run-child.ts";
import { runJob } from "../run-job.ts";
import { rounded, spreadOf } from "../spread.ts";

/** As many as in a small job: in shorter runs the compiler's warm-up dominates. */
const PAGES = 20_000;
/** Crawlee is an order of magnitude slower: fewer pages take as long. */
const CRAWLEE_PAGES = 1_500;
const CRAWLEE_CONCURRENCY = [10, 20, 50];
const RAW_CONCURRENCY = 32;
const CEILING_PAGES = 30_000;
const FIELDS_A_PAGE = 8;

interface PeerRun {
  readonly perSecond: number;
  readonly cpuSeconds: number;
  readonly maxRssMb: number;
}

/** All steps of every item, compared with the limit of the machine and with Crawlee, on the same pages. */
export const measurePipeline = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  await installPeers();
  const { origin, server } = await kit.site();
  const peer = (script: string, pages: number, concurrency: number): Promise<PeerRun> =>
    kit.inFolder((folder) => runChild<PeerRun>(peerScript(script), { origin, pages, concurrency, folder }));

  const ceiling: number[] = [];
  const sluice: number[] = [];
  const sluiceRss: number[] = [];
  const raw: number[] = [];
  const crawlee = new Map(CRAWLEE_CONCURRENCY.map((concurrency) => [concurrency, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    ceiling.push((await peer("site-ceiling.mjs", CEILING_PAGES, RAW_CONCURRENCY)).perSecond);
    const run = await kit.inFolder((folder) =>
      runJob({ folder, origin, scraper: join(import.meta.dirname, "../scrapers/property.ts"), items: PAGES }),
    );
    if (
      run.complete !== PAGES ||
      run.present !== PAGES * FIELDS_A_PAGE ||
      run.archived !== PAGES ||
      run.recorded !== PAGES
    )
      throw new Error(`the pipeline did not keep everything: ${JSON.stringify(run)}`);
    sluice.push(PAGES / run.seconds);
    sluiceRss.push(run.maxRssMb);
    raw.push((await peer("raw-limit.mjs", PAGES, RAW_CONCURRENCY)).perSecond);
    for (const [concurrency, runs] of crawlee)
      runs.push((await peer("crawlee.mjs", CRAWLEE_PAGES, concurrency)).perSecond);
  }

  const crawleeSpreads = [...crawlee].map(([concurrency, runs]) => ({ concurrency, ...spreadOf(runs) }));
  const best = crawleeSpreads.reduce((a, b) => (b.median > a.median ? b : a));
  const site = { server, pagesPerSecond: spreadOf(ceiling) };
  const own = { pagesPerSecond: spreadOf(sluice), maxRssMb: spreadOf(sluiceRss) };
  return [
    {
      figure: "pipeline ÷ Crawlee",
      value: rounded(spreadOf(sluice).median / best.median),
      unit: "ratio",
      goal: { atLeast: 12 },
      rounds,
      from: { sluice: own, crawlee: crawleeSpreads, site },
      note: "one process each; queue, lanes, robots.txt, archive, extraction, judgement and settle against CheerioCrawler at its best concurrency, disk storage, raw pages kept",
    },
    {
      figure: "pipeline ÷ raw limit",
      value: rounded(spreadOf(sluice).median / spreadOf(raw).median),
      unit: "ratio",
      goal: { atLeast: 0.5 },
      rounds,
      from: { sluice: own, raw: { pagesPerSecond: spreadOf(raw) }, site },
      note: "the limit: undici, the same single-pass matcher, gzip a page, append to a file; nothing durable",
    },
  ];
};
