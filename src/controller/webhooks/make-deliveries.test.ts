import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { endpoint, TellingHouse } from "../telling-house.suite.ts";
import { makeDeliveries } from "./make-deliveries.ts";

const never = new AbortController().signal;

test("an event goes to the endpoints that want its type, and to the job's own webhook", async (t) => {
  const house = await TellingHouse.open(t);
  await house.client([
    endpoint("all", "https://all.test"),
    endpoint("ends", "https://ends.test", { events: ["job.completed", "job.cancelled"] }),
  ]);
  await house.job("a", { webhook: "https://own.test", labels: { county: "travis" } });
  await house.ledger.steerJob("a", "cancel");
  await makeDeliveries(house, never);
  const made = await house.deliveries();
  assert.deepEqual(
    made.map(({ type, endpoint: to, url }) => [type, to, url]),
    [
      ["job.started", "all", "https://all.test"],
      ["job.started", "job", "https://own.test"],
      ["job.cancelled", "all", "https://all.test"],
      ["job.cancelled", "ends", "https://ends.test"],
      ["job.cancelled", "job", "https://own.test"],
    ],
  );
  assert.equal(new Set(made.map(({ id }) => id)).size, 5);
  assert.deepEqual(JSON.parse(made[0]?.body ?? ""), {
    type: "job.started",
    timestamp: new Date(house.nowMs).toISOString(),
    data: { job: "a", client: "team", scraper: "county", labels: { county: "travis" } },
  });
  assert.equal(await makeDeliveries(house, never), await house.ledger.events.last());
  assert.equal((await house.deliveries()).length, 5, "nothing is told again");
});

test("a URL that is both the client's and the job's is told once", async (t) => {
  const house = await TellingHouse.open(t);
  await house.client([endpoint("e1", "https://same.test")]);
  await house.job("a", { webhook: "https://same.test" });
  await makeDeliveries(house, never);
  assert.deepEqual(
    (await house.deliveries()).map(({ endpoint: to }) => to),
    ["e1"],
  );
});

test("events of other clients' jobs are not told, and those that nobody wants are passed over", async (t) => {
  const house = await TellingHouse.open(t);
  await house.client([endpoint("e1", "https://team.test")]);
  await house.job("a", { client: "zebra" });
  await makeDeliveries(house, never);
  assert.deepEqual(await house.deliveries(), []);
  assert.deepEqual(await house.ledger.events.read({ consumer: "webhooks", limit: 10 }), []);
});

test("a crash before the cursor moves loses nothing and doubles nothing", async (t) => {
  const house = await TellingHouse.open(t);
  await house.client([endpoint("e1", "https://a.test"), endpoint("e2", "https://b.test")]);
  for (const id of ["a", "b", "c"]) await house.job(id);
  const crash = new Error("crash");
  const events = { ...house.ledger.events, move: () => Promise.reject(crash) };
  const crashing: Ledger = { ...house.ledger, events };
  await assert.rejects(() => makeDeliveries({ ledger: crashing, registry: house.registry }, never), crash);
  const first = await house.deliveries();
  assert.equal(first.length, 6);
  await house.job("d");
  await makeDeliveries(house, never);
  const all = await house.deliveries();
  assert.deepEqual(all.slice(0, 6), first);
  assert.equal(all.length, 8);
});

test("failed items are told in groups, by the ids that the API has for them", async (t) => {
  const house = await TellingHouse.open(t);
  await house.client([endpoint("e1", "https://a.test", { events: ["item.failed"] })]);
  await house.job("a", {}, 3);
  const worker = new SimWorker("w", house.ledger, house.now);
  const items = await worker.take(3);
  await worker.settle(items, failed("blocked"));
  await makeDeliveries(house, never);
  const [made, ...more] = await house.deliveries();
  assert.deepEqual(more, []);
  const { data } = JSON.parse(made?.body ?? "") as { data: Record<string, unknown> };
  assert.deepEqual([data["job"], data["count"], data["kinds"]], ["a", 3, { blocked: 3 }]);
  assert.deepEqual(
    data["items"],
    items.map(({ queue, seq, key }) => ({
      id: `${queue}-${seq}`,
      key,
      kind: "blocked",
      detail: "a blocked",
    })),
  );
});

test("a log of many pages is read to its end", async (t) => {
  const house = await TellingHouse.open(t);
  await house.client([endpoint("e1", "https://a.test")]);
  await house.job("a");
  for (let i = 0; i < 130; i++) await house.ledger.steerJob("a", i % 2 === 0 ? "pause" : "resume");
  await makeDeliveries(house, never);
  assert.equal((await house.deliveries()).length, 131);
});
