import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";
import type { Job } from "../../schemas/job.ts";
import type { Item } from "../../schemas/item.ts";
import type { ProblemBody } from "../answers.ts";

const JOB = { scraper: "county", inputs: [{ parcel: "1" }, { parcel: "2" }, { parcel: "3" }] };

test("pause answers when the job is quiet, and earlier only without a wait", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", { json: JOB });
  const path = `/v1/jobs/${body.job.id}`;
  const worker = "w1";
  await kit.ledger.claim({ worker, room: 1, inFlight: new Map(), jobs: [body.job.id] });
  const early = await kit.ask<{ job: Job; isQuiet: boolean }>("POST", `${path}/pause?waitMs=0`);
  assert.deepEqual([early.status, early.body.isQuiet, early.body.job.state], [202, false, "paused"]);
  const pausing = kit.ask<{ isQuiet: boolean }>("POST", `${path}/pause`);
  const [lease] = await kit.ledger.listWorkers();
  assert.equal(lease?.name, worker);
  await kit.ledger.reap({ worker });
  const late = await pausing;
  assert.deepEqual([late.status, late.body.isQuiet], [200, true]);
  const resumed = await kit.ask<Job>("POST", `${path}/resume`);
  assert.deepEqual([resumed.status, resumed.body.state], [200, "running"]);
});

test("a cancelled job cannot be controlled any more", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", { json: JOB });
  const path = `/v1/jobs/${body.job.id}`;
  const cancelled = await kit.ask<{ job: Job }>("POST", `${path}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.job.counts.states.cancelled], [200, 3]);
  for (const verb of ["pause", "resume", "cancel", "retry", "seal"]) {
    const answer = await kit.ask<ProblemBody>("POST", `${path}/${verb}`);
    assert.deepEqual([answer.status, answer.body.code], [409, "job-ended"], verb);
  }
});

test("a raised limit accepts capped inputs, and no limit can be lowered", async () => {
  await using kit = await openApiKit();
  const json = { ...JOB, maxItems: 1 };
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", { json });
  const { id } = body.job;
  const page = () => ({ body: "<p>page</p>", outcome: { state: "done", quality: "complete" } as const });
  await collectJob(kit, id, page);
  const ended = await kit.ask<Job>("GET", `/v1/jobs/${id}`);
  assert.deepEqual([ended.body.state, ended.body.counts.capped, ended.body.cappedBy.items], ["done", 2, 2]);
  const raised = await kit.ask<Job>("POST", `/v1/jobs/${id}/resume`, { json: { maxItems: 3 } });
  assert.deepEqual(
    [raised.body.state, raised.body.counts.capped, raised.body.options.maxItems],
    ["running", 0, 3],
  );
  const down = await kit.ask<ProblemBody>("POST", `/v1/jobs/${id}/resume`, { json: { maxItems: 2 } });
  assert.deepEqual([down.status, down.body.code], [422, "lower-limit"]);
  const odd = await kit.ask<ProblemBody>("POST", `/v1/jobs/${id}/resume`, { json: { maxitems: 9 } });
  assert.equal(odd.status, 400);
  await collectJob(kit, id, page);
  assert.equal((await kit.ask<Job>("GET", `/v1/jobs/${id}`)).body.counts.states.done, 3);
});

test("failed items are retried by kind, by key, by id, or all of them", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", { json: JOB });
  const { id } = body.job;
  const failAll = () =>
    collectJob(kit, id, ({ key }) => ({
      body: "no",
      outcome: { state: "failed", failure: { kind: key === "1" ? "blocked" : "timeout", detail: "no" } },
    }));
  const retry = async (json?: object) => {
    await failAll();
    return (await kit.ask<{ retried: number }>("POST", `/v1/jobs/${id}/retry`, json && { json })).body
      .retried;
  };
  assert.equal(await retry({ kinds: ["blocked"] }), 1);
  assert.equal(await retry({ keys: ["2", "3", "none"] }), 2);
  await failAll();
  const { data } = (await kit.ask<{ data: Item[] }>("GET", `/v1/jobs/${id}/items`)).body;
  assert.equal(await retry({ items: [data[0]!.id] }), 1);
  assert.equal(await retry(), 3);
  const unknown = await kit.ask("POST", `/v1/jobs/${id}/retry`, { json: { items: ["9-9"] } });
  assert.equal(unknown.status, 404);
});
