import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser, installHint } from "../../src/collectors/browser/find-browser.ts";
import { Service } from "../../test/e2e/service-process.ts";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { FillDashboardTask } from "../runs/fill-dashboard.ts";
import { rounded, spreadOf } from "../spread.ts";

const FULL = { items: 1_000_000, lanes: 10_000 };
/** As good as empty, but every list fills its first page: the browser draws the same number of rows. */
const SMALL = { items: 5_000, lanes: 200 };
/** Navigations of each page and ledger, per round. */
const VISITS = 5;

/** Each page, and what is its first row. */
const PAGES: Readonly<Record<string, { readonly path: string; readonly row: string }>> = {
  now: { path: "/", row: ".runs li" },
  jobs: { path: "/jobs", row: "main tbody tr" },
  job: { path: "/jobs/large", row: ".legend a" },
  "job with all lanes": { path: "/jobs/wide", row: ".legend a" },
  items: { path: "/jobs/large/items", row: "main tbody tr" },
  "items that failed": { path: "/jobs/large/items?state=failed", row: "main tbody tr" },
  "items by failure kind": { path: "/jobs/large/items?kind=blocked", row: "main tbody tr" },
  "items by quality": { path: "/jobs/large/items?quality=partial", row: "main tbody tr" },
  "item by key": {
    path: `/jobs/large/items?key=${encodeURIComponent("https://bench.example/parcel/50")}`,
    row: "main tbody tr",
  },
  "items of all lanes": { path: "/jobs/wide/items", row: "main tbody tr" },
  lanes: { path: "/lanes", row: "main tbody tr" },
  "lanes by name": { path: "/lanes?prefix=host-0", row: "main tbody tr" },
  lane: { path: "/lanes/bench.example", row: ".facts dd" },
  scrapers: { path: "/scrapers", row: "main tbody tr" },
  scraper: { path: "/scrapers/bench", row: ".heat tbody tr" },
  workers: { path: "/workers", row: "h1" },
};

const SCRAPER = `
import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
export default defineScraper({
  name: "bench",
  site: "http://bench.example",
  input: z.object({ url: z.string() }),
  key: ({ url }) => url,
  async collect({ input, http, keep }) {
    keep.page("page", await http.get(input.url));
  },
  extract: { from: "page", fields: { title: field.text("title") } },
});`;

type Times = Record<string, number[]>;

/** From navigation to the first rows of a page, in a real browser, in turns with a ledger that has next to nothing. */
export const measureDashboard = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const found = await findBrowser();
  if (!found) throw new Error(`There is no browser. To install one: ${await installHint()}`);
  return await kit.inFolder(async (folder) => {
    await using full = await serve(join(folder, "full"), FULL);
    await using small = await serve(join(folder, "small"), SMALL);
    const browser = await chromium.launch({ executablePath: found.path, args: ["--no-sandbox"] });
    try {
      const [inFull, inSmall]: [Times, Times] = [{}, {}];
      const [fullPage, smallPage] = [await windowOn(browser), await windowOn(browser)];
      for (const [name, { path, row }] of Object.entries(PAGES))
        // The first visit also fills the caches of browser and server.
        for (let visit = 0; visit <= rounds * VISITS; visit++)
          for (const [service, page, times] of [
            [full, fullPage, inFull],
            [small, smallPage, inSmall],
          ] as const) {
            const ms = await firstRows(page, service.url + path, row);
            if (visit > 0) (times[name] ??= []).push(ms);
          }
      return figuresOf(inFull, inSmall, rounds);
    } finally {
      await browser.close();
    }
  });
};

const serve = async (folder: string, size: Omit<FillDashboardTask, "data">): Promise<Service> => {
  const service = new Service(folder);
  service.writeScraper("bench", SCRAPER);
  const task: FillDashboardTask = { data: service.data, ...size };
  await runChild(runScript("fill-dashboard.ts"), task, { timeoutMs: 3_600_000 });
  await service.serve("--no-key");
  const { child } = service.controller;
  process.once("exit", () => child.kill());
  return service;
};

const windowOn = async (browser: Browser): Promise<Page> =>
  await browser.newPage({ viewport: { width: 1280, height: 900 } });

/** By the page's own clock, which starts with the navigation. It comes from another document of the same site: no new process is started for it. */
const firstRows = async (page: Page, url: string, row: string): Promise<number> => {
  await page.goto(new URL("/v1/me", url).href);
  await page.goto(url, { waitUntil: "commit" });
  return await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      if (document.querySelector(${JSON.stringify(row)}) === null) return requestAnimationFrame(look);
      resolve(performance.now());
    };
    look();
  })`);
};

const figuresOf = (inFull: Times, inSmall: Times, rounds: number): Figure[] => {
  const [full, small] = [inFull, inSmall].map((times) =>
    Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, spreadOf(ms)])),
  ) as [Record<string, ReturnType<typeof spreadOf>>, Record<string, ReturnType<typeof spreadOf>>];
  const ratios = Object.fromEntries(
    Object.keys(full).map((name) => [name, rounded(full[name]!.median / small[name]!.median)]),
  );
  const size = "1,000,000 items and 10,000 lanes";
  return [
    {
      figure: `first rows of a page of the dashboard, at ${size}`,
      value: Math.max(...Object.values(full).map(({ median }) => median)),
      unit: "ms",
      goal: { atMost: 300 },
      rounds,
      from: { full, small },
      note: "the slowest page's median, from navigation until the browser has its first rows",
    },
    {
      figure: `the same, compared with a ledger of ${SMALL.items.toLocaleString("en")} items`,
      value: Math.max(...Object.values(ratios)),
      unit: "ratio",
      goal: { atMost: 1.5 },
      rounds,
      from: ratios,
      note: "the worst page's time ÷ its time with the small ledger, in turns; smaller is better",
    },
  ];
};
