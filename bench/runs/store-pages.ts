/** Fills a data folder with a job of property pages as collecting would: archive, records and ledger. */
import { openArchive } from "../../src/archive/segment-writer.ts";
import { startPacker } from "../../src/archive/packer.ts";
import { openStorage, SOFTWARE } from "../../src/compose.ts";
import { extract } from "../../src/pipeline/extract.ts";
import { judge } from "../../src/pipeline/judge.ts";
import { createJob, type Submission } from "../../src/pipeline/submit.ts";
import type { Exchange } from "../../src/domain/capture.ts";
import type { ClaimedItem, SettledItem } from "../../src/ports/ledger.ts";
import { loadScraper } from "../../src/scrapers/load-scraper.ts";
import { compileScraper } from "../../src/scrapers/compiled-scraper.ts";
import { propertyPage } from "../site/property-page.ts";
import { DISTINCT_PAGES } from "../site/site-pages.ts";

export interface StoreTask {
  readonly data: string;
  readonly job: string;
  readonly scraper: string;
  readonly pages: number;
}

export interface Stored {
  readonly pages: number;
  readonly seconds: number;
}

const WORKER = "bench-worker";
const LANE = "bench.example";
const BATCH = 500;

const { data, job, scraper, pages } = JSON.parse(process.argv[2]!) as StoreTask;
const startedAt = performance.now();
const ready = await compileScraper(await loadScraper(scraper));
const extraction = ready.extraction!;

/** Extraction is not measured here: each distinct page is read once. */
const known = Array.from({ length: Math.min(pages, DISTINCT_PAGES) }, (_, n) => {
  const text = propertyPage(n);
  const raw = extract(extraction, [
    { name: "detail", url: urlOf(n), status: 200, mediaType: "text/html", text },
  ]);
  if ("failure" in raw) throw new Error(raw.failure.detail);
  return { body: Buffer.from(text), records: raw.records };
});

await using storage = await openStorage(data);
await using packer = startPacker();
await using archive = openArchive({
  blobs: storage.blobs,
  packer,
  job,
  software: SOFTWARE,
  maxAgeMs: 60_000,
});
const submission: Submission = {
  job,
  client: "bench",
  ready,

  laneOf: () => LANE,
  inputs: (async function* () {})(),
};
await createJob(storage.ledger, submission);
for (let from = 0; from < pages; from += BATCH) {
  const items = Array.from({ length: Math.min(BATCH, pages - from) }, (_, i) => ({
    key: String(from + i),
    input: JSON.stringify({ parcel: String(from + i) }),
    lane: LANE,
  }));
  await storage.ledger.addItems(job, items, []);
}
await storage.ledger.sealJob(job);

let settling: Promise<void>[] = [];
for (let stored = 0; stored < pages;) {
  const { items } = await storage.ledger.claim({ worker: WORKER, room: BATCH, inFlight: new Map() });
  if (items.length === 0) throw new Error(`only ${stored} of ${pages} items could be claimed`);
  settling.push(settle(await Promise.all(items.map(store))));
  stored += items.length;
  // Segments are sealed by size: their items can only be settled once the next ones have filled them.
  if (settling.length > 20) {
    await archive.seal();
    await Promise.all(settling);
    settling = [];
  }
}
await archive.seal();
await Promise.all(settling);
const view = await storage.ledger.readJob(job);
if (view?.counts.states.done !== pages) throw new Error(`${view?.counts.states.done} of ${pages} are done`);
console.log(JSON.stringify({ pages, seconds: (performance.now() - startedAt) / 1_000 } satisfies Stored));

function urlOf(n: number): string {
  return `https://${LANE}/parcel/${n}`;
}

interface StoredItem {
  readonly item: ClaimedItem;
  readonly fieldCounts: readonly number[];
  readonly kept: ReturnType<ReturnType<typeof archive.item>["commit"]>;
}

async function store(item: ClaimedItem): Promise<StoredItem> {
  const { body, records } = known[Number(item.key) % known.length]!;
  const bundle = archive.item();
  bundle.keep("detail", await bundle.exchange(exchangeOf(item.key, body)));
  const judged = judge(records, extraction, {
    job,
    key: item.key,
    scraper: ready.scraper.name,
    version: ready.version,
  });
  const kept = bundle.commit(judged.lines);
  kept.catch(() => undefined); // reported by `settle`
  return { item, fieldCounts: judged.fieldCounts, kept };
}

async function settle(stored: readonly StoredItem[]): Promise<void> {
  const settled = stored.map(
    async ({ item: { queue, seq, lease }, fieldCounts, kept }): Promise<SettledItem> => ({
      queue,
      seq,
      lease,
      outcome: { state: "done", quality: "complete" },
      attempt: { startedAt: Date.now(), ms: 40, requests: 1, bytes: 12_000 },
      ...(await kept),
      fieldCounts,
      emitted: [],
    }),
  );
  const { refused } = await storage.ledger.settle(WORKER, await Promise.all(settled));
  if (refused.length > 0) throw new Error(`${refused.length} settles were refused`);
}

function exchangeOf(key: string, body: Uint8Array): Exchange {
  return {
    method: "GET",
    url: urlOf(Number(key)),
    startedAt: 1_794_000_000_000,
    requestHeaders: [["user-agent", SOFTWARE]],
    status: 200,
    statusText: "OK",
    responseHeaders: [
      ["content-type", "text/html; charset=utf-8"],
      ["server", "bench"],
      ["content-length", String(body.length)],
    ],
    body,
  };
}
