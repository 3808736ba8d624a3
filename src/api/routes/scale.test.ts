import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scale } from "../../client.ts";
import { openApiKit } from "../testing/api-kit.ts";

test("operators and workers get the useful number of workers, clients do not", async () => {
  await using kit = await openApiKit();
  const none = { workers: 0, lanes: 0, busy: 0, items: 0 };
  const operator = await kit.addClient("operators", "operator");
  const worker = await kit.addClient("machines", "worker");
  const client = await kit.addClient("team");
  const ask = (key: string) => kit.ask<Scale>("GET", "/v1/scale", { key });
  const { status, body } = await ask(operator);
  assert.deepEqual(
    [status, body],
    [200, { workers: 0, kinds: { http: none, browser: none }, againInMs: 10_000 }],
  );
  assert.equal((await ask(worker)).status, 200);
  assert.equal((await ask(client)).status, 403);
});

test("many lanes ask for many workers", async () => {
  await using kit = await openApiKit();
  const urls = Array.from({ length: 600 }, (_, n) => `http://h${n}.example/`);
  assert.equal((await kit.ask("POST", "/v1/batches", { json: { urls } })).status, 201);
  const { body } = await kit.ask<Scale>("GET", "/v1/scale");
  assert.deepEqual(body.kinds.http, { workers: 5, lanes: 600, busy: 600, items: 600 });
});
