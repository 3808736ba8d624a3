import assert from "node:assert/strict";
import { test } from "node:test";
import { type FiringBody, firingName, type ScheduleBody } from "../services/schedule-documents.ts";
import type { StoredFinding } from "../domain/quality.ts";
import { jobSpec, planned } from "../ports/ledger-suite/test-kit.ts";
import { delivery } from "../ports/registry-suite/test-kit.ts";
import { versionBlob } from "../scrapers/stored-scrapers.ts";
import { declaredBundle } from "./testing/declared-bundle.ts";
import { type Answer, type ApiKit, openApiKit } from "./testing/api-kit.ts";
import type { OpenapiDocument } from "./testing/openapi-fuzz.ts";

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

const auditOf = async (kit: ApiKit, key: string, query = ""): Promise<Entry[]> =>
  (await kit.ask<{ readonly data: Entry[] }>("GET", `/v1/audit?limit=500${query}`, { key })).body.data;

/** They make what is the caller's own, and can name nothing of another client. */
const OWN = [
  "createJob",
  "createBatch",
  "registerScraper",
  "previewSchedule",
  "checkInputs",
  "beginSession",
  "endSession",
];

/** For operators only, and they need more than is prepared here: that they are refused is in the log, too. */
const REFUSED = [
  "gateVersion",
  "activateVersion",
  "startCanary",
  "endCanary",
  "rollBackVersion",
  "saveDataset",
  "writeRelease",
  "auditRelease",
  "publishRelease",
  "rollbackRelease",
];

const SCHEDULE = {
  scraper: "county",
  when: { everyMs: 3_600_000 },
  inputsFrom: { rows: [{ parcel: "1" }] },
} as const;
const FIRED_AT = "2026-11-17T06:00:00.000Z";

/** Bodies with which an operation is carried out; others take none, or an empty one. */
const BODIES: Readonly<Record<string, object>> = {
  createClient: { name: "fresh" },
  createKey: { role: "client" },
  createWebhook: { url: "https://hooks.test/T0/secret-path" },
  prune: { dryRun: true },
  createSchedule: { name: "fresh", client: "other", ...SCHEDULE },
  previewSchedule: { when: SCHEDULE.when },
  changeSchedule: SCHEDULE,
  backfillSchedule: { from: FIRED_AT, to: FIRED_AT },
  repeatStage: { stage: "collect" },
  acceptFinding: { reason: "The site has changed." },
};

/** A schedule of the other client with a firing that has ended, as if nothing had been done to it. */
const newSchedule = async ({ ledger }: ApiKit): Promise<void> => {
  const at = Date.parse(FIRED_AT);
  const schedule: ScheduleBody = {
    ...SCHEDULE,
    client: "other",
    origin: "api",
    guardsTargets: true,
    by: "test",
    createdAt: at,
    decidedAt: at,
    queue: [],
    overlap: "skip",
    stages: ["collect"],
    running: [],
    counts: { fired: 1, done: 1, failed: 0, skipped: 0, missed: 0 },
  };
  const firing: FiringBody = {
    schedule: "theirs",
    client: "other",
    at,
    cause: "time",
    state: "done",
    decidedAt: at,
    stages: [{ name: "collect", state: "done" }],
  };
  await ledger.documents.commit({
    changes: [
      { kind: "schedule", name: "theirs", body: schedule },
      { kind: "firing", name: firingName("theirs", at), body: firing },
    ],
  });
};

const newJob = async (kit: ApiKit, key: string): Promise<string> => {
  const json = { scraper: "county", seal: false };
  const { body } = await kit.ask<{ readonly job: { readonly id: string } }>("POST", "/v1/jobs", {
    key,
    json,
  });
  return body.job.id;
};

/** Everything of the client `other` that a path or a query can name. */
const prepare = async (kit: ApiKit): Promise<Readonly<Record<string, string>>> => {
  await kit.addClient("other", "client", {
    webhooks: [{ id: "wh_1", url: "https://x.test/", secrets: ["whsec_eA=="] }],
  });
  const [key] = await kit.registry.listKeys("other");
  await kit.registry.addDeliveries([delivery(1, "e1", { client: "other" })]);
  await kit.ledger.createJob(jobSpec("lanes", { client: "other" }));
  await kit.ledger.addItems("lanes", planned(["a"]), []);
  const scraper = "other.county";
  await kit.blobs.put(versionBlob("other", scraper, 1, "0123456789abcdef"), Buffer.from("{}"));
  const finding: StoredFinding = {
    id: "x",
    scraper,
    client: "other",
    job: "lanes",
    at: 1,
    examples: [],
    measure: "unread",
    field: "owner",
    share: { hits: 1, of: 2 },
    expected: 0.1,
    runs: 3,
    probability: 0.001,
    points: 40,
    level: "warn",
  };
  await kit.ledger.documents.commit({
    changes: [{ kind: "finding", name: `${scraper}/1/x`, body: finding }],
  });
  return {
    client: "other",
    key: key!.id,
    webhook: "wh_1",
    delivery: "1@e1",
    lane: "site.test",
    scraper,
    schedule: "theirs",
    at: FIRED_AT,
  };
};

test("every changing operation of the API is in the audit log when an operator acts on another client's data", async () => {
  await using kit = await openApiKit();
  const admin = await kit.addClient("ops", "admin");
  const { paths } = (await kit.ask<OpenapiDocument>("GET", "/openapi.json")).body;
  const names = await prepare(kit);
  const theirs = await kit.addClient("other");
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
    const job = await newJob(kit, theirs);
    await newSchedule(kit);
    if (operationId === "removeJob") await kit.ledger.controlJob(job, "cancel");
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ ...names, job })[name] ?? "x");
    const query = parameters.some((one) => one.in === "query" && one.name === "client")
      ? "?client=other"
      : "";
    const isBundle = operationId === "deployScraper";
    const isJson = requestBody?.content["application/json"] !== undefined;
    const { status } = await kit.ask(method, filled + query, {
      key: admin,
      ...(isJson && { json: BODIES[operationId] ?? {} }),
      ...(requestBody &&
        !isJson &&
        !isBundle && { body: '{"parcel":"1"}\n', headers: { "content-type": "application/x-ndjson" } }),
      ...(isBundle && {
        body: declaredBundle(names["scraper"]!),
        headers: { "content-type": "application/octet-stream" },
      }),
    });
    const [entry] = await auditOf(kit, admin, `&action=${operationId}`);
    if (OWN.includes(operationId)) assert.equal(entry, undefined, `${operationId} is the caller's own`);
    else if (REFUSED.includes(operationId)) assert.ok(entry, `${operationId} is in the log`);
    else if (status >= 400 || entry?.outcome !== "ok")
      missed.push(`${operationId}: ${status} ${entry?.outcome}`);
  }
  assert.deepEqual(missed, []);
});

test("an entry has actor, address, target and outcome, and no secret", async () => {
  await using kit = await openApiKit();
  const admin = await kit.addClient("ops", "admin");
  const id = (await kit.registry.listKeys("ops"))[0]!.id;
  await prepare(kit);
  await kit.ask("POST", "/v1/webhooks?client=other", {
    key: admin,
    json: { url: "https://hooks.test/T0/secret-path?token=abcdef123456" },
    headers: { "x-forwarded-for": "198.51.100.1, 203.0.113.9" },
  });
  await kit.ask("PATCH", "/v1/clients/nobody", { key: admin, json: { weight: 2 } });
  const [failed, made] = await auditOf(kit, admin);
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

test("clients' own work is not in the audit log, and only operators can read it", async () => {
  await using kit = await openApiKit();
  const admin = await kit.addClient("ops", "admin");
  const team = await kit.addClient("team");
  const { body } = await kit.ask<{ readonly job: { readonly id: string } }>("POST", "/v1/jobs", {
    key: team,
    json: { scraper: "county", inputs: [{ parcel: "1" }] },
  });
  await kit.ask("POST", `/v1/jobs/${body.job.id}/pause`, { key: team });
  await kit.ask("POST", "/v1/prune", { key: team, json: {} });
  assert.deepEqual(await auditOf(kit, admin), []);
  assert.equal((await kit.ask("GET", "/v1/audit", { key: team })).status, 403);
});

test("the audit log is paged", async () => {
  await using kit = await openApiKit();
  const admin = await kit.addClient("ops", "admin");
  for (let n = 0; n < 5; n++)
    await kit.ask("PATCH", `/v1/clients/none-${n}`, { key: admin, json: { weight: 2 } });
  const seen: (string | undefined)[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const path: string = `/v1/audit?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { body }: Answer<Page> = await kit.ask<Page>("GET", path, { key: admin });
    seen.push(...body.data.map(({ target }) => target));
    cursor = body.next;
  }
  assert.deepEqual(
    seen,
    [4, 3, 2, 1, 0].map((n) => `none-${n}`),
  );
  assert.deepEqual(await auditOf(kit, admin, `&since=${new Date(Date.now() + 60_000).toISOString()}`), []);
});
