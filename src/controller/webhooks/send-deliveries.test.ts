import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { webhookSender } from "../../channels/webhook/webhook-sender.ts";
import { openTestSite, type SiteRequest } from "../../collectors/http/test-site.ts";
import { delivery } from "../../ports/registry-suite/world.ts";
import { endpoint, SECRET, TellingHouse, until } from "../telling-house.suite.ts";
import { wait } from "../wait.ts";
import { sendDeliveries, type SendTools } from "./send-deliveries.ts";

const never = new AbortController().signal;
const HOUR = 3_600_000;

const toolsOf = (house: TellingHouse, own: Partial<SendTools> = {}): SendTools => ({
  registry: house.registry,
  sender: webhookSender({ now: house.now, timeoutMs: 5000 }),
  now: house.now,
  random: () => 0,
  wait,
  concurrency: 4,
  everyMs: 5,
  report: house.report,
  ...own,
});

const eventsIn = (seen: readonly SiteRequest[]): unknown[] =>
  seen.map(({ body }) => (JSON.parse(body) as { event: unknown }).event);

test("an endpoint that fails is tried for a day, ever more rarely, then parked; replayed, it is tried once more", async (t) => {
  const house = await TellingHouse.open(t);
  let status = 500;
  await using site = await openTestSite((_, response) => response.writeHead(status).end());
  await house.client([endpoint("e1", site.url)]);
  await house.registry.addDeliveries([delivery(1, "e1", { url: site.url })]);
  const start = house.nowMs;
  const triedAt: number[] = [];
  const tools = toolsOf(house, { onEnd: () => triedAt.push(house.nowMs - start) });
  for (;;) {
    await sendDeliveries(tools, never);
    const [one] = await house.deliveries();
    if (one?.state !== "due") break;
    house.nowMs = one.dueAt;
  }
  const seconds = triedAt.map((ms) => ms / 1000);
  assert.deepEqual(seconds, [0, 5, 305, 2105, 9305, 27_305, 63_305, 86_400]);
  const [parked] = await house.deliveries();
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

  house.nowMs += 5 * HOUR;
  await house.registry.replayDelivery("1@e1");
  await sendDeliveries(tools, never);
  assert.equal((await house.deliveries())[0]?.state, "parked", "still failing, parked again at once");
  status = 200;
  await house.registry.replayDelivery("1@e1");
  await sendDeliveries(tools, never);
  assert.equal((await house.deliveries())[0]?.state, "delivered");
  assert.deepEqual(house.problems, []);
});

test("500, then 200: delivered with the second try", async (t) => {
  const house = await TellingHouse.open(t);
  await using site = await openTestSite((_, response) =>
    response.writeHead(site.seen.length === 1 ? 500 : 200).end(),
  );
  await house.client([endpoint("e1", site.url)]);
  await house.registry.addDeliveries([delivery(1, "e1", { url: site.url })]);
  await sendDeliveries(toolsOf(house), never);
  house.nowMs += 4999;
  await sendDeliveries(toolsOf(house), never);
  assert.equal(site.seen.length, 1, "not before its time");
  house.nowMs += 1;
  await sendDeliveries(toolsOf(house), never);
  const [one] = await house.deliveries();
  assert.deepEqual([one?.state, one?.attempts, one?.lastStatus], ["delivered", 2, 200]);
});

test("410 parks at once, and Retry-After is waited for", async (t) => {
  const house = await TellingHouse.open(t);
  await using gone = await openTestSite((_, response) => response.writeHead(410).end());
  await using busy = await openTestSite((_, response) =>
    response.writeHead(429, { "retry-after": "7200" }).end(),
  );
  await house.client([endpoint("gone", gone.url), endpoint("busy", busy.url)]);
  await house.registry.addDeliveries([
    delivery(1, "gone", { url: gone.url }),
    delivery(1, "busy", { url: busy.url }),
  ]);
  await sendDeliveries(toolsOf(house), never);
  const [first, second] = await house.deliveries();
  assert.deepEqual([first?.state, first?.attempts, first?.lastStatus], ["parked", 1, 410]);
  assert.deepEqual([second?.state, second?.dueAt], ["due", house.nowMs + 2 * HOUR]);
});

test("one receiver that hangs does not stop the others, and each gets its events in order", async (t) => {
  const house = await TellingHouse.open(t);
  await using hanging = await openTestSite(() => undefined);
  await using good = await openTestSite((_, response) => response.end());
  await using other = await openTestSite((_, response) => response.end());
  const sites = { hanging, good, other };
  await house.client(Object.entries(sites).map(([id, { url }]) => endpoint(id, url)));
  const events = Array.from({ length: 30 }, (_, i) => i);
  await house.registry.addDeliveries(
    events.flatMap((event) => Object.entries(sites).map(([id, { url }]) => delivery(event, id, { url }))),
  );
  const stop = new AbortController();
  const sending = sendDeliveries(toolsOf(house, { concurrency: 3 }), stop.signal);
  await until(() => good.seen.length === 30 && other.seen.length === 30);
  assert.deepEqual(eventsIn(good.seen), events);
  assert.deepEqual(eventsIn(other.seen), events);
  assert.deepEqual(eventsIn(hanging.seen), [0], "one at a time");
  stop.abort();
  await sending;
  const stopped = (await house.deliveries()).find(({ id }) => id === "0@hanging");
  assert.deepEqual([stopped?.state, stopped?.dueAt], ["due", house.nowMs], "another may send it at once");
});

test("while secrets change, receivers that know either one can verify; what waits is signed with the new ones", async (t) => {
  const house = await TellingHouse.open(t);
  const newer = `whsec_${Buffer.from("a newer secret, thirty-two bytes!").toString("base64")}`;
  await using site = await openTestSite((_, response) => response.writeHead(500).end());
  await house.client([endpoint("e1", site.url)]);
  await house.registry.addDeliveries([delivery(1, "e1", { url: site.url })]);
  await sendDeliveries(toolsOf(house), never);
  await house.client([endpoint("e1", site.url, { secrets: [newer, SECRET] })]);
  house.nowMs += 5000;
  await sendDeliveries(toolsOf(house), never);
  const [before, after] = site.seen;
  const verify = (secret: string, request: SiteRequest | undefined) => () =>
    new Webhook(secret).verify(request?.body ?? "", request?.headers as Record<string, string>);
  assert.doesNotThrow(verify(SECRET, before));
  assert.throws(verify(newer, before));
  assert.doesNotThrow(verify(SECRET, after));
  assert.doesNotThrow(verify(newer, after));
});

test("what has no receiver or no secret any more is parked and says why", async (t) => {
  const house = await TellingHouse.open(t);
  await using site = await openTestSite((_, response) => response.end());
  await house.client([endpoint("bare", site.url, { secrets: [] })]);
  await house.registry.addDeliveries([
    delivery(1, "removed", { url: site.url }),
    delivery(1, "bare", { url: site.url }),
    delivery(1, "job", { url: site.url, client: "nobody" }),
  ]);
  await sendDeliveries(toolsOf(house), never);
  const all = await house.deliveries();
  assert.deepEqual(
    all.map(({ state, lastError }) => [state, typeof lastError]),
    all.map(() => ["parked", "string"]),
  );
  assert.deepEqual(site.seen, []);
});

test("a changed URL of an endpoint holds for what still waits, and a job's own webhook is signed with the client's secret", async (t) => {
  const house = await TellingHouse.open(t);
  await using site = await openTestSite((_, response) => response.end());
  await house.client([endpoint("e1", `${site.url}/new`)]);
  await house.registry.addDeliveries([
    delivery(1, "e1", { url: "http://127.0.0.1:1/old" }),
    delivery(1, "job", { url: `${site.url}/job` }),
  ]);
  await sendDeliveries(toolsOf(house), never);
  assert.deepEqual(site.seen.map(({ url }) => url).sort(), ["/job", "/new"]);
  for (const { body, headers } of site.seen)
    assert.doesNotThrow(() => new Webhook(SECRET).verify(body, headers as Record<string, string>));
});

test("an error of the sender or the registry is reported, and the delivery given again later", async (t) => {
  const house = await TellingHouse.open(t);
  await using site = await openTestSite((_, response) => response.end());
  await house.client([endpoint("e1", site.url)]);
  await house.registry.addDeliveries([delivery(1, "e1", { url: site.url })]);
  const broken = new Error("broken");
  await sendDeliveries(toolsOf(house, { sender: { send: () => Promise.reject(broken) } }), never);
  assert.deepEqual(house.problems, [broken]);
  house.nowMs += 60_000;
  await sendDeliveries(toolsOf(house), never);
  assert.equal((await house.deliveries())[0]?.state, "delivered");
});
