// Crawlee's PlaywrightCrawler with its queue, its dataset and the raw pages on disk. Argument: { urls, warmUp, concurrency, isFresh, isIdentical,
// executablePath, folder }. `isFresh`: a new context for each page. `isIdentical`: the handler that Sluice gets, too.
import { Configuration, KeyValueStore, log, PlaywrightCrawler, RequestQueue } from "crawlee";
import { load } from "cheerio";
import { chromium } from "playwright-core";
import { treeUsage } from "../process-usage.ts";
import { SELECTORS, waitAndRead } from "../site/playwright-handler.ts";

const { urls, warmUp, concurrency, isFresh, isIdentical, executablePath, folder } = JSON.parse(process.argv[2]);
log.setLevel(log.LEVELS.ERROR);
process.env.CRAWLEE_STORAGE_DIR = folder;
const config = new Configuration({ persistStorage: true, purgeOnStart: true, availableMemoryRatio: 0.5 });
const queue = await RequestQueue.open(null, { config });
const raw = await KeyValueStore.open("raw", { config });
await queue.addRequestsBatched(
  urls.map((url) => ({ url })),
  { waitForAllRequestsToBeAdded: true },
);

let [done, complete] = [0, 0];
let from;
const crawler = new PlaywrightCrawler(
  {
    requestQueue: queue,
    minConcurrency: concurrency,
    maxConcurrency: concurrency,
    autoscaledPoolOptions: { desiredConcurrency: concurrency },
    maxRequestRetries: 1,
    // By default its browser ends with a session's 50th use. What that browser has used would not be counted.
    sessionPoolOptions: { sessionOptions: { maxUsageCount: 1000 } },
    headless: true,
    launchContext: {
      launcher: chromium,
      useIncognitoPages: isFresh,
      launchOptions: { executablePath, chromiumSandbox: false },
    },
    async requestHandler({ request, page, parseWithCheerio, pushData }) {
      const $ = isIdentical ? load(await waitAndRead(page)) : await parseWithCheerio("county-property");
      const record = { url: request.url };
      for (const name in SELECTORS) record[name] = $(SELECTORS[name]).first().text().trim();
      await raw.setValue(`page-${new URL(request.url).searchParams.get("ref").replace(/\W/g, "-")}`, $.html(), {
        contentType: "text/html",
      });
      await pushData(record);
      if (Object.values(record).every((value) => value !== "")) complete++;
      // Sampled before the browser is closed: the time of processes that were not waited for is lost.
      if (++done === warmUp) from = treeUsage();
      if (done === urls.length) report();
    },
  },
  config,
);
const report = () => {
  const { cpuSeconds, pssMb } = treeUsage();
  const pages = done - warmUp;
  console.log(JSON.stringify({ pages, complete, cpuSeconds: cpuSeconds - from.cpuSeconds, pssMb }));
};
await crawler.run();
process.exit(0);
