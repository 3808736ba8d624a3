import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { referenceOf } from "../../examples/county/app/reference.ts";
import { DEFAULT_SEED } from "../../examples/county/parcels.ts";
import { findBrowser, installHint } from "../../src/collectors/browser/find-browser.ts";
import { DEFAULT_MEMORY_MB, workerFlags } from "../../src/worker/worker-process.ts";
import { startSite } from "../../test/e2e/county-process.ts";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { installPeers, peerScript } from "../peers-folder.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { Browsed, BrowseTask } from "../runs/browse-job.ts";
import type { Loaded, LoadTask } from "../runs/load-job.ts";
import { rounded, spreadOf } from "../spread.ts";

/** Fewer than 100: Crawlee closes its browser after so many pages, and the CPU time of what ends with it is lost. */
const PAGES = 90;
/** Not measured: the start of the browser, and code that is not compiled yet. */
const WARM_UP = 20;
const TABS = 4;
const MEMORY_PAGES = 2000;
/** Often: tabs and browsers are renewed in between, and single readings say little. */
const MEMORY_EVERY = 20;
const MINUTE_MS = 60_000;

interface Way {
  readonly isFresh: boolean;
  /** Both sides get the same function with Playwright's page. */
  readonly isIdentical: boolean;
}

interface Used {
  readonly pages: number;
  readonly complete: number;
  readonly cpuSeconds: number;
  readonly pssMb: number;
}

const WAYS: readonly (Way & { readonly name: string; readonly goal: number })[] = [
  { name: "warm tabs", isFresh: false, isIdentical: false, goal: 2 },
  { name: "fresh contexts", isFresh: true, isIdentical: false, goal: 1.3 },
  { name: "warm tabs, one handler", isFresh: false, isIdentical: true, goal: 1.3 },
  { name: "fresh contexts, one handler", isFresh: true, isIdentical: true, goal: 1 },
];

/** Pages of the scripted county in the same browser, in turns with Crawlee's PlaywrightCrawler: CPU time of the whole process tree. */
export const measureBrowser = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  await installPeers();
  const found = await findBrowser();
  if (!found) throw new Error(`there is no browser. To install one: ${await installHint()}`);
  await using site = await startSite(["--parcels", `${MEMORY_PAGES}`, "--scripted"]);
  const urls = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, n) => `${site.url}/app/property?ref=${encodeURIComponent(referenceOf(DEFAULT_SEED, n))}`,
    );
  const sluice = (pages: number, { isFresh, isIdentical }: Way): Promise<Browsed> =>
    kit.inFolder((folder) =>
      browse({
        folder,
        urls: urls(pages),
        env: {
          BENCH_SITE: site.url,
          BENCH_ISOLATION: isFresh ? "item" : "job",
          BENCH_HANDLER: isIdentical ? "playwright" : "own",
          SLUICE_BROWSER: found.path,
          SLUICE_BROWSER_TABS: `${TABS}`,
        },
      }),
    );
  const crawlee = (way: Way): Promise<Used> =>
    kit.inFolder((folder) =>
      runChild<Used>(peerScript("crawlee-browser.mjs"), {
        ...way,
        urls: urls(PAGES),
        warmUp: WARM_UP,
        concurrency: TABS,
        executablePath: found.path,
        folder,
      }),
    );

  const used = WAYS.map((way) => ({ way, sluice: [] as Used[], crawlee: [] as Used[] }));
  for (let round = 0; round < rounds; round++)
    for (const { way, ...runs } of used) {
      runs.sluice.push(whole(await sluice(PAGES, way), PAGES));
      runs.crawlee.push(whole(await crawlee(way), PAGES));
    }
  const { pssMbAt, ...memory } = await sluice(MEMORY_PAGES, WAYS[0]!);
  whole(memory, MEMORY_PAGES);
  const half = pssMbAt.length / 2;
  const [early = 0, late = 0] = [pssMbAt.slice(0, half), pssMbAt.slice(half)].map(
    (part) => spreadOf(part).median,
  );

  return [
    ...used.map(({ way, ...runs }): Figure => {
      const [own, other] = [spreadOf(runs.sluice.map(cpuMs)), spreadOf(runs.crawlee.map(cpuMs))];
      return {
        figure: `browser, ${way.name} ÷ Crawlee`,
        value: rounded(other.median / own.median),
        unit: "ratio",
        goal: { atLeast: way.goal },
        rounds,
        from: {
          cpuMsPerPage: { sluice: own, crawlee: other },
          pssMb: {
            sluice: spreadOf(runs.sluice.map(({ pssMb }) => pssMb)),
            crawlee: spreadOf(runs.crawlee.map(({ pssMb }) => pssMb)),
          },
          browser: found.path,
        },
        note: `pages per CPU-second of the whole process tree, ${TABS} tabs, the same binary; ${
          way.isIdentical
            ? "both sides call the same waitForSelector and content and load pictures"
            : "Sluice with ready and keep, PlaywrightCrawler with parseWithCheerio, each with its defaults"
        }${way.isFresh ? "; a new context for each page" : ""}`,
      };
    }),
    {
      figure: `browser memory of pages 1,000–2,000 ÷ pages 1–1,000`,
      value: rounded(late / early),
      unit: "ratio",
      goal: { atMost: 1.15 },
      rounds: 1,
      from: { pssMbAt: pssMbAt.map(rounded), every: MEMORY_EVERY, cpuMsPerPage: rounded(cpuMs(memory)) },
      note: "medians of the tree's proportional memory in warm tabs; 1 is flat",
    },
  ];
};

const cpuMs = ({ cpuSeconds, pages }: Used): number => (1000 * cpuSeconds) / pages;

const whole = <Run extends Used>(run: Run, pages: number): Run => {
  if (run.complete === pages) return run;
  throw new Error(`${run.complete} of ${pages} pages came through whole`);
};

/** Loads a job in one process and runs it in another, as the CLI does. */
const browse = async ({
  folder,
  urls,
  env,
}: {
  readonly folder: string;
  readonly urls: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}): Promise<Browsed> => {
  const csv = join(folder, "urls.csv");
  writeFileSync(csv, ["url", ...urls, ""].join("\n"));
  const [data, job] = [join(folder, "data"), "bench"];
  const scraper = join(import.meta.dirname, "../scrapers/scripted-property.ts");
  const options = { env, timeoutMs: 60 * MINUTE_MS };
  const load: LoadTask = { data, job, scraper, csv };
  const { accepted } = await runChild<Loaded>(runScript("load-job.ts"), load, options);
  if (accepted !== urls.length) throw new Error(`${accepted} of ${urls.length} inputs were loaded`);
  const task: BrowseTask = { data, job, items: urls.length, warmUp: WARM_UP, memoryEvery: MEMORY_EVERY };
  return await runChild<Browsed>(runScript("browse-job.ts"), task, {
    ...options,
    nodeArgs: workerFlags(DEFAULT_MEMORY_MB),
  });
};
