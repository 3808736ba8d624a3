import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Client, Item, Job, Lane, Me } from "../../client.ts";
import { DONE, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { openApiKit } from "../testing/api-kit.ts";

const LADDER = ["direct", "datacenter", "residential:us-tx"];
const SCRAPER = `import { defineScraper } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "walled",
  site: "https://walled.example",
  proxies: ${JSON.stringify(LADDER)},
  input: z.object({ id: z.string() }),
  key: ({ id }) => id,
  pace: { perSecond: 1000, burst: 100, concurrency: 100 },
  collect: async ({ http, input, keep }) => keep.page("page", await http.get("/" + input.id)),
});
`;

const openWalled = async () => {
  const kit = await openApiKit();
  await writeFile(join(kit.data, "project", "scrapers", "walled.scraper.ts"), SCRAPER);
  return kit;
};

test("a job, its items, lane and client say what went through proxies, and what it cost", async () => {
  await using kit = await openWalled();
  const inputs = [{ id: "1" }, { id: "2" }];
  const budget = { cost: 2.5, onSpent: "pause" };
  const { status, body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    json: { scraper: "walled", inputs, budget, proxies: ["residential:us-tx", "direct"] },
  });
  assert.equal(status, 201, JSON.stringify(body));
  const { id, options, scrapers } = body.job;
  assert.deepEqual([options.budget, options.proxies], [budget, ["residential:us-tx", "direct"]]);
  const ladder = ["direct", "residential:us-tx"];
  assert.deepEqual(scrapers[0]?.proxies, ladder);
  const worker = new SimWorker("w1", kit.ledger, Date.now);
  const [first] = await worker.take();
  const proxied = [{ tier: "residential:us-tx", requests: 2, bytes: 5000, microCost: 1_500_000 }];
  await worker.settle([first!], DONE, { attempt: { startedAt: 1, ms: 2, requests: 3, bytes: 900, proxied } });
  const { lane } = first!;
  await worker.pulse({
    tiers: ["a", "b"].map((item) => ({ lane, ladder, sign: { at: 0, item, result: "blocked" as const } })),
  });
  const { body: job } = await kit.ask<Job>("GET", `/v1/jobs/${id}`);
  const costs = { "residential:us-tx": { requests: 2, bytes: 5000, cost: 1.5 } };
  assert.deepEqual([job.costs, job.totalCost, job.cost], [costs, 1.5, { requests: 3, bytes: 900 }]);
  assert.deepEqual(
    job.proxies?.map((one) => [one.lane, one.ladder, one.tier, one.outages]),
    [[lane, ladder, "residential:us-tx", []]],
  );
  const { body: items } = await kit.ask<{ data: Item[] }>("GET", `/v1/jobs/${id}/items?state=done`);
  const [{ microCost: _cost, ...carried } = { microCost: 0 }] = proxied;
  assert.deepEqual(items.data[0]?.lastAttempt?.proxied, [{ ...carried, cost: 1.5 }]);
  const { body: found } = await kit.ask<Lane>("GET", `/v1/lanes/${lane}`);
  assert.deepEqual([found.spent, found.proxies?.[0]?.tier], [costs, "residential:us-tx"]);
  assert.match(found.proxies?.[0]?.why ?? "", /direct/);
  const { body: me } = await kit.ask<Me>("GET", "/v1/me");
  assert.deepEqual(me.spentToday, { requests: 3, bytes: 900, cost: 1.5 });
});

test("a job that asks for a tier that its scraper does not list is refused with those that it does", async () => {
  await using kit = await openWalled();
  const ask = async (proxies: readonly string[]) =>
    await kit.ask<{ detail: string }>("POST", "/v1/jobs", { json: { scraper: "walled", proxies } });
  const refused = await ask(["direct", "mobile"]);
  assert.equal(refused.status, 400);
  assert.match(refused.body.detail, /mobile.*Scraper walled lists direct, datacenter, residential:us-tx/);
  assert.equal((await ask([])).status, 400);
});

test("a client has limits for a day, and shows what it has spent of them", async () => {
  await using kit = await openWalled();
  await kit.ask("POST", "/v1/clients", { json: { name: "tax", costPerDay: 1.5, requestsPerDay: 100 } });
  const { body } = await kit.ask<Client>("PATCH", "/v1/clients/tax", {
    json: { bytesPerDay: 5, costPerDay: null },
  });
  assert.deepEqual([body.requestsPerDay, body.bytesPerDay, body.costPerDay], [100, 5, null]);
  assert.deepEqual((await kit.ledger.readSpending("tax")).perDay, { requestsPerDay: 100, bytesPerDay: 5 });
  const { body: tax } = await kit.ask<Client>("GET", "/v1/clients/tax");
  assert.deepEqual(tax.today, { requests: 0, bytes: 0, cost: 0 });
});

test("a job whose budget is spent is resumed with a higher one", async () => {
  await using kit = await openWalled();
  const inputs = [{ id: "1" }, { id: "2" }];
  const budget = { requests: 1, onSpent: "pause" };
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    json: { scraper: "walled", inputs, budget },
  });
  const { id } = body.job;
  const worker = new SimWorker("w1", kit.ledger, Date.now);
  await worker.settle(await worker.take(1));
  assert.equal((await kit.ask<Job>("GET", `/v1/jobs/${id}`)).body.paused?.cause, "budget");
  const resume = async (requests: number) =>
    await kit.ask<Job>("POST", `/v1/jobs/${id}/resume`, { json: { budget: { requests } } });
  assert.equal((await resume(1)).status, 200);
  const resumed = await resume(5);
  assert.deepEqual([resumed.status, resumed.body.options.budget?.requests], [200, 5]);
  assert.equal((await resume(2)).status, 422);
});
