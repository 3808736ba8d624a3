import assert from "node:assert/strict";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { hashKey, makeKey } from "../services/secrets.ts";
import type { ProblemBody } from "./answers.ts";
import { isLoopback, mayListen } from "./auth.ts";
import { openApiKit } from "./testing/api-kit.ts";

const statusWith = (url: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    request(`${url}/v1/me`, { headers }, (response) => {
      void text(response).then(() => resolve(response.statusCode!));
    })
      .on("error", reject)
      .end();
  });

test("without keys, programs on this machine may do everything, and web pages nothing", async () => {
  await using kit = await openApiKit();
  assert.equal(await statusWith(kit.url, {}), 200);
  assert.equal(await statusWith(kit.url, { host: "evil.example" }), 403);
  assert.equal(await statusWith(kit.url, { origin: "https://evil.example" }), 403);
  assert.equal(await statusWith(kit.url, { origin: kit.url }), 200);
});

test("as soon as there is a key, requests without one or with a wrong one are refused", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a");
  assert.equal((await kit.ask("GET", "/v1/me", { key })).status, 200);
  for (const wrong of [undefined, "sluice_", `${key}0`, key.slice(0, -1) + (key.endsWith("0") ? "1" : "0")]) {
    const { status, headers } = await kit.ask("GET", "/v1/me", { key: wrong });
    assert.deepEqual([status, headers.get("www-authenticate")], [401, "Bearer"]);
  }
});

test("a client cannot use operator routes, nor an operator admin routes", async () => {
  await using kit = await openApiKit();
  const [client, operator, admin] = [
    await kit.addClient("a"),
    await kit.addClient("b", "operator"),
    await kit.addClient("c", "admin"),
  ];
  const statuses = async (path: string) =>
    await Promise.all(
      [client, operator, admin].map(async (key) => (await kit.ask("GET", path, { key })).status),
    );
  assert.deepEqual(await statuses("/v1/lanes"), [403, 200, 200]);
  assert.deepEqual(await statuses("/v1/workers"), [403, 200, 200]);
  assert.deepEqual(await statuses("/v1/clients"), [403, 403, 200]);
  assert.deepEqual(await statuses("/v1/scrapers"), [200, 200, 200]);
});

test("revoking a key takes effect within a second, at other controllers too", async () => {
  let now = Date.now();
  await using kit = await openApiKit({ now: () => now });
  const key = await kit.addClient("a");
  assert.equal((await kit.ask("GET", "/v1/me", { key })).status, 200);
  await kit.registry.revokeKey((await kit.registry.findKey(hashKey(key)))!.id, now);
  now += 1000;
  assert.equal((await kit.ask("GET", "/v1/me", { key })).status, 401);
});

test("a key that has used up its requests per minute has to wait", async () => {
  let now = Date.now();
  await using kit = await openApiKit({ now: () => now });
  const key = await kit.addClient("a", "client", { requestsPerMinute: 3 });
  const ask = () => kit.ask<ProblemBody>("GET", "/v1/me", { key });
  for (const room of ['"key";r=2;t=20', '"key";r=1;t=40', '"key";r=0;t=20']) {
    const { status, headers } = await ask();
    assert.deepEqual([status, headers.get("ratelimit")], [200, room]);
    assert.equal(headers.get("ratelimit-policy"), '"key";q=3;w=60');
  }
  const { status, headers, body } = await ask();
  assert.deepEqual([status, body.code, headers.get("retry-after")], [429, "too-many-requests", "20"]);
  assert.equal(headers.get("ratelimit"), '"key";r=0;t=20');
  now += 20_000;
  assert.equal((await ask()).status, 200);
  assert.equal((await ask()).status, 429);
});

test("no key is logged", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a");
  await kit.ask("GET", `/v1/jobs?scraper=${key}`, { key });
  await kit.ask("GET", `/${key}`, { key });
  assert.ok(!JSON.stringify(kit.logged).includes(key));
});

test("guessed keys are refused before they are looked up, and a key that was used before keeps working", async () => {
  let lookups = 0;
  await using kit = await openApiKit({
    withRegistry: (registry) => ({
      ...registry,
      findKey: async (hash) => {
        lookups++;
        return await registry.findKey(hash);
      },
    }),
  });
  const key = await kit.addClient("a");
  assert.equal((await kit.ask("GET", "/v1/me", { key })).status, 200);
  const statuses = new Map<number, number>();
  const guess = async (): Promise<void> => {
    const { status } = await kit.ask("GET", "/v1/me", { key: makeKey("a", "client", 0).key });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  // However long that takes: some come back each second.
  while ((statuses.get(429) ?? 0) < 100) await Promise.all(Array.from({ length: 100 }, guess));
  const unknown = statuses.get(401)!;
  assert.equal(statuses.size, 2);
  assert.ok(lookups <= unknown + 10, `${lookups} lookups, ${unknown} answered 401`);
  assert.ok(kit.logged.filter(({ event }) => event === "request").length < unknown);
  assert.equal((await kit.ask("GET", "/v1/me", { key })).status, 200);
  assert.equal((await kit.ask("GET", "/healthz")).status, 200);
  let refused = await kit.ask<ProblemBody>("GET", "/v1/nothing");
  while (refused.status !== 429) {
    await Promise.all(Array.from({ length: 100 }, guess));
    refused = await kit.ask<ProblemBody>("GET", "/v1/nothing");
  }
  const { headers, body } = refused;
  assert.equal(body.code, "too-many-requests");
  assert.ok(Number(headers.get("retry-after")) >= 1);
});

test("every loopback name and address counts as this machine, and nothing else does", () => {
  for (const host of [
    "localhost",
    "LOCALHOST",
    "app.localhost",
    "127.0.0.1",
    "127.9.9.9",
    "::1",
    "[::1]",
    "::ffff:127.0.0.1",
  ])
    assert.ok(isLoopback(host), host);
  for (const host of [
    "0.0.0.0",
    "::",
    "",
    "10.0.0.1",
    "127.0.0.1.example",
    "localhost.example",
    "::ffff:10.0.0.1",
    "1",
    "2130706433",
  ])
    assert.ok(!isLoopback(host), host);
});

test("without keys, the server listens on loopback only", () => {
  assert.deepEqual(
    [mayListen("127.0.0.1", false), mayListen("0.0.0.0", false), mayListen("0.0.0.0", true)],
    [true, false, true],
  );
});
