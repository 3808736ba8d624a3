import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { webhookSender } from "../../channels/webhook/webhook-sender.ts";
import { openTestSite, type SiteRequest } from "../../collectors/http/testing/test-site.ts";
import { delivery } from "../../ports/registry-suite/test-kit.ts";
import { endpoint, SECRET, NotifyKit, until } from "../testing/notify-kit.ts";
import { wait } from "../run-task.ts";
import { sendDeliveries, type SendTools } from "./send-deliveries.ts";

const never = new AbortController().signal;
const HOUR = 3_600_000;

const toolsOf = (service: NotifyKit, own: Partial<SendTools> = {}): SendTools => ({
  registry: service.registry,
  sender: webhookSender({ now: service.now, timeoutMs: 5000 }),
  now: service.now,
  random: () => 0,
  wait,
  concurrency: 4,
  everyMs: 5,
  report: service.report,
  ...own,
});

const eventsIn = (seen: readonly SiteRequest[]): unknown[] =>
  seen.map(({ body }) => (JSON.parse(body) as { event: unknown }).event);

test("a failing delivery is retried for a day with growing delays, then parked; replay tries it once more", async (t) => {
  const service = await NotifyKit.open(t);
  let status = 500;
  await using site = await openTestSite((_, response) => response.writeHead(status).end());
  await service.client([endpoint("e1", site.url)]);
  await service.registry.addDeliveries([delivery(1, "e1", { url: site.url })]);
  const start = service.nowMs;
  const triedAt: number[] = [];
  const tools = toolsOf(service, { onEnd: () => triedAt.push(service.nowMs - start) });
  for (;;) {
    await sendDeliveries(tools, never);
    const [one] = await service.deliveries();
    if (one?.state !== "due") break;
    service.nowMs = one.dueAt;
  }
  const seconds = triedAt.map((ms) => ms / 1000);
  assert.deepEqual(seconds, [0, 5, 305, 2105, 9305, 27_305, 63_305, 86_400]);
  const [parked] = await service.deliveries();
  assert.deepEqual([parked?.state, parked?.attempts, parked?.lastStatus], ["parked", 8, 500]);
  for (const { headers, body } of site.seen) {
    assert.equal(headers["webhook-id"], "1@e1", "the same in every try");
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    assert.equal(headers["webhook-signature"], new Webhook(SECRET).sign("1@e1", at, body));
  }
  assert.equal(
    new Set(site.seen.map(({ headers }) => headers["webhook-timestamp"])).size,
    8,
    "the try's own time",
  );

  service.nowMs += 5 * HOUR;
  await service.registry.replayDelivery("1@e1");
  await sendDeliveries(tools, never);
  assert.equal((await service.deliveries())[0]?.state, "parked", "still failing, parked again at once");
  status = 200;
  await service.registry.replayDelivery("1@e1");
  await sendDeliveries(tools, never);
  assert.equal((await service.deliveries())[0]?.state, "delivered");
  assert.deepEqual(service.problems, []);
});

test("500, then 200: delivered with the second attempt", async (t) => {
  const service = await NotifyKit.open(t);
  await using site = await openTestSite((_, response) =>
    response.writeHead(site.seen.length === 1 ? 500 : 200).end(),
  );
  await service.client([endpoint("e1", site.url)]);
  await service.registry.addDeliveries([delivery(1, "e1", { url: site.url })]);
  await sendDeliveries(toolsOf(service), never);
  service.nowMs += 4999;
  await sendDeliveries(toolsOf(service), never);
  assert.equal(site.seen.length, 1, "not before its time");
  service.nowMs += 1;
  await sendDeliveries(toolsOf(service), never);
  const [one] = await service.deliveries();
  assert.deepEqual([one?.state, one?.attempts, one?.lastStatus], ["delivered", 2, 200]);
});

test("410 parks at once, and Retry-After is respected", async (t) => {
  const service = await NotifyKit.open(t);
  await using gone = await openTestSite((_, response) => response.writeHead(410).end());
  await using busy = await openTestSite((_, response) =>
    response.writeHead(429, { "retry-after": "7200" }).end(),
  );
  await service.client([endpoint("gone", gone.url), endpoint("busy", busy.url)]);
  await service.registry.addDeliveries([
    delivery(1, "gone", { url: gone.url }),
    delivery(1, "busy", { url: busy.url }),
  ]);
  await sendDeliveries(toolsOf(service), never);
  const [first, second] = await service.deliveries();
  assert.deepEqual([first?.state, first?.attempts, first?.lastStatus], ["parked", 1, 410]);
  assert.deepEqual([second?.state, second?.dueAt], ["due", service.nowMs + 2 * HOUR]);
});

test("a receiver that hangs does not delay others, and each gets its events in order", async (t) => {
  const service = await NotifyKit.open(t);
  await using hanging = await openTestSite(() => undefined);
  await using good = await openTestSite((_, response) => response.end());
  await using other = await openTestSite((_, response) => response.end());
  const sites = { hanging, good, other };
  await service.client(Object.entries(sites).map(([id, { url }]) => endpoint(id, url)));
  const events = Array.from({ length: 30 }, (_, i) => i);
  await service.registry.addDeliveries(
    events.flatMap((event) => Object.entries(sites).map(([id, { url }]) => delivery(event, id, { url }))),
  );
  const stop = new AbortController();
  const sending = sendDeliveries(toolsOf(service, { concurrency: 3 }), stop.signal);
  await until(() => good.seen.length === 30 && other.seen.length === 30);
  assert.deepEqual(eventsIn(good.seen), events);
  assert.deepEqual(eventsIn(other.seen), events);
  assert.deepEqual(eventsIn(hanging.seen), [0], "one at a time");
  stop.abort();
  await sending;
  const stopped = (await service.deliveries()).find(({ id }) => id === "0@hanging");
  assert.deepEqual([stopped?.state, stopped?.dueAt], ["due", service.nowMs], "another may send it at once");
});

test("during a rotation, receivers can verify with either secret; waiting deliveries are signed with the new ones", async (t) => {
  const service = await NotifyKit.open(t);
  const newer = `whsec_${Buffer.from("a newer secret, thirty-two bytes!").toString("base64")}`;
  await using site = await openTestSite((_, response) => response.writeHead(500).end());
  await service.client([endpoint("e1", site.url)]);
  await service.registry.addDeliveries([delivery(1, "e1", { url: site.url })]);
  await sendDeliveries(toolsOf(service), never);
  await service.client([endpoint("e1", site.url, { secrets: [newer, SECRET] })]);
  service.nowMs += 5000;
  await sendDeliveries(toolsOf(service), never);
  const [before, after] = site.seen;
  const verify = (secret: string, request: SiteRequest | undefined) => () =>
    new Webhook(secret).verify(request?.body ?? "", request?.headers as Record<string, string>);
  assert.doesNotThrow(verify(SECRET, before));
  assert.throws(verify(newer, before));
  assert.doesNotThrow(verify(SECRET, after));
  assert.doesNotThrow(verify(newer, after));
});

test("a delivery without a receiver or a secret is parked with the reason", async (t) => {
  const service = await NotifyKit.open(t);
  await using site = await openTestSite((_, response) => response.end());
  await service.client([endpoint("bare", site.url, { secrets: [] })]);
  await service.registry.addDeliveries([
    delivery(1, "removed", { url: site.url }),
    delivery(1, "bare", { url: site.url }),
    delivery(1, "job", { url: site.url, client: "nobody" }),
  ]);
  await sendDeliveries(toolsOf(service), never);
  const all = await service.deliveries();
  assert.deepEqual(
    all.map(({ state, lastError }) => [state, typeof lastError]),
    all.map(() => ["parked", "string"]),
  );
  assert.deepEqual(site.seen, []);
});

test("a changed URL applies to waiting deliveries, and a job's own webhook is signed with the client's secret", async (t) => {
  const service = await NotifyKit.open(t);
  await using site = await openTestSite((_, response) => response.end());
  await service.client([endpoint("e1", `${site.url}/new`)]);
  await service.registry.addDeliveries([
    delivery(1, "e1", { url: "http://127.0.0.1:1/old" }),
    delivery(1, "job", { url: `${site.url}/job` }),
  ]);
  await sendDeliveries(toolsOf(service), never);
  assert.deepEqual(site.seen.map(({ url }) => url).sort(), ["/job", "/new"]);
  for (const { body, headers } of site.seen)
    assert.doesNotThrow(() => new Webhook(SECRET).verify(body, headers as Record<string, string>));
});

test("an error of the sender or the registry is reported, and the delivery is retried later", async (t) => {
  const service = await NotifyKit.open(t);
  await using site = await openTestSite((_, response) => response.end());
  await service.client([endpoint("e1", site.url)]);
  await service.registry.addDeliveries([delivery(1, "e1", { url: site.url })]);
  const broken = new Error("broken");
  await sendDeliveries(toolsOf(service, { sender: { send: () => Promise.reject(broken) } }), never);
  assert.deepEqual(service.problems, [broken]);
  service.nowMs += 60_000;
  await sendDeliveries(toolsOf(service), never);
  assert.equal((await service.deliveries())[0]?.state, "delivered");
});
