import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPacker } from "../../archive/packer.ts";
import { openArchive } from "../../archive/segment-writer.ts";
import { openStorage } from "../../compose.ts";
import type { Storage } from "../../ports/storage.ts";
import { extract } from "../../pipeline/extract.ts";
import { judge } from "../../pipeline/judge.ts";
import { createJob } from "../../pipeline/submit.ts";
import type { JobView } from "../../domain/job.ts";
import type { SettledItem } from "../../ports/ledger.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { compileScraper } from "../../scrapers/compiled-scraper.ts";

/** A storage with one job that has collected these pages, one an item under the keys `0`, `1`, …. For tests. */
export interface StoredJob extends Storage {
  readonly job: string;
  /** Writes a scraper whose `extract` is this code, beside the job's own. */
  writeScraper(name: string, extractCode: string): Promise<string>;
  view(): Promise<JobView>;
}

/** An item with this on its page ends as one that is as it was. */
export const UNCHANGED = "<!-- unchanged -->";

const WORKER = "tester";
let jobs = 0;

export const openStoredJob = async (
  extractCode: string,
  pages: readonly string[],
  beside?: StoredJob,
): Promise<StoredJob> => {
  const folder = beside?.data ?? (await mkdtemp(join(tmpdir(), "sluice-stored-")));
  const storage: Storage = beside ?? (await openStorage(folder));
  const { ledger, blobs } = storage;
  const job = `job-${jobs++}`;
  const writeScraper = async (name: string, code: string): Promise<string> => {
    const file = join(folder, `${name}.ts`);
    await writeFile(
      file,
      `import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
export default defineScraper({
  name: "county",
  input: z.object({ n: z.number() }),
  collect: async () => undefined,
  ${code},
});
`,
    );
    return file;
  };
  const ready = await compileScraper(await loadScraper(await writeScraper(`own-${job}`, extractCode)));
  const lane = "example.org";
  await createJob(ledger, {
    job,
    client: "local",
    ready,
    paceOf: () => ({ pace: { perSecond: Infinity, burst: 1, concurrency: pages.length } }),
    inputs: (async function* () {})(),
    laneOf: () => lane,
  });
  const planned = pages.map((_, n) => ({ key: String(n), input: JSON.stringify({ n }), lane }));
  await ledger.addItems(job, planned, []);
  await ledger.sealJob(job);
  await using packer = startPacker();
  await using archive = openArchive({ blobs, packer, job, software: "tests" });
  const room = pages.length;
  const grant = await ledger.claim({ worker: WORKER, room, inFlight: new Map(), jobs: [job] });
  const settling = grant.items.map(async ({ queue, seq, lease, key }): Promise<SettledItem> => {
    const text = pages[Number(key)]!;
    const url = `https://${lane}/${key}`;
    const bundle = archive.item();
    const number = await bundle.exchange({
      method: "GET",
      url,
      startedAt: 0,
      requestHeaders: [],
      status: 200,
      statusText: "OK",
      responseHeaders: [["content-type", "text/html"]],
      body: Buffer.from(text),
    });
    bundle.keep("page", number);
    const raw = extract(ready.extraction!, [
      { name: "page", url, status: 200, mediaType: "text/html", text },
    ]);
    const origin = { job, key, scraper: "county", version: ready.version };
    const judged = "failure" in raw ? raw : judge(raw.records, ready.extraction!, origin);
    const attempt = { startedAt: 0, ms: 1, requests: 1, bytes: text.length };
    const { failure } = judged;
    return {
      queue,
      seq,
      lease,
      attempt,
      fieldCounts: null,
      emitted: [],
      outcome: failure
        ? { state: "failed", failure }
        : {
            ...(text.includes(UNCHANGED)
              ? ({ state: "skipped", reason: "unchanged" } as const)
              : { state: "done" }),
            quality: "quality" in judged ? judged.quality : "complete",
          },
      ...(await bundle.commit("lines" in judged ? judged.lines : [])),
    };
  });
  await new Promise((turn) => setImmediate(turn));
  await archive.seal();
  await ledger.settle(WORKER, await Promise.all(settling));
  return {
    ...storage,
    job,
    writeScraper,
    view: async () => (await ledger.readJob(job))!,
    async [Symbol.asyncDispose]() {
      if (beside) return;
      await ledger.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
