// e2e: starts the OpenAPI linter and sends thousands of requests
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import fc from "fast-check";
import { z } from "zod";
import { type ApiKit, openApiKit } from "./testing/api-kit.ts";
import { collectJob } from "./testing/collected-job.ts";
import {
  fuzzedRequests,
  type FuzzedRequest,
  type Hints,
  type OpenapiDocument,
} from "./testing/openapi-fuzz.ts";
import type { Job } from "../schemas/job.ts";

const REDOCLY = resolve(import.meta.dirname, "../../node_modules/.bin/redocly");
/** Random requests cancel, seal and remove: each round has things of its own. */
const ROUNDS = 10;
const REQUESTS = 800;

/** Random requests do not get that far: they need stored versions, or releases of jobs of the same client. Tests of these routes do. */
const NEEDS_MORE = [
  "getVersion",
  "gateVersion",
  "activateVersion",
  "startCanary",
  "endCanary",
  "rollBackVersion",
  "writeRelease",
  "getRelease",
  "auditRelease",
  "publishRelease",
  "rollbackRelease",
  "diffReleases",
  "getLatest",
  "getCurrentFile",
  "getReleaseFile",
  "acceptFinding",
  "repeatStage",
  "deployScraper",
];

const documentOf = async (kit: ApiKit): Promise<OpenapiDocument> =>
  (await kit.ask<OpenapiDocument>("GET", "/openapi.json")).body;

test("the document passes redocly's lint without errors", async () => {
  await using kit = await openApiKit();
  const file = join(kit.data, "openapi.json");
  await writeFile(file, JSON.stringify(await documentOf(kit)));
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const { stdout } = await promisify(execFile)(process.execPath, [REDOCLY, "lint", "--format=json", file], {
    env,
  });
  const { totals } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { totals: { errors: number } };
  assert.equal(totals.errors, 0, stdout);
});

test("every operation has a unique id, a summary and a described tag", async () => {
  await using kit = await openApiKit();
  const document = (await documentOf(kit)) as OpenapiDocument & { tags: { name: string }[] };
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods),
  ) as unknown as {
    operationId: string;
    summary: string;
    tags: string[];
  }[];
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const { operationId, summary, tags: own } of operations)
    assert.ok(summary.length > 0 && own.length === 1 && tags.has(own[0]!), operationId);
});

/** Two clients with a job, a batch and a webhook each, and what can be named of them. */
const furnish = async (kit: ApiKit) => {
  const keys = {
    a: await kit.addClient("a"),
    b: await kit.addClient("b"),
    operator: await kit.addClient("o", "operator"),
    admin: await kit.addClient("o", "admin"),
  };
  await kit.addClient("spare");
  const own: Record<string, string[]> = { a: [], b: [] };
  const items: string[] = [];
  for (const client of ["a", "b"] as const) {
    const key = keys[client];
    for (const seal of [true, false]) {
      const inputs = [{ parcel: "1" }, { parcel: "2" }];
      const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
        key,
        json: { scraper: "county", inputs, seal },
      });
      own[client]!.push(body.job.id);
    }
    await collectJob(kit, own[client]![0]!, () => ({ body: "page", record: { owner: "x", tax: 1 } }));
    const listed = await kit.ask<{ data: { id: string }[] }>("GET", `/v1/jobs/${own[client]![0]}/items`, {
      key,
    });
    items.push(...listed.body.data.map(({ id }) => id));
    const batch = await kit.ask<{ batch: { id: string } }>("POST", "/v1/batches", {
      key,
      json: { urls: ["https://x.example/"] },
    });
    own[client]!.push(batch.body.batch.id);
    const hook = await kit.ask<{ id: string }>("POST", "/v1/webhooks", {
      key,
      json: { url: "https://x.example/" },
    });
    own[client]!.push(hook.body.id);
  }
  const named = {
    client: "a",
    event: 1,
    job: own.a![0]!,
    endpoint: "wh_1",
    url: "https://x.example/",
    type: "job.completed",
    body: "{}",
  };
  await kit.registry.addDeliveries([
    { ...named, id: "msg_a" },
    { ...named, id: "msg_b", client: "b", event: 2 },
  ]);
  const { operator: key } = keys;
  const rows = { body: "parcel\n1\n2", headers: { "content-type": "text/csv" } };
  await kit.ask("PUT", "/v1/input-sets/parcels", { key, ...rows });
  await kit.ask("POST", "/v1/schedules", { key, json: { name: "weekly", ...SCHEDULE } });
  await kit.ask("PUT", "/v1/datasets/taxes", { key, json: { sources: [{ scraper: "county" }] } });
  const spareKeys = (await kit.registry.listKeys("spare")).map(({ id }) => id);
  return { keys, own, items, spareKeys };
};

const SCHEDULE = {
  scraper: "county",
  when: { everyMs: 3_600_000 },
  inputsFrom: { rows: [{ parcel: "1" }] },
};

const hintsOf = ({ own, items, spareKeys }: Awaited<ReturnType<typeof furnish>>): Hints => {
  const [done, open, batch, webhook] = own.a!;
  /** Mostly existing things of the same client: otherwise only refusals would be tested. */
  const idOr = (...likely: readonly string[]) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...likely) },
      { weight: 1, arbitrary: fc.constantFrom(...own.a!, ...own.b!, "none") },
    );
  const parcel = fc.record({ parcel: fc.constantFrom("1", "22", "x") });
  const url = fc.constantFrom("https://x.example/", "https://y.example/?b=1", "nope");
  const lines = fc.array(parcel, { maxLength: 5 });
  return {
    job: idOr(done!, open!),
    batch: idOr(batch!),
    webhook: idOr(webhook!),
    item: fc.constantFrom(items[0]!, items[0]!, ...items, "1-999", "x"),
    "body.items": fc.array(fc.constantFrom(...items, "1-999"), { minLength: 1, maxLength: 2 }),
    number: fc.constantFrom("0", "1"),
    scraper: fc.constantFrom("county", "page", "none"),
    "body.inputs": fc.array(parcel, { maxLength: 3 }),
    "body.urls": fc.array(url, { minLength: 1, maxLength: 3 }),
    "body.url": fc.constant("https://x.example/"),
    lane: fc.constantFrom("county.example", "x.example", "none"),
    client: fc.constantFrom("spare", "spare", "none"),
    "body.name": fc.stringMatching(/^[a-z][a-z0-9]{3,8}$/),
    key: fc.constantFrom(spareKeys.at(-1)!, spareKeys.at(-1)!, "none"),
    delivery: fc.constantFrom("msg_a", "msg_b", "none"),
    code: fc.constantFrom("internal", "none"),
    set: fc.constantFrom("parcels", "parcels", "none"),
    version: fc.constantFrom("1", "1", "none"),
    schedule: fc.constantFrom("weekly", "weekly", "none"),
    dataset: fc.constantFrom("taxes", "taxes", "none"),
    release: fc.constantFrom("1", "1", "9"),
    file: fc.constantFrom("data.csv", "data.jsonl", "none"),
    before: fc.constantFrom(...own.a!),
    at: fc.constant("2026-11-17T06:00:00.000Z"),
    "body.when": fc.constant(SCHEDULE.when),
    "body.inputsFrom": fc.constantFrom(undefined, SCHEDULE.inputsFrom),
    "body.stages": fc.constant(["collect"]),
    "body.sources": fc.constant([{ scraper: "county" }]),
    "body.fields": fc.constant([{ name: "owner" }]),
    "body.gaps": fc.constant({ missing: "null" }),
    "body.rules": fc.constant({ minRows: 1 }),
    "body.from": fc.constant("2026-11-16T00:00:00.000Z"),
    "body.to": fc.constant("2026-11-16T02:00:00.000Z"),
    label: fc.constantFrom("a=b", "ab"),
    "body.labels": fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y")),
    "body.deadlineAt": fc.constant("2090-01-01T00:00:00Z"),
    "body.webhook": fc.constant("https://x.example/"),
    "body.proxies": fc.constantFrom(["direct"], ["direct"], ["none"]),
    "body.scraper": fc.constantFrom("county", "page", "none"),
    extraction: fc.constantFrom("first", "current", "none"),
    cursor: fc.constantFrom(
      "",
      "x",
      Buffer.from('{"queue":1,"seq":1}').toString("base64url"),
      Buffer.from('"a"').toString("base64url"),
    ),
    "application/x-ndjson": lines.map((rows) => rows.map((row) => JSON.stringify(row)).join("\n")),
    "application/jsonl": fc.string(),
    "text/csv": lines.map((rows) => ["parcel", ...rows.map((row) => row.parcel)].join("\n")),
    "upload-offset": fc.constantFrom("0", "0", "99"),
    "idempotency-key": fc.stringMatching(/^[a-c]$/),
    "last-event-id": fc.constantFrom("a-1", ""),
  };
};

const urlOf = ({ path, params, query }: FuzzedRequest): string => {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? "x").replaceAll(".", "%2E"),
  );
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((one): [string, string] => [name, typeof one === "string" ? one : (JSON.stringify(one) ?? "")]),
  );
  return `${place}?${new URLSearchParams(pairs).toString()}`;
};

const isSendable = (headers: Readonly<Record<string, string>>): boolean => {
  try {
    return [...new Headers(headers)].length > 0 || Object.keys(headers).length === 0;
  } catch {
    return false;
  }
};

test("every answer to thousands of random requests matches the document, none is a server error, and no client sees another's data", async () => {
  await using kit = await openApiKit();
  const document = await documentOf(kit);
  type Checked = Parameters<typeof z.fromJSONSchema>[0] & object;
  const $defs = JSON.parse(
    JSON.stringify(document.components.schemas).replaceAll("#/components/schemas/", "#/$defs/"),
  ) as NonNullable<Checked["$defs"]>;
  const checkers = new Map<string, z.ZodType>();
  const checkerOf = (schema: object): z.ZodType => {
    const text = JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/");
    const checker = checkers.get(text) ?? z.fromJSONSchema({ ...(JSON.parse(text) as Checked), $defs });
    checkers.set(text, checker);
    return checker;
  };
  const succeeded = new Set<string>();
  const keyNames = ["a", "a", "a", "b", "operator", "admin", "admin", "admin", "none", "wrong"] as const;

  for (let round = 0; round < ROUNDS; round++) {
    const service = await furnish(kit);
    await fc.assert(
      fc.asyncProperty(
        fuzzedRequests(document, hintsOf(service)),
        fc.constantFrom(...keyNames),
        async (asked, name) => {
          const { operation, method, params, body } = asked;
          const key = name === "none" ? undefined : name === "wrong" ? "sluice_x" : service.keys[name];
          const headers = { ...asked.headers, ...(body && { "content-type": body.type }) };
          fc.pre(isSendable(headers));
          const isJson = body?.type === "application/json";
          const sent =
            body && (isJson || typeof body.value !== "string" ? JSON.stringify(body.value) : body.value);
          const stop = new AbortController();
          const response = await kit.raw(method, urlOf(asked), {
            key,
            headers,
            ...(body && { body: sent ?? "" }),
            signal: stop.signal,
          });
          const { status } = response;
          assert.ok(status < 500, `${operation.operationId} answers ${status}`);
          const documented = operation.responses[status];
          assert.ok(documented, `${operation.operationId} answers ${status}, which is not documented`);
          const type = (response.headers.get("content-type") ?? "").split(";")[0]!;
          const content = documented.content?.[type] ?? documented.content?.["*/*"];
          assert.ok(
            content,
            `${operation.operationId} answers ${status} as ${type}, which is not documented`,
          );
          if (type === "text/event-stream") stop.abort();
          else if (type.endsWith("json") && content.schema && type !== "application/x-ndjson") {
            const found = checkerOf(content.schema).safeParse(await response.json());
            assert.ok(found.success, `${operation.operationId} ${status}: ${found.error?.message}`);
          } else await response.arrayBuffer();
          if (status < 300) succeeded.add(operation.operationId);
          const foreign = name === "a" ? service.own.b! : name === "b" ? service.own.a! : [];
          if (Object.values(params).some((value) => foreign.includes(value)))
            assert.ok(status >= 400, `${name} reaches ${JSON.stringify(params)} of another client`);
        },
      ),
      { numRuns: REQUESTS },
    );
  }
  const operations = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId }) => !NEEDS_MORE.includes(operationId));
  const never = operations.map(({ operationId }) => operationId).filter((id) => !succeeded.has(id));
  assert.ok(
    never.length <= operations.length / 4,
    `too few got through: ${never.join(", ")} were never answered`,
  );
});
