import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiKit } from "../testing/api-kit.ts";
import type { ProblemBody } from "../answers.ts";

interface Webhook {
  readonly id: string;
  readonly secret?: string;
  readonly secrets: number;
}

test("secrets of webhooks are shown once, and rotate with an overlap of one", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a");
  const { status, body } = await kit.ask<Webhook>("POST", "/v1/webhooks", {
    key,
    json: { url: "https://hooks.example/x", events: ["job.completed"] },
  });
  assert.equal(status, 201);
  assert.match(body.secret!, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const rotate = () => kit.ask<Webhook>("POST", `/v1/webhooks/${body.id}/rotate`, { key });
  assert.equal((await rotate()).body.secrets, 2);
  const last = (await rotate()).body;
  const [endpoint] = (await kit.registry.readClient("a"))!.webhooks;
  assert.deepEqual([last.secrets, endpoint!.secrets[0]], [2, last.secret]);
  const job = await kit.ask<Webhook>("POST", "/v1/webhooks/job/rotate", { key });
  assert.deepEqual((await kit.registry.readClient("a"))!.secrets, [job.body.secret]);
  const { body: listed } = await kit.ask<{ data: Webhook[] }>("GET", "/v1/webhooks", { key });
  assert.deepEqual(
    listed.data.map(({ id, secret }) => [id, secret]),
    [[body.id, undefined]],
  );
  assert.equal((await kit.ask("DELETE", `/v1/webhooks/${body.id}`, { key })).status, 200);
  assert.deepEqual((await kit.registry.readClient("a"))!.webhooks, []);
});

test("webhooks go only to allowed addresses, and have no credentials in their URL", async () => {
  const whyNotCall = async ({ hostname }: URL) => (hostname === "10.0.0.1" ? "a private address" : undefined);
  await using kit = await openApiKit({ whyNotCall });
  for (const url of ["http://10.0.0.1/", "https://user:pass@hooks.example/"]) {
    const endpoint = await kit.ask<ProblemBody>("POST", "/v1/webhooks", { json: { url } });
    assert.deepEqual([endpoint.status, endpoint.body.code], [422, "forbidden-target"]);
    const job = await kit.ask<ProblemBody>("POST", "/v1/jobs", {
      json: { scraper: "page", webhook: url },
    });
    assert.deepEqual([job.status, job.body.code], [422, "forbidden-target"]);
  }
  assert.equal(
    (await kit.ask("POST", "/v1/webhooks", { json: { url: "ftp://hooks.example/" } })).status,
    400,
  );
});

test("deliveries can be listed and replayed by their client or an operator", async () => {
  await using kit = await openApiKit();
  const [a, b, operator] = [
    await kit.addClient("a"),
    await kit.addClient("b"),
    await kit.addClient("c", "operator"),
  ];
  const delivery = (id: string, client: string, event: number) => ({
    id,
    client,
    event,
    job: `job-${client}`,
    endpoint: "wh_1",
    url: "https://hooks.example/",
    type: "job.completed",
    body: "{}",
  });
  await kit.registry.addDeliveries([
    delivery("msg_1", "a", 1),
    delivery("msg_2", "b", 2),
    delivery("msg_3", "a", 3),
  ]);
  await kit.registry.takeDeliveries(10, 1000);
  await kit.registry.endDelivery("msg_1", { state: "parked", error: "no answer" });
  const list = async (key: string, query = "") =>
    (await kit.ask<{ data: { id: string }[] }>("GET", `/v1/deliveries${query}`, { key })).body.data.map(
      ({ id }) => id,
    );
  assert.deepEqual(await list(a), ["msg_3", "msg_1"]);
  assert.deepEqual(await list(a, "?client=b"), ["msg_3", "msg_1"]);
  assert.deepEqual(await list(operator), ["msg_3", "msg_2", "msg_1"]);
  assert.deepEqual(await list(operator, "?job=job-b"), ["msg_2"]);
  assert.deepEqual(await list(a, "?state=parked"), ["msg_1"]);
  const replay = (key: string) => kit.ask<{ state: string }>("POST", "/v1/deliveries/msg_1/replay", { key });
  assert.equal((await replay(b)).status, 404);
  const again = await replay(a);
  assert.deepEqual([again.status, again.body.state], [202, "due"]);
});

test("a test event is due for the webhook that was asked, and for no other client", async () => {
  await using kit = await openApiKit();
  const [a, b] = [await kit.addClient("a"), await kit.addClient("b")];
  const { body: hook } = await kit.ask<Webhook>("POST", "/v1/webhooks", {
    key: a,
    json: { url: "https://hooks.example/x", events: ["job.completed"] },
  });
  const ping = (key: string) => kit.ask<{ id: string }>("POST", `/v1/webhooks/${hook.id}/test`, { key });
  const { status, body } = await ping(a);
  assert.equal(status, 202);
  const [sent] = await kit.registry.takeDeliveries(10, 1000);
  assert.deepEqual([sent?.id, sent?.type, sent?.endpoint], [body.id, "webhook.test", hook.id]);
  assert.equal((await ping(b)).status, 404);
});
