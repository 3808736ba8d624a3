import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";

interface Batch {
  readonly id: string;
  readonly state: string;
  readonly accepted: number;
  readonly folded: number;
  readonly rejected: number;
  readonly progress: { readonly share: number };
}

test("a batch folds spellings of one URL, rejects invalid ones, and has the outcome of each", async () => {
  await using kit = await openApiKit();
  const urls = [
    "https://a.example/x?b=1&a=2",
    "https://a.example/x?a=2&b=1#top",
    "ftp://a.example/",
    "https://b.example/",
  ];
  const { status, body } = await kit.ask<{ batch: Batch; rejected: { index: number }[] }>(
    "POST",
    "/v1/batches",
    { json: { urls } },
  );
  const { id, accepted, folded, rejected } = body.batch;
  assert.deepEqual([status, accepted, folded, rejected], [201, 2, 1, 1]);
  assert.deepEqual(
    body.rejected.map(({ index }) => index),
    [2],
  );
  const { spec } = (await kit.ledger.readJob(id))!;
  assert.deepEqual([spec.isBatch, spec.scraper, spec.guardsTargets], [true, "page", true]);
  await collectJob(kit, id, ({ lane }) =>
    lane === "b.example"
      ? { body: "", outcome: { state: "failed", failure: { kind: "timeout", detail: "slow" } } }
      : { body: "page" },
  );
  const done = await kit.ask<Batch>("GET", `/v1/batches/${id}`);
  assert.deepEqual([done.body.state, done.body.progress.share], ["done", 1]);
  interface Result {
    readonly url: string;
    readonly state: string;
    readonly failure?: { readonly kind: string };
    readonly captures: readonly unknown[];
  }
  const { body: results } = await kit.ask<{ data: Result[] }>("GET", `/v1/batches/${id}/results`);
  assert.deepEqual(
    results.data.map(({ url, state, failure, captures }) => [url, state, failure?.kind, captures.length]),
    [
      [urls[0], "done", undefined, 1],
      [urls[3], "failed", "timeout", 1],
    ],
  );
});

test("a job that is not a batch is not found as one", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<{ job: { id: string } }>("POST", "/v1/jobs", {
    json: { scraper: "page" },
  });
  assert.equal((await kit.ask("GET", `/v1/batches/${body.job.id}`)).status, 404);
});

test("a batch has at most 10,000 URLs", async () => {
  await using kit = await openApiKit();
  const urls = Array.from({ length: 10_001 }, (_, n) => `https://a.example/${n}`);
  assert.equal((await kit.ask("POST", "/v1/batches", { json: { urls } })).status, 400);
  const { status, body } = await kit.ask<{ batch: Batch }>("POST", "/v1/batches", {
    json: { urls: urls.slice(1) },
  });
  assert.deepEqual([status, body.batch.accepted], [201, 10_000]);
});
