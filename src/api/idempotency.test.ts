import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type ApiKit, openApiKit } from "./testing/api-kit.ts";
import type { Job } from "../schemas/job.ts";
import type { ProblemBody } from "./answers.ts";

const JOB = { scraper: "county", inputs: [{ parcel: "1" }] };

test("a request repeated with the same Idempotency-Key is carried out once and gets the same answer", async () => {
  await using kit = await openApiKit();
  const asked = { json: JOB, headers: { "idempotency-key": "k-1" } };
  const first = await kit.ask<{ job: Job }>("POST", "/v1/jobs", asked);
  const again = await kit.ask<{ job: Job }>("POST", "/v1/jobs", asked);
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.deepEqual(again.body, first.body);
  assert.deepEqual(
    [first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")],
    [null, "true"],
  );
  assert.equal((await kit.ledger.listJobs()).length, 1);
});

test("a different request with a used Idempotency-Key is refused", async () => {
  await using kit = await openApiKit();
  const headers = { "idempotency-key": "k-1" };
  await kit.ask("POST", "/v1/jobs", { json: JOB, headers });
  const other = await kit.ask<ProblemBody>("POST", "/v1/jobs", { json: { scraper: "page" }, headers });
  assert.deepEqual([other.status, other.body.code], [422, "idempotency-key-reused"]);
  const elsewhere = await kit.ask<ProblemBody>("POST", "/v1/clients", { json: { name: "x" }, headers });
  assert.equal(elsewhere.body.code, "idempotency-key-reused");
});

test("a repeated request has to wait while the first one is in progress", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a");
  const headers = { "idempotency-key": "k-1" };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => kit.ask<ProblemBody>("POST", "/v1/jobs", { key, json: JOB, headers })),
  );
  assert.equal((await kit.ledger.listJobs()).length, 1);
  for (const { status, body } of answers)
    assert.ok(
      status === 201 || (status === 409 && body.code === "idempotent-request-running"),
      String(status),
    );
});

test("a mistake in a request can be corrected under the same key", async () => {
  await using kit = await openApiKit();
  const headers = { "idempotency-key": "k-1" };
  const wrong = await kit.ask("POST", "/v1/jobs", { json: { scraper: 7 }, headers });
  const right = await kit.ask("POST", "/v1/jobs", { json: JOB, headers });
  assert.deepEqual([wrong.status, right.status], [400, 201]);
});

test("two clients may have the same Idempotency-Key", async () => {
  await using kit = await openApiKit();
  const headers = { "idempotency-key": "k-1" };
  const ids = [];
  for (const name of ["a", "b"]) {
    const key = await kit.addClient(name);
    const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", { key, json: JOB, headers });
    ids.push(body.job.id);
  }
  assert.notEqual(ids[0], ids[1]);
});

test("an API key is only in the first answer, and is not stored", async () => {
  await using kit = await openApiKit();
  const admin = await kit.addClient("team", "admin");
  const asked = { key: admin, json: {}, headers: { "idempotency-key": "k-1" } };
  const first = await kit.ask<{ id: string; key?: string }>("POST", "/v1/clients/team/keys", asked);
  const { key, ...rest } = first.body;
  assert.match(key!, /^sluice_[0-9a-f]{8}_[0-9a-f]{40}$/);
  assert.equal((await kit.ask("GET", "/v1/me", { key })).status, 200);
  const again = await kit.ask("POST", "/v1/clients/team/keys", asked);
  assert.deepEqual([again.status, again.body], [201, rest]);
  const stored = await readFile(join(kit.data, "sluice.db"));
  const log = await readFile(join(kit.data, "sluice.db-wal"));
  assert.ok(![stored, log].some((bytes) => bytes.includes(key!)));
});

/** A controller that dies after it created the requested thing, and before its answer is stored: once for each request. */
const openMortal = async (): Promise<ApiKit & { readonly die: () => void }> => {
  let deaths = 0;
  const kit = await openApiKit({
    withRegistry: (registry) => ({
      ...registry,
      async endOnce(...ended) {
        if (deaths-- > 0) throw new Error("killed");
        await registry.endOnce(...ended);
      },
    }),
  });
  return { ...kit, die: () => void (deaths = 1) };
};

test("a job whose controller died before answering is found by the next try, complete and once", async () => {
  await using kit = await openMortal();
  const key = await kit.addClient("a", "client", { itemsPerDay: 4 });
  const inputs = [{ parcel: "1" }, { parcel: "x" }, { parcel: "2" }, { parcel: "1" }, { parcel: "3" }];
  for (const seal of [true, false]) {
    const asked = {
      key,
      json: { scraper: "county", inputs, seal },
      headers: { "idempotency-key": `k-${seal}` },
    };
    kit.die();
    assert.equal((await kit.ask("POST", "/v1/jobs", asked)).status, 500);
    const [made] = await kit.ledger.listJobs({ limit: 1 });
    const { status, body } = await kit.ask<{ job: Job; rejected: unknown[] }>("POST", "/v1/jobs", asked);
    assert.deepEqual([status, body.job.id, body.rejected.length], [201, made!.spec.id, 1]);
    const { received, accepted, folded, rejected } = body.job.counts;
    assert.deepEqual([received, accepted, folded, rejected], [5, 3, 1, 1]);
    if (seal) await kit.ledger.controlJob(made!.spec.id, "cancel");
    await kit.registry.saveClient({ name: "a", weight: 1, webhooks: [], createdAt: 0, itemsPerDay: 7 });
  }
  assert.equal((await kit.ledger.listJobs()).length, 2);
});

test("a try that stopped half-way is continued", async () => {
  let isBroken = true;
  await using service = await openApiKit();
  const { ledger } = service;
  await using kit = await openApiKit({
    ledger: {
      ...ledger,
      async addItems(job, items, rejected) {
        const reply = await ledger.addItems(job, items.slice(0, isBroken ? 1 : undefined), rejected);
        if (!isBroken) return reply;
        isBroken = false;
        throw new Error("killed");
      },
    },
  });
  const asked = {
    json: { urls: ["https://a.example/", "https://b.example/", "nope"] },
    headers: { "idempotency-key": "k-1" },
  };
  assert.equal((await kit.ask("POST", "/v1/batches", asked)).status, 500);
  const { status, body } = await kit.ask<{
    batch: { accepted: number; folded: number; rejected: number };
  }>("POST", "/v1/batches", asked);
  const { accepted, folded, rejected } = body.batch;
  assert.deepEqual([status, accepted, folded, rejected], [201, 2, 0, 1]);
  const jobs = await ledger.listJobs();
  assert.deepEqual(
    jobs.map(({ isSealed }) => isSealed),
    [true],
  );
});

test("clients, keys, webhooks and secrets are created once too, with the secrets of the answer", async () => {
  await using kit = await openMortal();
  const admin = await kit.addClient("team", "admin");
  const post = async (path: string, json: unknown) => {
    const asked = { key: admin, json, headers: { "idempotency-key": `k-${path}` } };
    kit.die();
    assert.equal((await kit.ask("POST", path, asked)).status, 500, path);
    const { status, body } = await kit.ask<Record<"id" | "key" | "secret" | "webhookSecret", string>>(
      "POST",
      path,
      asked,
    );
    assert.equal(status, 201, path);
    return body;
  };
  const readClient = async (name: string) => (await kit.registry.readClient(name))!;

  const { webhookSecret } = await post("/v1/clients", { name: "new", weight: 2 });
  assert.deepEqual((await readClient("new")).secrets, [webhookSecret]);
  const taken = await kit.ask<ProblemBody>("POST", "/v1/clients", { key: admin, json: { name: "new" } });
  assert.equal(taken.body.code, "client-exists");

  const made = await post("/v1/clients/new/keys", {});
  assert.deepEqual(
    (await kit.registry.listKeys("new")).map(({ id }) => id),
    [made.id],
  );
  const rotated = await post(`/v1/clients/new/keys/${made.id}/rotate`, {});
  assert.equal((await kit.registry.listKeys("new")).length, 2);
  const statusOf = async (key: string) => (await kit.ask("GET", "/v1/me", { key })).status;
  assert.deepEqual([await statusOf(made.key), await statusOf(rotated.key)], [401, 200]);

  const hook = await post("/v1/webhooks", { url: "https://x.example/" });
  const [endpoint, ...others] = (await readClient("team")).webhooks;
  assert.deepEqual([endpoint?.id, endpoint?.secrets, others], [hook.id, [hook.secret], []]);
  const again = await post(`/v1/webhooks/${hook.id}/rotate`, undefined);
  assert.deepEqual((await readClient("team")).webhooks[0]?.secrets, [again.secret, hook.secret]);
});

test("a temporarily refused request may be repeated at once", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a", "client", { itemsPerDay: 0 });
  const asked = { key, json: JOB, headers: { "idempotency-key": "k-1" } };
  const refused = await kit.ask<ProblemBody>("POST", "/v1/jobs", asked);
  assert.deepEqual([refused.status, refused.body.code], [429, "quota-exceeded"]);
  await kit.registry.changeClient("a", (info) => ({ ...info!, itemsPerDay: 1 }));
  assert.equal((await kit.ask("POST", "/v1/jobs", asked)).status, 201);
});
