import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { endpoint, NotifyKit } from "../testing/notify-kit.ts";
import { makeDeliveries } from "./make-deliveries.ts";

const never = new AbortController().signal;

test("an event goes to the endpoints that want its type, and to the job's own webhook", async (t) => {
  const service = await NotifyKit.open(t);
  await service.client([
    endpoint("all", "https://all.test"),
    endpoint("ends", "https://ends.test", { events: ["job.completed", "job.cancelled"] }),
  ]);
  await service.job("a", { webhook: "https://own.test", labels: { county: "travis" } });
  await service.ledger.controlJob("a", "cancel");
  await makeDeliveries(service, never);
  const made = await service.deliveries();
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
    timestamp: new Date(service.nowMs).toISOString(),
    data: { job: "a", client: "team", scraper: "county", labels: { county: "travis" } },
  });
  assert.equal(await makeDeliveries(service, never), await service.ledger.events.last());
  assert.equal((await service.deliveries()).length, 5, "nothing is told again");
});

test("a URL that is both the client's and the job's is told once", async (t) => {
  const service = await NotifyKit.open(t);
  await service.client([endpoint("e1", "https://same.test")]);
  await service.job("a", { webhook: "https://same.test" });
  await makeDeliveries(service, never);
  assert.deepEqual(
    (await service.deliveries()).map(({ endpoint: to }) => to),
    ["e1"],
  );
});

test("events of other clients' jobs are not told, and those that nobody wants are passed over", async (t) => {
  const service = await NotifyKit.open(t);
  await service.client([endpoint("e1", "https://team.test")]);
  await service.job("a", { client: "zebra" });
  await makeDeliveries(service, never);
  assert.deepEqual(await service.deliveries(), []);
  assert.deepEqual(await service.ledger.events.read({ consumer: "webhooks", limit: 10 }), []);
});

test("a crash before the cursor moves loses nothing and doubles nothing", async (t) => {
  const service = await NotifyKit.open(t);
  await service.client([endpoint("e1", "https://a.test"), endpoint("e2", "https://b.test")]);
  for (const id of ["a", "b", "c"]) await service.job(id);
  const crash = new Error("crash");
  const events = { ...service.ledger.events, move: () => Promise.reject(crash) };
  const crashing: Ledger = { ...service.ledger, events };
  await assert.rejects(() => makeDeliveries({ ledger: crashing, registry: service.registry }, never), crash);
  const first = await service.deliveries();
  assert.equal(first.length, 6);
  await service.job("d");
  await makeDeliveries(service, never);
  const all = await service.deliveries();
  assert.deepEqual(all.slice(0, 6), first);
  assert.equal(all.length, 8);
});

test("failed items are told in groups, by the ids that the API has for them", async (t) => {
  const service = await NotifyKit.open(t);
  await service.client([endpoint("e1", "https://a.test", { events: ["item.failed"] })]);
  await service.job("a", {}, 3);
  const worker = new SimWorker("w", service.ledger, service.now);
  const items = await worker.take(3);
  await worker.settle(items, failed("blocked"));
  await makeDeliveries(service, never);
  const [made, ...more] = await service.deliveries();
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
  const service = await NotifyKit.open(t);
  await service.client([endpoint("e1", "https://a.test")]);
  await service.job("a");
  for (let i = 0; i < 130; i++) await service.ledger.controlJob("a", i % 2 === 0 ? "pause" : "resume");
  await makeDeliveries(service, never);
  assert.equal((await service.deliveries()).length, 131);
});
