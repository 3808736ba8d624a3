import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { HoppingSite } from "./hopping-site.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { Service } from "./service-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-cost-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a cancelled job counts every request that the site saw, and keeps results that were in flight", async () => {
  await using site = await HoppingSite.open({ answerMs: 40 });
  await using service = new Service(join(folder, "cancelled"), { HOPPING_URL: site.url });
  service.writeScraper("hopping", HoppingSite.scraper);
  const client = await service.serve("--workers", "2");
  const inputs = Array.from({ length: 500 }, (_, i) => ({ n: `${i}` }));
  const { job } = await client.createJob({ scraper: "hopping", inputs });
  await site.arrivals(60);
  await client.cancelJob(job.id);
  const ended = await service.until(job.id, ({ endedAt }) => endedAt !== undefined);
  assert.equal(ended.counts.states.leased, 0);
  assert.equal(ended.counts.states.done, site.wholeItems);
  assert.equal(ended.cost.requests, site.arrived.length);
});

test("the requests of a killed worker are counted", async () => {
  await using site = await LoopbackSite.open();
  await using service = new Service(join(folder, "killed"));
  service.configure({ allowTargets: ["127.0.0.1"] });
  const client = await service.serve();
  site.isAnswering = false;
  const lost = service.worker();
  const urls = Array.from({ length: 6 }, (_, i) => ({ url: `${site.url}/${i}` }));
  const { job } = await client.createJob({ scraper: "page", inputs: urls });
  // As many as may run at once: no other request starts before these are answered.
  await site.arrivals(4);
  using ledger = new DatabaseSync(join(service.data, "sluice.db"), { readOnly: true });
  const told = ledger.prepare(
    "SELECT sum(value) AS told FROM workers, json_each(unsettled) WHERE key % 3 = 1",
  );
  while (told.get()!["told"] !== site.arrived.length) await delay(20);
  for (const pid of lost.family()) process.kill(pid, "SIGKILL");
  site.isAnswering = true;
  service.worker();
  const ended = await service.until(job.id, ({ state }) => state === "done");
  assert.equal(ended.counts.states.done, urls.length);
  assert.equal(ended.cost.requests, site.arrived.length);
});
