import assert from "node:assert/strict";
import http from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { openApiKit } from "./testing/api-kit.ts";
import type { ProblemBody } from "./answers.ts";
import { caller } from "./yielding.ts";

const PROBLEMS: readonly (readonly [
  what: string,
  code: string,
  status: number,
  ask: readonly [string, string, object?],
])[] = [
  ["a path that is not there", "not-found", 404, ["GET", "/v1/nothing"]],
  ["a method that a path has not", "method-not-allowed", 405, ["PUT", "/v1/jobs"]],
  ["a path that is no URL", "invalid-request", 400, ["GET", "/v1/jobs/%zz"]],
  ["a job that is not there", "not-found", 404, ["GET", "/v1/jobs/none"]],
  ["a limit out of range", "invalid-request", 400, ["GET", "/v1/jobs?limit=0"]],
  ["a parameter that is not there", "invalid-request", 400, ["GET", "/v1/jobs?status=done"]],
  ["a cursor of another making", "bad-cursor", 400, ["GET", "/v1/jobs?cursor=e30"]],
  [
    "a body that is no JSON",
    "invalid-request",
    400,
    ["POST", "/v1/jobs", { body: "{", headers: { "content-type": "application/json" } }],
  ],
  [
    "a body of another type",
    "unsupported-media-type",
    415,
    ["POST", "/v1/jobs", { body: "a=b", headers: { "content-type": "text/plain" } }],
  ],
  [
    "an option that is not there",
    "invalid-request",
    400,
    ["POST", "/v1/jobs", { json: { scraper: "page", prioritty: 1 } }],
  ],
  [
    "a scraper that is not there",
    "unknown-scraper",
    422,
    ["POST", "/v1/jobs", { json: { scraper: "none" } }],
  ],
  [
    "a scraper named by its path",
    "unknown-scraper",
    422,
    ["POST", "/v1/jobs", { json: { scraper: "./scrapers/county.scraper.ts" } }],
  ],
  [
    "a body that is too large",
    "too-large",
    413,
    ["POST", "/v1/clients", { json: { name: "x".repeat(2_000_000) } }],
  ],
];

for (const [what, code, status, [method, path, asked]] of PROBLEMS)
  test(`${what} is answered with the problem ${code}`, async () => {
    await using kit = await openApiKit();
    const { status: found, headers, body } = await kit.ask<ProblemBody>(method, path, asked);
    assert.deepEqual([found, body.status, body.code, body.type], [status, status, code, `/problems/${code}`]);
    assert.match(headers.get("content-type")!, /^application\/problem\+json/);
    assert.equal(body.instance, headers.get("x-request-id"));
    const meaning = await kit.ask<{ status: number }>("GET", body.type);
    assert.deepEqual([meaning.status, meaning.body.status], [200, status]);
  });

test("a wrong method is answered with the allowed ones", async () => {
  await using kit = await openApiKit();
  const { headers } = await kit.ask("PUT", "/v1/jobs/some");
  assert.deepEqual(headers.get("allow")?.split(", ").sort(), ["DELETE", "GET", "HEAD"]);
});

test("a schema error names every invalid part", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<ProblemBody>("POST", "/v1/jobs", {
    json: { scraper: "page", priority: 1000, maxAttempts: 0 },
  });
  assert.deepEqual(body.errors?.map(({ path }) => path).sort(), ["body/maxAttempts", "body/priority"]);
});

test("a request keeps its own id if it is safe to log, and the log has it", async () => {
  await using kit = await openApiKit();
  const own = await kit.ask("GET", "/healthz", { headers: { "x-request-id": "mine-1" } });
  assert.equal(own.headers.get("x-request-id"), "mine-1");
  const odd = await kit.ask("GET", "/healthz", { headers: { "x-request-id": "a b<c>" } });
  assert.match(odd.headers.get("x-request-id")!, /^[\w-]{36}$/);
  assert.ok(kit.logged.some(({ event, facts }) => event === "request" && facts.request === "mine-1"));
});

test("an internal error reveals nothing to the caller, and the log has the details", async () => {
  await using kit = await openApiKit({
    metrics: () => Promise.reject(new Error("secret reason")),
  });
  const { status, headers, body } = await kit.ask<ProblemBody>("GET", "/metrics");
  assert.deepEqual([status, body.code, JSON.stringify(body).includes("secret")], [500, "internal", false]);
  const line = kit.logged.find(({ event }) => event === "request.failed");
  assert.equal(line?.facts.request, headers.get("x-request-id"));
  assert.match(String(line?.facts.error), /secret reason/);
});

test("a request that is not HTTP gets a problem too", async () => {
  await using kit = await openApiKit();
  const socket = connect(Number(new URL(kit.url).port), "127.0.0.1");
  socket.write("NO HTTP AT ALL\r\n\r\n");
  const answer = await text(socket);
  assert.match(answer, /^HTTP\/1\.1 400 .*application\/problem\+json/s);
});

test("the page of the API document contacts only this server", async () => {
  await using kit = await openApiKit();
  const page = await kit.raw("GET", "/docs/");
  const html = await page.text();
  assert.equal(page.status, 200);
  assert.deepEqual(html.match(/(?:src|href)="(?!js\/|\/)[^"]*"/g), null);
  assert.match(page.headers.get("content-security-policy")!, /connect-src 'self'/);
  assert.equal((await kit.raw("GET", "/docs/js/scalar.js")).status, 200);
});

test("health and readiness need no key; metrics need an operator's", async () => {
  await using kit = await openApiKit();
  const [client, operator] = [await kit.addClient("a"), await kit.addClient("a", "operator")];
  for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs/", "/problems/internal"])
    assert.equal((await kit.raw("GET", path)).status, 200, path);
  assert.equal((await kit.ask("GET", "/metrics", { key: client })).status, 403);
  const metrics = await kit.ask<string>("GET", "/metrics", { key: operator });
  assert.deepEqual([metrics.status, metrics.body], [200, "sluice_up 1\n"]);
});

test("the bodies of one client in memory are limited, without affecting others", async () => {
  await using kit = await openApiKit();
  const [one, other] = [await kit.addClient("one"), await kit.addClient("other")];
  const large = http.request(`${kit.url}/v1/batches`, {
    method: "POST",
    agent: false,
    headers: {
      authorization: `Bearer ${one}`,
      "content-type": "application/json",
      "content-length": 4 * 1024 * 1024,
    },
  });
  large.on("error", () => undefined);
  large.write("{");
  const json = { scraper: "county", inputs: [], labels: { filling: "x".repeat(1_500_000) } };
  const ask = async (key: string) => (await kit.ask<ProblemBody>("POST", "/v1/jobs", { key, json })).status;
  // Until the server has seen the head of the large one.
  while ((await ask(one)) !== 429);
  assert.equal(await ask(other), 400);
  large.destroy();
  await new Promise((closed) => large.once("close", closed));
  while ((await ask(one)) === 429);
});

test("calls that a request makes are known to be its client's, also after its body was read", async () => {
  const callers: (string | undefined)[] = [];
  await using kit = await openApiKit({
    withRegistry: (registry) => ({
      ...registry,
      async readClient(name) {
        callers.push(caller.getStore());
        return await registry.readClient(name);
      },
    }),
  });
  const key = await kit.addClient("acme");
  const { status } = await kit.ask("POST", "/v1/jobs", { key, json: { scraper: "page" } });
  assert.equal(status, 201);
  assert.equal(callers.at(-1), "acme");
});
