import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { sigkill } from "./chaos/killer.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { HoppingSite } from "./hopping-site.ts";
import { Service } from "./service-process.ts";
import { COUNTY_SCRAPER, sluice } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-service-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Long enough for several pulses. */
const WATCH_MS = 1500;

test("a job through the API has correct results although a worker and the controller are killed", async () => {
  const truth = join(folder, "truth.jsonl");
  const parcels = 300;
  await using site = await startSite(["--parcels", `${parcels}`, "--troubles", "all", "--truth", truth]);
  await using service = new Service(join(folder, "county"), { COUNTY_URL: site.url });
  cpSync(dirname(COUNTY_SCRAPER), join(service.folder, "scrapers"), { recursive: true });
  service.writeScraper("county", patientCounty());
  const client = await service.serve();
  const workers = [service.worker(), service.worker()];
  const { job } = await client.createJob({ scraper: "county" });
  const upload = await client.addInputs(job.id, bytes(parcelsCsv(parcels)), { format: "csv", seal: true });
  assert.deepEqual([upload.offset, upload.accepted], [parcels, parcels]);

  await service.until(job.id, ({ progress }) => progress.ended > parcels / 6);
  for (const pid of workers[0]!.family()) sigkill(pid);
  service.worker();
  await service.until(job.id, ({ progress }) => progress.ended > parcels / 3);
  service.controller.child.kill("SIGKILL");
  await service.controller.ended;
  await service.serve();
  const ended = await service.until(job.id, ({ state }) => state === "done");
  assert.equal(ended.counts.accepted, parcels);
  const manifest = join(service.data, "blobs/jobs", job.id, "manifest.jsonl");
  while (!existsSync(manifest)) await delay(100);
  assertTruth(truth, service.data);
});

test("a stopping worker finishes its items in flight and leaves the rest to others", async () => {
  await using site = await HoppingSite.open({ answerMs: 20 });
  await using service = new Service(join(folder, "drain"), { HOPPING_URL: site.url });
  service.writeScraper("hopping", HoppingSite.scraper);
  const client = await service.serve();
  const worker = service.worker();
  const { job } = await client.createJob({ scraper: "hopping", inputs: numbers(100) });
  await site.arrivals(40);
  // The worker must not finish all of them before the signal arrives, however long that takes.
  site.answerMs = 300;
  worker.child.kill("SIGTERM");
  const { code, stderr } = await worker.ended;
  assert.equal(code, 0, stderr);
  const { data: listed } = await client.listWorkers();
  assert.deepEqual(listed, []);
  const stopped = await client.getJob(job.id);
  assert.equal(stopped.counts.states.leased, 0);
  assert.equal(stopped.counts.states.done, site.wholeItems);
  assert.ok(stopped.counts.states.queued > 0);

  site.answerMs = 0;
  service.worker();
  await service.until(job.id, ({ state }) => state === "done");
  assert.equal(site.arrived.length, 100 * HoppingSite.requestsPerItem, "nothing was asked for twice");
});

/** The API waits 20 s by default. On a busy machine it may take longer to give up a silent worker. */
const PATIENT = { waitMs: 60_000 };

const STOPPED = {
  // As many items in flight as slots are booked ahead, so that a worker that misses the stop would still send requests.
  "in a lane with slots booked ahead": { pace: "perSecond: 40, concurrency: 40", answerMs: 30, requests: 60 },
  // Here no slot delays a hop, and an item takes longer than the stop.
  "in a lane without a rate": { pace: "perSecond: Infinity, concurrency: 8", answerMs: 500, requests: 20 },
};

for (const [where, { pace, answerMs, requests }] of Object.entries(STOPPED))
  test(`after pause and cancel have answered, the site sees no further request, hops, redirects and files included, ${where}`, async () => {
    await using site = await HoppingSite.open({ answerMs });
    await using service = new Service(join(folder, `stop-${answerMs}`), { HOPPING_URL: site.url });
    service.writeScraper("hopping", HoppingSite.scraper.replace("perSecond: 400, concurrency: 8", pace));
    const client = await service.serve("--workers", "2");
    const { job } = await client.createJob({ scraper: "hopping", inputs: numbers(2000) });
    let arrived = 0;
    for (let round = 1; round <= 3; round++) {
      await site.arrivals(arrived + requests);
      const { isQuiet, job: paused } = await client.pauseJob(job.id, PATIENT);
      assert.deepEqual([isQuiet, paused.state], [true, "paused"]);
      arrived = await site.departed();
      await delay(WATCH_MS);
      assert.equal(await site.departed(), arrived, `round ${round}`);
      await client.resumeJob(job.id);
    }
    await site.arrivals(arrived + requests);
    const cancelled = await client.cancelJob(job.id, PATIENT);
    assert.deepEqual([cancelled.isQuiet, cancelled.job.state], [true, "cancelled"]);
    arrived = await site.departed();
    await delay(WATCH_MS);
    assert.equal(await site.departed(), arrived);
    const { states, accepted } = (await client.getJob(job.id)).counts;
    assert.equal(states.done + states.cancelled, accepted);
  });

test("a job whose scraper changed and whose stored code is gone is paused with the reason, and other jobs continue", async () => {
  await using site = await HoppingSite.open();
  await using service = new Service(join(folder, "changed"), { HOPPING_URL: site.url });
  service.writeScraper("hopping", HoppingSite.scraper);
  service.writeScraper("other", HoppingSite.scraper.replace('"hopping"', '"other"'));
  const client = await service.serve();
  const { job: held } = await client.createJob({ scraper: "hopping", inputs: numbers(5) });
  const { job: other } = await client.createJob({ scraper: "other", inputs: numbers(5) });
  service.writeScraper("hopping", `${HoppingSite.scraper}\n// better\n`);
  rmSync(join(service.data, "blobs/service/bundles/hopping"), { recursive: true });
  const worker = service.worker();
  await service.until(other.id, ({ state }) => state === "done");
  await service.until(held.id, ({ state }) => state === "paused");
  assert.equal(worker.child.exitCode, null, "it works on");

  service.writeScraper("hopping", HoppingSite.scraper);
  await client.resumeJob(held.id);
  const { counts } = await service.until(held.id, ({ state }) => state === "done");
  assert.equal(counts.states.done, 5);
});

test("only the first start makes a key, and a server without keys listens on loopback only", async () => {
  await using service = new Service(join(folder, "keys"));
  await service.serve();
  const { key, url } = service;
  assert.match(key, /^sluice_/);
  assert.equal((await fetch(`${url}/v1/jobs`)).status, 401);
  service.controller.child.kill("SIGTERM");
  assert.equal((await service.controller.ended).code, 0);
  await service.serve();
  assert.equal(service.key, key);
  assert.equal((await service.client.listJobs()).data.length, 0);

  await using open = new Service(join(folder, "open"));
  await assert.rejects(() => open.serve("--no-key", "--host", "0.0.0.0"), /without keys/);
  await open.serve("--no-key");
  assert.equal((await fetch(`${open.url}/v1/jobs`)).status, 200);
});

test("a first start that cannot listen still prints its new key", async () => {
  await using first = new Service(join(folder, "first"));
  await first.serve();
  const taken = new URL(first.url).port;
  const data = join(folder, "second");
  const { code, stdout } = await sluice(["serve", "--port", taken, "--data", data]);
  assert.equal(code, 2);
  const [, key = ""] = /^Admin key, shown only once: (\S+)$/m.exec(stdout) ?? [];
  const { stdout: keys } = await sluice(["clients", "key", "default", "--list", "--data", data]);
  assert.ok(keys.includes(key.slice(0, "sluice_00000000".length)) && key !== "", keys);
});

const numbers = (count: number): { readonly n: string }[] =>
  Array.from({ length: count }, (_, n) => ({ n: `${n}` }));

async function* bytes(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
