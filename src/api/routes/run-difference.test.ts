import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job, RunDifference } from "../../schemas/job.ts";
import type { ScraperEntry } from "../../schemas/operations.ts";
import type { ProblemBody } from "../answers.ts";
import { type ApiKit, openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";

const run = async (kit: ApiKit, key: string, owners: Readonly<Record<string, string>>): Promise<string> => {
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    key,
    json: { scraper: "county", inputs: Object.keys(owners).map((parcel) => ({ parcel })) },
  });
  await collectJob(kit, body.job.id, (item) => ({
    body: "page",
    record: { owner: owners[item.key], tax: 1 },
  }));
  return body.job.id;
};

test("two runs are compared by key: new, gone, and changed by field with pairs; only by who may see both", async () => {
  await using kit = await openApiKit();
  const [a, b] = [await kit.addClient("a"), await kit.addClient("b")];
  const before = await run(kit, a, { 1: "Ann", 2: "Bob", 3: "Cy" });
  const after = await run(kit, a, { 2: "Bob", 3: "Dee", 4: "Eve" });
  const { body } = await kit.ask<RunDifference>("GET", `/v1/jobs/${after}/diff?before=${before}`, { key: a });
  assert.deepEqual(
    [body.items, body.changedItems, body.onlyBefore, body.onlyAfter],
    [2, 1, { count: 1, keys: ["1"] }, { count: 1, keys: ["4"] }],
  );
  assert.deepEqual(
    [body.fields["owner"]?.changed, body.fields["owner"]?.same, body.fields["tax"]?.changed],
    [1, 1, 0],
  );
  const [pair] = body.fields["owner"]!.examples;
  assert.deepEqual(
    [pair?.key, pair?.change, pair?.before?.value, pair?.after?.value],
    ["3", "changed", "Cy", "Dee"],
  );
  const other = await kit.ask("GET", `/v1/jobs/${after}/diff?before=${before}`, { key: b });
  assert.equal(other.status, 404);
  const { body: open } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    key: a,
    json: { scraper: "county", inputs: [{ parcel: "1" }] },
  });
  const refused = await kit.ask<ProblemBody>("GET", `/v1/jobs/${open.job.id}/diff?before=${before}`, {
    key: a,
  });
  assert.deepEqual([refused.status, refused.body.code], [409, "job-running"]);
});

test("scrapers are listed with their newest run and the newest that ended, of the client itself", async () => {
  await using kit = await openApiKit();
  const [a, b] = [await kit.addClient("a"), await kit.addClient("b")];
  const ended = await run(kit, a, { 1: "Ann" });
  const { body: open } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    key: a,
    json: { scraper: "county", inputs: [{ parcel: "1" }] },
  });
  const entry = async (key: string): Promise<ScraperEntry | undefined> =>
    (await kit.ask<{ data: ScraperEntry[] }>("GET", "/v1/scrapers?runs=true", { key })).body.data.find(
      ({ name }) => name === "county",
    );
  const own = await entry(a);
  assert.deepEqual([own?.lastRun?.id, own?.lastSuccess?.id], [open.job.id, ended]);
  assert.equal(own?.lastSuccess?.states.done, 1);
  assert.equal((await entry(b))?.lastRun, undefined);
});
