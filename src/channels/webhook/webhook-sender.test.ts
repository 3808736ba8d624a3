import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { guardedDispatcher } from "../../collectors/http/transport.ts";
import { openTestSite } from "../../collectors/http/testing/test-site.ts";
import { webhookSender } from "./webhook-sender.ts";

const SECRET = `whsec_${Buffer.from("thirty-two bytes of pure secrecy").toString("base64")}`;
const BODY = JSON.stringify({
  type: "job.completed",
  timestamp: "2026-01-01T00:00:00.000Z",
  data: { job: "ä" },
});
const never = new AbortController().signal;
const postTo = (url: string) => ({ id: "msg_1", url, body: BODY, secrets: [SECRET] });

/** Asks a real receiver that answers like this. */
const answerOf = async (respond: (response: ServerResponse) => void) => {
  await using site = await openTestSite((_, response) => respond(response));
  return await webhookSender({ timeoutMs: 5000 }).send(postTo(site.url), never);
};

test("what arrives can be verified by the receiver, and is exactly what was signed", async () => {
  await using site = await openTestSite((_, response) => response.writeHead(204).end());
  const answer = await webhookSender().send(postTo(`${site.url}/hook?a=1`), never);
  assert.deepEqual(answer, { result: "delivered", status: 204 });
  const [request] = site.seen;
  assert.deepEqual([request?.method, request?.url], ["POST", "/hook?a=1"]);
  assert.equal(request?.headers["content-type"], "application/json");
  const body = Buffer.from(request.body, "latin1").toString();
  assert.deepEqual(
    new Webhook(SECRET).verify(body, request.headers as Record<string, string>),
    JSON.parse(BODY),
  );
  assert.equal(request.headers["webhook-id"], "msg_1");
});

test("410 is final, other refusals are retried", async () => {
  assert.deepEqual(
    await answerOf((response) => response.writeHead(410).end()).then(({ result }) => result),
    "hopeless",
  );
  for (const status of [400, 401, 404, 500, 502]) {
    const answer = await answerOf((response) => response.writeHead(status).end());
    assert.deepEqual(answer, { result: "failed", status, error: `it answered ${status}` });
  }
});

test("Retry-After is respected with 429 and 503, and with no other status", async () => {
  const waits = async (status: number, value: string) => {
    const answer = await answerOf((response) => response.writeHead(status, { "retry-after": value }).end());
    return answer.result === "failed" ? answer.retryAfterMs : "not failed";
  };
  assert.equal(await waits(429, "120"), 120_000);
  assert.equal(await waits(503, "7"), 7000);
  assert.equal(await waits(503, "soon"), undefined);
  assert.equal(await waits(500, "120"), undefined);
});

test("redirects are not followed", async () => {
  await using elsewhere = await openTestSite((_, response) => response.end());
  const answer = await answerOf((response) => response.writeHead(307, { location: elsewhere.url }).end());
  assert.deepEqual([answer.result, "status" in answer && answer.status], ["failed", 307]);
  assert.deepEqual(elsewhere.seen, []);
});

test("a receiver that hangs times out; a broken or missing connection is retried", async () => {
  await using hanging = await openTestSite(() => undefined);
  const late = await webhookSender({ timeoutMs: 50 }).send(postTo(hanging.url), never);
  assert.deepEqual(late, { result: "failed", error: "no answer within 0.05 s" });
  assert.equal((await answerOf((response) => response.destroy())).result, "failed");
  const away = await (async () => {
    await using closed = await openTestSite(() => undefined);
    return closed.url;
  })();
  assert.equal((await webhookSender().send(postTo(away), never)).result, "failed");
});

test("an answer whose body never ends is an answer", async () => {
  const answer = await answerOf((response) => response.writeHead(200).write("and then"));
  assert.deepEqual(answer, { result: "delivered", status: 200 });
});

test("a stop ends the request", async () => {
  const stop = new AbortController();
  await using site = await openTestSite(() => stop.abort());
  const answer = await webhookSender().send(postTo(site.url), stop.signal);
  assert.equal(answer.result, "failed");
});

test("a target that the guard refuses gets nothing, and is not retried", async (t) => {
  await using site = await openTestSite((_, response) => response.end());
  const dispatcher = guardedDispatcher();
  t.after(() => dispatcher.close());
  const sender = webhookSender({ dispatcher });
  for (const url of [site.url, site.url.replace("127.0.0.1", "localhost"), "ftp://files.test", "nonsense"])
    assert.equal((await sender.send(postTo(url), never)).result, "hopeless", url);
  assert.deepEqual(site.seen, []);
});

test("no error shows the secret or the URL", async () => {
  const secrets = [`${SECRET}!`];
  const answers = [
    await webhookSender().send({ ...postTo("http://u:hunter2@127.0.0.1:1/token"), secrets }, never),
    await webhookSender().send(postTo("http://u:hunter2@127.0.0.1:1/token"), never),
    await webhookSender().send(postTo("http:// hunter2/token"), never),
  ];
  for (const answer of answers) {
    assert.notEqual(answer.result, "delivered");
    assert.doesNotMatch(JSON.stringify(answer), /hunter2|token|whsec_[A-Za-z0-9]/);
  }
});
