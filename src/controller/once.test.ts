import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openApiGround } from "./api-ground.suite.ts";
import type { ApiJob } from "./schemas/job.ts";
import type { ProblemBody } from "./schemas/problem.ts";

const JOB = { scraper: "county", inputs: [{ parcel: "1" }] };

test("the same request under the same Idempotency-Key is carried out once, and answered twice alike", async () => {
  await using ground = await openApiGround();
  const asked = { json: JOB, headers: { "idempotency-key": "k-1" } };
  const first = await ground.ask<{ job: ApiJob }>("POST", "/v1/jobs", asked);
  const again = await ground.ask<{ job: ApiJob }>("POST", "/v1/jobs", asked);
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.deepEqual(again.body, first.body);
  assert.deepEqual(
    [first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")],
    [null, "true"],
  );
  assert.equal((await ground.ledger.listJobs()).length, 1);
});

test("another request under a used Idempotency-Key is refused", async () => {
  await using ground = await openApiGround();
  const headers = { "idempotency-key": "k-1" };
  await ground.ask("POST", "/v1/jobs", { json: JOB, headers });
  const other = await ground.ask<ProblemBody>("POST", "/v1/jobs", { json: { scraper: "page" }, headers });
  assert.deepEqual([other.status, other.body.code], [422, "once-mismatch"]);
  const elsewhere = await ground.ask<ProblemBody>("POST", "/v1/clients", { json: { name: "x" }, headers });
  assert.equal(elsewhere.body.code, "once-mismatch");
});

test("a request whose first is under way is told to wait", async () => {
  await using ground = await openApiGround();
  const key = await ground.addClient("a");
  const headers = { "idempotency-key": "k-1" };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => ground.ask<ProblemBody>("POST", "/v1/jobs", { key, json: JOB, headers })),
  );
  assert.equal((await ground.ledger.listJobs()).length, 1);
  for (const { status, body } of answers)
    assert.ok(status === 201 || (status === 409 && body.code === "once-under-way"), String(status));
});

test("a mistake in a request can be corrected under the same key", async () => {
  await using ground = await openApiGround();
  const headers = { "idempotency-key": "k-1" };
  const wrong = await ground.ask("POST", "/v1/jobs", { json: { scraper: 7 }, headers });
  const right = await ground.ask("POST", "/v1/jobs", { json: JOB, headers });
  assert.deepEqual([wrong.status, right.status], [400, 201]);
});

test("two clients may have the same Idempotency-Key", async () => {
  await using ground = await openApiGround();
  const headers = { "idempotency-key": "k-1" };
  const ids = [];
  for (const name of ["a", "b"]) {
    const key = await ground.addClient(name);
    const { body } = await ground.ask<{ job: ApiJob }>("POST", "/v1/jobs", { key, json: JOB, headers });
    ids.push(body.job.id);
  }
  assert.notEqual(ids[0], ids[1]);
});

test("an API key is shown in the first answer only, and is not kept", async () => {
  await using ground = await openApiGround();
  const admin = await ground.addClient("team", "admin");
  const asked = { key: admin, json: {}, headers: { "idempotency-key": "k-1" } };
  const first = await ground.ask<{ id: string; key?: string }>("POST", "/v1/clients/team/keys", asked);
  const { key, ...rest } = first.body;
  assert.match(key!, /^sluice_[0-9a-f]{8}_[0-9a-f]{40}$/);
  assert.equal((await ground.ask("GET", "/v1/me", { key })).status, 200);
  const again = await ground.ask("POST", "/v1/clients/team/keys", asked);
  assert.deepEqual([again.status, again.body], [201, rest]);
  const stored = await readFile(join(ground.data, "sluice.db"));
  const log = await readFile(join(ground.data, "sluice.db-wal"));
  assert.ok(![stored, log].some((bytes) => bytes.includes(key!)));
});
