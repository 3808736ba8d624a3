import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { type ApiKit, openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";
import type { Job } from "../../schemas/job.ts";
import type { Item } from "../../schemas/item.ts";
import type { ProblemBody } from "../answers.ts";

const openDoneJob = async (kit: ApiKit, count: number): Promise<string> => {
  const inputs = Array.from({ length: count }, (_, n) => ({ parcel: String(n) }));
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    json: { scraper: "county", inputs, seal: false },
  });
  await collectJob(kit, body.job.id, ({ key }) => ({
    body: `<p class="owner">=Owner ${key}</p>`,
    record: { owner: `=Owner ${key}`, tax: Number(key) },
  }));
  return body.job.id;
};

test("results are JSON lines, CSV or Parquet, even while the job runs", async () => {
  await using kit = await openApiKit();
  const job = await openDoneJob(kit, 250);
  const path = `/v1/jobs/${job}/results`;
  const lines = await kit.ask<string>("GET", path);
  const rows = lines.body
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(rows.length, 250);
  assert.deepEqual(
    [rows[7]!.key, rows[7]!.owner, rows[7]!.tax, rows[7]!._state],
    ["7", "=Owner 7", 7, "done"],
  );
  const csv = await kit.ask<string>("GET", `${path}?format=csv`);
  assert.match(csv.headers.get("content-type")!, /^text\/csv/);
  assert.match(csv.body.split("\n")[8]!, /^7,7,'=Owner 7,7,done/);
  const file = await (await kit.raw("GET", `${path}?format=parquet`)).arrayBuffer();
  const found = await parquetReadObjects({ file });
  assert.deepEqual([found.length, found[7]!.owner], [250, "=Owner 7"]);
});

test("an invalid request for results is a problem, not a broken stream", async () => {
  await using kit = await openApiKit();
  const job = await openDoneJob(kit, 1);
  for (const [query, code] of [
    ["extraction=none", "no-such-extraction"],
    ["scraper=none", "unknown-scraper"],
    ["format=xml", "invalid-request"],
  ] as const)
    assert.equal((await kit.ask<ProblemBody>("GET", `/v1/jobs/${job}/results?${query}`)).body.code, code);
});

test("damaged bytes are reported with their object's name, and not sent", async () => {
  await using kit = await openApiKit();
  const job = await openDoneJob(kit, 3);
  const { body: list } = await kit.ask<{ data: Item[] }>("GET", `/v1/jobs/${job}/items`);
  for await (const { name } of kit.blobs.list(`jobs/${job}/`)) {
    const bytes = Buffer.from(await kit.blobs.get(name));
    bytes[bytes.length - 10]! ^= 1;
    await kit.blobs.put(name, bytes);
  }
  const results = await kit.ask<ProblemBody>("GET", `/v1/jobs/${job}/results`);
  assert.deepEqual([results.status, results.body.code], [500, "damaged"]);
  assert.match(results.body.detail, new RegExp(`^jobs/${job}/records/\\S+: the records of item 2 `));
  const { items } = await kit.ledger.listItems(job, { limit: 1 });
  const { blob, offset } = items[0]!.captures[0]!;
  const bytes = Buffer.from(await kit.blobs.get(blob));
  bytes[offset + 60]! ^= 1;
  await kit.blobs.put(blob, bytes);
  const capture = await kit.ask<ProblemBody>("GET", `/v1/jobs/${job}/items/${list.data[0]!.id}/captures/0`);
  assert.deepEqual([capture.status, capture.body.code], [500, "damaged"]);
  assert.ok(capture.body.detail.includes(blob), capture.body.detail);
});

test("a manifest has one line per item", async () => {
  await using kit = await openApiKit();
  const job = await openDoneJob(kit, 3);
  const { body } = await kit.ask<string>("GET", `/v1/jobs/${job}/manifest`);
  const keys = body
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { key: string }).key);
  assert.deepEqual(keys, ["0", "1", "2"]);
});

test("a capture is sent as received, as a download", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    json: { scraper: "county", inputs: [{ parcel: "1" }] },
  });
  const html = "<script>alert(1)</script>";
  await collectJob(kit, body.job.id, () => ({
    body: gzipSync(html),
    headers: [["content-encoding", "gzip"]],
  }));
  const items = `/v1/jobs/${body.job.id}/items`;
  const [item] = (await kit.ask<{ data: Item[] }>("GET", items)).body.data;
  const path = `${items}/${item!.id}/captures`;
  const listed = await kit.ask<{ data: { number: number; digest: string }[] }>("GET", path);
  assert.equal(listed.body.data.length, 1);
  const capture = await kit.ask<string>("GET", `${path}/0`);
  assert.equal(capture.body, html);
  const { headers } = capture;
  assert.equal(headers.get("x-capture-digest"), listed.body.data[0]!.digest);
  assert.match(headers.get("content-security-policy")!, /^sandbox/);
  assert.match(headers.get("content-disposition")!, /^attachment/);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  const head = await kit.ask<{ status: number; headers: { name: string }[] }>("GET", `${path}/0/headers`);
  assert.equal(head.body.status, 200);
  assert.ok(head.body.headers.some(({ name }) => name === "content-encoding"));
  assert.equal((await kit.ask("GET", `${path}/1`)).status, 404);
});

test("a whole object has a link if the store supports links", async () => {
  await using kit = await openApiKit({ linkTo: async (blob) => `https://store.example/${blob}` });
  const job = await openDoneJob(kit, 1);
  const { data } = (await kit.ask<{ data: Item[] }>("GET", `/v1/jobs/${job}/items`)).body;
  const { body } = await kit.ask<{ data: { link?: string }[] }>(
    "GET",
    `/v1/jobs/${job}/items/${data[0]!.id}/captures`,
  );
  // Packed with others: the link would give all of them.
  assert.deepEqual(
    body.data.map(({ link }) => link),
    [undefined],
  );
});
