// Crawlee's CheerioCrawler with its queue, its dataset and the raw pages on disk. Argument: { origin, pages, concurrency, folder }.
import { CheerioCrawler, Configuration, KeyValueStore, log, RequestQueue } from "crawlee";
import { FIELDS } from "../site/fields.ts";
import { start, stop } from "./usage.mjs";

const { origin, pages, concurrency, folder } = JSON.parse(process.argv[2]);
log.setLevel(log.LEVELS.ERROR);
process.env.CRAWLEE_STORAGE_DIR = folder;
const config = new Configuration({ persistStorage: true, purgeOnStart: true, availableMemoryRatio: 0.5 });
const queue = await RequestQueue.open(null, { config });
const raw = await KeyValueStore.open("raw", { config });
await queue.addRequestsBatched(
  Array.from({ length: pages }, (_, n) => ({ url: `${origin}/parcel/${String(n).padStart(7, "0")}` })),
  { waitForAllRequestsToBeAdded: true },
);

let done = 0;
const crawler = new CheerioCrawler(
  {
    requestQueue: queue,
    minConcurrency: concurrency,
    maxConcurrency: concurrency,
    autoscaledPoolOptions: { desiredConcurrency: concurrency },
    maxRequestRetries: 1,
    useSessionPool: false,
    persistCookiesPerSession: false,
    async requestHandler({ request, $, body, pushData }) {
      const record = { url: request.url };
      for (const name in FIELDS) record[name] = $(FIELDS[name]).first().text().trim();
      await raw.setValue(`page-${request.url.split("/").at(-1)}`, body, { contentType: "text/html" });
      await pushData(record);
      if (Object.values(record).every((value) => value !== "")) done++;
    },
  },
  config,
);
const from = start();
await crawler.run();
const usage = stop(from, done);
if (done !== pages) throw new Error(`${done} of ${pages} pages came through whole`);
console.log(JSON.stringify(usage));
process.exit(0);
