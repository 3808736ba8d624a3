import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";
import { failed, settlement, SimWorker, waiting } from "../../ports/ledger-suite/sim-worker.ts";
import type { FailureTimes, Job } from "../../schemas/job.ts";
import type { Item } from "../../schemas/item.ts";
import type { ProblemBody } from "../answers.ts";

interface Created {
  readonly job: Job;
  readonly rejected: readonly { readonly line: number }[];
}
interface Page<Entry> {
  readonly data: readonly Entry[];
  readonly next?: string;
}

const parcels = (count: number) => Array.from({ length: count }, (_, n) => ({ parcel: String(n) }));

test("a job's failures over time are told by kind, to its client only", async () => {
  await using kit = await openApiKit();
  const [own, other] = [await kit.addClient("tax"), await kit.addClient("law")];
  const json = { scraper: "county", inputs: parcels(3) };
  const { job } = (await kit.ask<Created>("POST", "/v1/jobs", { key: own, json })).body;
  const failures = (key: string) => kit.ask<FailureTimes>("GET", `/v1/jobs/${job.id}/failures`, { key });
  assert.deepEqual((await failures(own)).body.data, []);
  const worker = new SimWorker("w1", kit.ledger, Date.now);
  const [first, second] = await worker.take();
  await kit.ledger.settle("w1", [
    settlement(first!, failed("blocked")),
    settlement(second!, waiting(1000, "timeout")),
  ]);
  const { widthMs, data } = (await failures(own)).body;
  assert.equal(widthMs, 1000);
  assert.deepEqual(
    data.map(({ kinds }) => kinds),
    [{ blocked: { items: 1, attempts: 1 }, timeout: { items: 0, attempts: 1 } }],
  );
  assert.equal(Date.parse(data[0]!.at) % widthMs, 0);
  assert.equal((await failures(other)).status, 404);
});

test("a job takes its inputs and options, and reports rejected inputs", async () => {
  await using kit = await openApiKit();
  const { status, headers, body } = await kit.ask<Created>("POST", "/v1/jobs", {
    json: {
      scraper: "county",
      inputs: [{ parcel: "1" }, { parcel: "x" }, { parcel: "1" }],
      priority: 3,
      pace: { perSecond: 2 },
      maxAttempts: 2,
      deadlineAt: "2090-01-01T02:00:00+02:00",
      budget: { requests: 100 },
      freshness: { maxAgeMs: 0 },
      webhook: "https://hooks.example/x",
      progressMs: 5000,
      labels: { team: "tax" },
    },
  });
  assert.deepEqual([status, headers.get("location")], [201, `/v1/jobs/${body.job.id}`]);
  assert.deepEqual(
    body.rejected.map(({ line }) => line),
    [2],
  );
  const { received, accepted, folded, rejected } = body.job.counts;
  assert.deepEqual(
    { received, accepted, folded, rejected },
    { received: 3, accepted: 1, folded: 1, rejected: 1 },
  );
  assert.deepEqual([body.job.isSealed, body.job.options.pace.perSecond], [true, 2]);
  const { spec } = (await kit.ledger.readJob(body.job.id))!;
  assert.equal(spec.deadlineAt, Date.parse("2090-01-01T00:00:00Z"));
  const { priority, maxAttempts, budget, freshness, webhook, progressMs, labels, guardsTargets } = spec;
  assert.deepEqual(
    { priority, maxAttempts, budget, freshness, webhook, progressMs, labels, guardsTargets },
    {
      priority: 3,
      maxAttempts: 2,
      budget: { requests: 100 },
      freshness: { maxAgeMs: 0 },
      webhook: "https://hooks.example/x",
      progressMs: 5000,
      labels: { team: "tax" },
      guardsTargets: true,
    },
  );
});

test("a job's pace can only be lowered", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<Created>("POST", "/v1/jobs", {
    json: { scraper: "county", inputs: parcels(1), pace: { perSecond: 9999, concurrency: 1000 } },
  });
  const { perSecond, concurrency } = body.job.options.pace;
  assert.deepEqual([perSecond, concurrency], [1000, 100]);
});

test("if no input is valid, no job is created", async () => {
  await using kit = await openApiKit();
  const { status, body } = await kit.ask<ProblemBody>("POST", "/v1/jobs", {
    json: { scraper: "county", inputs: [{ parcel: "x" }, {}] },
  });
  assert.deepEqual(
    [status, body.code, body.errors?.map(({ path }) => path)],
    [422, "no-input-fits", ["inputs/0", "inputs/1"]],
  );
  assert.deepEqual(await kit.ledger.listJobs(), []);
});

test("a client's items per day are limited", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a", "client", { itemsPerDay: 5 });
  const submit = (count: number) =>
    kit.ask<ProblemBody>("POST", "/v1/jobs", { key, json: { scraper: "county", inputs: parcels(count) } });
  assert.equal((await submit(4)).status, 201);
  const { status, headers, body } = await submit(2);
  assert.deepEqual([status, body.code], [429, "quota-exceeded"]);
  assert.ok(Number(headers.get("retry-after")) > 0);
  assert.equal((await submit(1)).status, 201);
});

test("jobs are listed by state, scraper and label, page by page, newest first", async () => {
  await using kit = await openApiKit();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    const { body } = await kit.ask<Created>("POST", "/v1/jobs", {
      json: { scraper: "county", inputs: parcels(1), labels: { parity: n % 2 === 0 ? "even" : "odd" } },
    });
    ids.unshift(body.job.id);
  }
  await kit.ledger.controlJob(ids[1]!, "cancel");
  const list = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    let cursor = "";
    for (;;) {
      const { body } = await kit.ask<Page<Job>>("GET", `/v1/jobs?limit=2${query}${cursor}`);
      assert.ok(body.data.length <= 2);
      found.push(...body.data.map(({ id }) => id));
      if (body.next === undefined) return found;
      cursor = `&cursor=${body.next}`;
    }
  };
  assert.deepEqual(await list(""), ids);
  assert.deepEqual(await list("&state=cancelled"), [ids[1]]);
  assert.deepEqual(await list("&state=cancelled&state=running"), ids);
  assert.deepEqual(await list("&label=parity%3Dodd"), [ids[1], ids[3]]);
  assert.deepEqual(await list("&scraper=page"), []);
});

test("items are found by state, kind and key, with their attempts", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<Created>("POST", "/v1/jobs", {
    json: { scraper: "county", inputs: parcels(30) },
  });
  const { id } = body.job;
  const failure = { kind: "blocked", detail: "403" } as const;
  await collectJob(kit, id, ({ key }) => ({
    body: "page",
    ...(Number(key) < 3 && { outcome: { state: "failed", failure } }),
  }));
  const list = async (query: string) =>
    (await kit.ask<Page<Item>>("GET", `/v1/jobs/${id}/items?${query}`)).body.data;
  assert.deepEqual(
    (await list("state=failed")).map(({ key }) => key),
    ["0", "1", "2"],
  );
  assert.deepEqual(
    (await list("kind=blocked&limit=2")).map(({ key }) => key),
    ["0", "1"],
  );
  assert.deepEqual(await list("kind=timeout"), []);
  const [one] = await list("key=7");
  assert.deepEqual([one?.key, one?.state], ["7", "done"]);
  const item = await kit.ask<Item>("GET", `/v1/jobs/${id}/items/${one?.id}`);
  assert.deepEqual(item.body, one);
  const job = await kit.ask<Job>("GET", `/v1/jobs/${id}`);
  assert.deepEqual([job.body.state, job.body.progress.ended, job.body.progress.share], ["done", 30, 1]);
  assert.deepEqual(
    job.body.failures.map(({ kind, count }) => [kind, count]),
    [["blocked", 3]],
  );
  assert.deepEqual(job.body.cost.requests, 30);
});

test("another client's job, items and captures are as unknown as those that never existed", async () => {
  await using kit = await openApiKit();
  const [own, other, operator] = [
    await kit.addClient("a"),
    await kit.addClient("b"),
    await kit.addClient("c", "operator"),
  ];
  const { body } = await kit.ask<Created>("POST", "/v1/jobs", {
    key: own,
    json: { scraper: "county", inputs: parcels(1) },
  });
  const { id } = body.job;
  await collectJob(kit, id, () => ({ body: "page" }));
  const [item] = (await kit.ask<Page<Item>>("GET", `/v1/jobs/${id}/items`, { key: own })).body.data;
  const paths = [
    "",
    "/items",
    `/items/${item!.id}`,
    `/items/${item!.id}/captures/0`,
    "/results",
    "/manifest",
    "/inputs",
  ];
  for (const path of paths) {
    const status = async (key: string) => (await kit.ask("GET", `/v1/jobs/${id}${path}`, { key })).status;
    assert.deepEqual([await status(own), await status(other), await status(operator)], [200, 404, 200], path);
  }
  for (const verb of ["pause", "resume", "cancel", "retry", "seal"])
    assert.equal((await kit.ask("POST", `/v1/jobs/${id}/${verb}`, { key: other })).status, 404, verb);
  assert.deepEqual((await kit.ask<Page<Job>>("GET", "/v1/jobs", { key: other })).body.data, []);
  assert.deepEqual((await kit.ask<Page<Job>>("GET", "/v1/jobs?client=a", { key: other })).body.data, []);
});

test("a job shows which of its fields are optional", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<Created>("POST", "/v1/jobs", {
    json: { scraper: "county", inputs: [{ parcel: "1" }] },
  });
  const { owner, tax } = body.job.fields;
  assert.deepEqual([owner?.isOptional, tax?.isOptional], [false, true]);
});

test("an unknown scraper is answered with the known ones", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<ProblemBody>("POST", "/v1/jobs", { json: { scraper: "countyy" } });
  assert.equal(body.code, "unknown-scraper");
  assert.match(body.detail ?? "", /county, page/);
});

test("the number of open jobs per client is limited", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a", "client", { maxOpenJobs: 2 });
  const start = () =>
    kit.ask<Created & ProblemBody>("POST", "/v1/jobs", { key, json: { scraper: "county" } });
  const { body: first } = await start();
  assert.equal((await start()).status, 201);
  const { status, body } = await start();
  assert.deepEqual([status, body.code], [429, "too-many-jobs"]);
  await kit.ledger.controlJob(first.job.id, "cancel");
  assert.equal((await start()).status, 201);
});
