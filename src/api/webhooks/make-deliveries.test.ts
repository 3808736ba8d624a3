import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec } from "../../ports/ledger-suite/test-kit.ts";
import type { Ledger, LedgerEvent } from "../../ports/ledger.ts";
import { clientInfo } from "../../ports/registry-suite/test-kit.ts";
import { endpoint, NotifyKit } from "../testing/notify-kit.ts";
import { deliveriesOf, makeDeliveries } from "./make-deliveries.ts";

const never = new AbortController().signal;

test("an event goes to the webhooks that want its type, and to the job's own", async (t) => {
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

test("a URL of both the client and the job gets one delivery", async (t) => {
  const service = await NotifyKit.open(t);
  await service.client([endpoint("e1", "https://same.test")]);
  await service.job("a", { webhook: "https://same.test" });
  await makeDeliveries(service, never);
  assert.deepEqual(
    (await service.deliveries()).map(({ endpoint: to }) => to),
    ["e1"],
  );
});

test("events of other clients' jobs are not sent, and events without receivers are skipped", async (t) => {
  const service = await NotifyKit.open(t);
  await service.client([endpoint("e1", "https://team.test")]);
  await service.job("a", { client: "zebra" });
  await makeDeliveries(service, never);
  assert.deepEqual(await service.deliveries(), []);
  assert.deepEqual(await service.ledger.events.read({ consumer: "webhooks", limit: 10 }), []);
});

test("a crash before the cursor moves loses nothing and duplicates nothing", async (t) => {
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

test("failed items are sent in groups, with their API ids", async (t) => {
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

const EVENT: LedgerEvent = { id: 7, at: 1000, type: "job.started", job: "a", facts: {} };
const CLIENT = clientInfo("team", {
  webhooks: [endpoint("e1", "https://a.test"), endpoint("e2", "https://b.test")],
});

const idsOf = (event: LedgerEvent): string[] => deliveriesOf(event, jobSpec("a"), CLIENT).map(({ id }) => id);

test("a message keeps its id when it is made again, and shares it with no other", () => {
  assert.deepEqual(idsOf(EVENT), idsOf(EVENT));
  const all = [...idsOf(EVENT), ...idsOf({ ...EVENT, id: 8 }), ...idsOf({ ...EVENT, at: 1001 })];
  assert.equal(new Set(all).size, 6);
  for (const id of all) assert.match(id, /^msg_[\w-]{27}$/);
});

test("the facts of an event cannot change its job or client", () => {
  const facts = { job: "other", client: "other", reason: "asked for" };
  const [made] = deliveriesOf({ ...EVENT, facts }, jobSpec("a"), CLIENT);
  const { data } = JSON.parse(made?.body ?? "") as { data: Record<string, unknown> };
  assert.deepEqual([data["job"], data["client"], data["reason"]], ["a", "team", "asked for"]);
});

test("evidence is sent as the API shows it: items by id, captures without their place in the archive", () => {
  const capture = {
    name: "page",
    url: "https://a.test/1",
    mediaType: "text/html",
    digest: "sha256:00",
    blob: "jobs/of-another-client/captures/1.warc.gz",
    offset: 7,
    length: 9,
  };
  const evidence = {
    chart: "failures",
    reason: "20 of the last 20 attempts failed",
    counts: { blocked: 20 },
    sinceMs: 0,
    heals: true,
    examples: [{ queue: 3, seq: 4, key: "k", kind: "blocked", detail: "403", captures: [capture] }],
  };
  const held = [{ lane: "a.test", evidence }];
  for (const [type, facts] of [
    ["lane.held", { lane: "a.test", evidence }],
    ["job.paused", { reason: "all of its lanes are held", held }],
  ] as const) {
    const [made] = deliveriesOf({ ...EVENT, type, facts }, jobSpec("a"), CLIENT);
    const { data } = JSON.parse(made!.body) as { data: typeof facts & { held?: typeof held } };
    assert.ok(!made!.body.includes("of-another-client"));
    assert.deepEqual("evidence" in data ? data.evidence : data.held[0]?.evidence, {
      chart: "failures",
      reason: "20 of the last 20 attempts failed",
      counts: { blocked: 20 },
      since: "1970-01-01T00:00:00.000Z",
      heals: true,
      examples: [
        {
          item: "3-4",
          key: "k",
          kind: "blocked",
          detail: "403",
          captures: [
            {
              number: 0,
              name: "page",
              url: "https://a.test/1",
              mediaType: "text/html",
              digest: "sha256:00",
              storedBytes: 9,
              isFile: false,
            },
          ],
        },
      ],
    });
  }
});
