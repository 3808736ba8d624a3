import assert from "node:assert/strict";
import { test } from "node:test";
import { jobSpec, planned } from "../ports/ledger-suite/world.ts";
import { delivery } from "../ports/registry-suite/world.ts";
import { type Answer, type ApiGround, openApiGround } from "./api-ground.suite.ts";
import type { OpenapiDocument } from "./openapi-fuzz.suite.ts";

interface Entry {
  readonly actor: string;
  readonly client?: string;
  readonly action: string;
  readonly target?: string;
  readonly detail?: unknown;
  readonly from?: string;
  readonly outcome: string;
}

interface Page {
  readonly data: Entry[];
  readonly next?: string;
}

const auditOf = async (ground: ApiGround, key: string, query = ""): Promise<Entry[]> =>
  (await ground.ask<{ readonly data: Entry[] }>("GET", `/v1/audit?limit=500${query}`, { key })).body.data;

/** They make what is the caller's own, and can name nothing of another client. */
const OWN = ["createJob", "createBatch"];

/** Bodies with which an operation is carried out; others take none, or an empty one. */
const BODIES: Readonly<Record<string, object>> = {
  createClient: { name: "fresh" },
  createKey: { role: "client" },
  createWebhook: { url: "https://hooks.test/T0/secret-path" },
  prune: { dryRun: true },
};

const newJob = async (ground: ApiGround, key: string): Promise<string> => {
  const json = { scraper: "county", seal: false };
  const { body } = await ground.ask<{ readonly job: { readonly id: string } }>("POST", "/v1/jobs", {
    key,
    json,
  });
  return body.job.id;
};

/** Everything of the client `other` that a path or a query can name. */
const prepare = async (ground: ApiGround): Promise<Readonly<Record<string, string>>> => {
  await ground.addClient("other", "client", {
    webhooks: [{ id: "wh_1", url: "https://x.test/", secrets: ["whsec_eA=="] }],
  });
  const [key] = await ground.registry.listKeys("other");
  await ground.registry.addDeliveries([delivery(1, "e1", { client: "other" })]);
  await ground.ledger.createJob(jobSpec("lanes", { client: "other" }));
  await ground.ledger.addItems("lanes", planned(["a"]), []);
  return { client: "other", key: key!.id, webhook: "wh_1", delivery: "1@e1", lane: "site.test" };
};

test("every operation of the API that changes something is written down when an operator does it to others", async () => {
  await using ground = await openApiGround();
  const admin = await ground.addClient("ops", "admin");
  const { paths } = (await ground.ask<OpenapiDocument>("GET", "/openapi.json")).body;
  const names = await prepare(ground);
  const theirs = await ground.addClient("other");
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "get")
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  assert.ok(operations.length > 15, "the document lists the routes");
  const missed: string[] = [];
  for (const { path, method, operation } of operations) {
    const { operationId, parameters = [], requestBody } = operation;
    // A job of its own for each: a cancelled one cannot be paused.
    const job = await newJob(ground, theirs);
    if (operationId === "removeJob") await ground.ledger.steerJob(job, "cancel");
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ ...names, job })[name] ?? "x");
    const query = parameters.some((one) => one.in === "query" && one.name === "client")
      ? "?client=other"
      : "";
    const isJson = requestBody?.content["application/json"] !== undefined;
    const { status } = await ground.ask(method, filled + query, {
      key: admin,
      ...(isJson && { json: BODIES[operationId] ?? {} }),
      ...(requestBody &&
        !isJson && { body: '{"parcel":"1"}\n', headers: { "content-type": "application/x-ndjson" } }),
    });
    const [entry] = await auditOf(ground, admin, `&action=${operationId}`);
    if (OWN.includes(operationId)) assert.equal(entry, undefined, `${operationId} is the caller's own`);
    else if (status >= 400 || entry?.outcome !== "ok")
      missed.push(`${operationId}: ${status} ${entry?.outcome}`);
  }
  assert.deepEqual(missed, []);
});

test("an entry says who, from where, to what and how it ended, and holds no secret", async () => {
  await using ground = await openApiGround();
  const admin = await ground.addClient("ops", "admin");
  const id = (await ground.registry.listKeys("ops"))[0]!.id;
  await prepare(ground);
  await ground.ask("POST", "/v1/webhooks?client=other", {
    key: admin,
    json: { url: "https://hooks.test/T0/secret-path?token=abcdef123456" },
    headers: { "x-forwarded-for": "198.51.100.1, 203.0.113.9" },
  });
  await ground.ask("PATCH", "/v1/clients/nobody", { key: admin, json: { weight: 2 } });
  const [failed, made] = await auditOf(ground, admin);
  const by = { actor: `key:${id}`, client: "ops", via: "api" };
  const { id: _, at: __, ...rest } = made as Entry & { id: number; at: string };
  assert.deepEqual(rest, {
    ...by,
    action: "createWebhook",
    detail: { of: "other", client: "other", url: "https://hooks.test" },
    from: "203.0.113.9 via 127.0.0.1",
    outcome: "ok",
  });
  assert.deepEqual(
    [failed?.action, failed?.target, failed?.detail, failed?.outcome, failed?.from],
    ["changeClient", "nobody", { weight: 2 }, "not-found", "127.0.0.1"],
  );
});

test("clients' own work is not written down, and only operators read the list", async () => {
  await using ground = await openApiGround();
  const admin = await ground.addClient("ops", "admin");
  const team = await ground.addClient("team");
  const { body } = await ground.ask<{ readonly job: { readonly id: string } }>("POST", "/v1/jobs", {
    key: team,
    json: { scraper: "county", inputs: [{ parcel: "1" }] },
  });
  await ground.ask("POST", `/v1/jobs/${body.job.id}/pause`, { key: team });
  await ground.ask("POST", "/v1/prune", { key: team, json: {} });
  assert.deepEqual(await auditOf(ground, admin), []);
  assert.equal((await ground.ask("GET", "/v1/audit", { key: team })).status, 403);
});

test("the list has pages", async () => {
  await using ground = await openApiGround();
  const admin = await ground.addClient("ops", "admin");
  for (let n = 0; n < 5; n++)
    await ground.ask("PATCH", `/v1/clients/none-${n}`, { key: admin, json: { weight: 2 } });
  const seen: (string | undefined)[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const path: string = `/v1/audit?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { body }: Answer<Page> = await ground.ask<Page>("GET", path, { key: admin });
    seen.push(...body.data.map(({ target }) => target));
    cursor = body.next;
  }
  assert.deepEqual(
    seen,
    [4, 3, 2, 1, 0].map((n) => `none-${n}`),
  );
  assert.deepEqual(await auditOf(ground, admin, `&since=${new Date(Date.now() + 60_000).toISOString()}`), []);
});
