import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { InputCheck, Job, Upload } from "../../schemas/job.ts";
import type { ProblemBody } from "../answers.ts";
import { type ApiKit, type Asked, openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";

const openJob = async (kit: ApiKit, key?: string): Promise<string> => {
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    key,
    json: { scraper: "county" },
  });
  return body.job.id;
};

const ndjson = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `${JSON.stringify({ parcel: String(from + n) })}\n`).join("");
const csv = (from: number, to: number): string =>
  `parcel,year\n${Array.from({ length: to - from }, (_, n) => `${from + n},2026\n`).join("")}`;

const NDJSON = { "content-type": "application/x-ndjson" };
const CSV = { "content-type": "text/csv; charset=utf-8" };

const send = (kit: ApiKit, job: string, asked: Asked, query = "") =>
  kit.ask<Upload & ProblemBody>("POST", `/v1/jobs/${job}/inputs${query}`, asked);

test("inputs come as NDJSON or CSV, plain or gzip, and are counted", async () => {
  await using kit = await openApiKit();
  const job = await openJob(kit);
  const first = await send(kit, job, { body: `${ndjson(0, 10)}{"parcel":"x"}\n`, headers: NDJSON });
  assert.deepEqual(first.body, { offset: 11, accepted: 10, folded: 0, rejected: 1, capped: 0 });
  const second = await send(kit, job, { body: csv(5, 15), headers: CSV });
  assert.deepEqual(second.body, { offset: 21, accepted: 15, folded: 5, rejected: 1, capped: 0 });
  const packed = { ...CSV, "content-encoding": "gzip" };
  const third = await send(kit, job, { body: gzipSync(csv(100, 1100)), headers: packed }, "?seal=true");
  assert.deepEqual([third.body.offset, third.body.accepted], [1021, 1015]);
  const view = (await kit.ledger.readJob(job))!;
  assert.deepEqual([view.isSealed, view.counts.accepted, view.counts.received], [true, 1015, 1021]);
  const late = await send(kit, job, { body: csv(0, 1), headers: CSV });
  assert.deepEqual([late.status, late.body.code], [409, "job-sealed"]);
});

test("an upload continues from its offset or from any point before it, not after it", async () => {
  await using kit = await openApiKit();
  const job = await openJob(kit);
  const at = (offset: number, headers: Readonly<Record<string, string>>) => ({
    ...headers,
    "upload-offset": String(offset),
  });
  await send(kit, job, { body: csv(0, 600), headers: at(0, CSV) });
  const gap = await send(kit, job, { body: csv(700, 800), headers: at(700, CSV) });
  assert.deepEqual([gap.status, gap.body.code, gap.body.offset], [409, "offset-gap", 600]);
  const told = await kit.ask<Upload>("GET", `/v1/jobs/${job}/inputs`);
  assert.equal(told.body.offset, 600);
  const rest = await send(kit, job, { body: csv(600, 700), headers: at(600, CSV) });
  assert.deepEqual(rest.body, { offset: 700, accepted: 700, folded: 0, rejected: 0, capped: 0 });
  const whole = await send(kit, job, { body: csv(0, 900), headers: at(0, CSV) });
  assert.deepEqual(whole.body, { offset: 900, accepted: 900, folded: 0, rejected: 0, capped: 0 });
});

test("an interrupted upload keeps the inputs taken, and is resumed", async () => {
  await using kit = await openApiKit();
  const job = await openJob(kit);
  const url = new URL(`/v1/jobs/${job}/inputs`, kit.url);
  const broken = request(url, { method: "POST", headers: NDJSON });
  broken.on("error", () => undefined);
  broken.write(ndjson(0, 2000));
  let offset = 0;
  while (offset === 0) {
    await new Promise((turn) => setTimeout(turn, 20));
    offset = (await kit.ask<Upload>("GET", `/v1/jobs/${job}/inputs`)).body.offset;
  }
  broken.destroy();
  const headers = { ...NDJSON, "upload-offset": String(offset) };
  const rest = await send(kit, job, { body: ndjson(offset, 3000), headers });
  assert.deepEqual(rest.body, { offset: 3000, accepted: 3000, folded: 0, rejected: 0, capped: 0 });
  assert.deepEqual(
    kit.logged.filter(({ event }) => event === "request.failed"),
    [],
  );
});

test("the first items can be claimed during the upload", async () => {
  await using kit = await openApiKit();
  const job = await openJob(kit);
  const { promise: claimed, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(ndjson(0, 1000)));
      await claimed;
      controller.enqueue(Buffer.from(ndjson(1000, 1100)));
      controller.close();
    },
  });
  const sending = send(kit, job, { body, headers: NDJSON });
  for (;;) {
    const { items } = await kit.ledger.claim({ worker: "w", room: 1, inFlight: new Map(), jobs: [job] });
    if (items.length > 0) break;
    await new Promise((turn) => setTimeout(turn, 10));
  }
  resolve();
  assert.equal((await sending).body.accepted, 1100);
});

test("an upload ends at the client's quota and returns its offset", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a", "client", { itemsPerDay: 600 });
  const job = await openJob(kit, key);
  const { status, body } = await send(kit, job, { key, body: ndjson(0, 1000), headers: NDJSON });
  assert.deepEqual([status, body.code, body.offset], [429, "quota-exceeded", 500]);
  assert.equal((await kit.ledger.readJob(job))!.counts.accepted, 500);
});

const REFUSED: readonly (readonly [string, string, Asked])[] = [
  ["of another type", "unsupported-media-type", { json: [{ parcel: "1" }] }],
  [
    "in another coding",
    "unsupported-media-type",
    { body: "x", headers: { ...CSV, "content-encoding": "br" } },
  ],
  ["without a header", "bad-inputs", { body: "1,2\n3,4\n", headers: CSV }],
  [
    "that ends in the middle of its gzip",
    "bad-inputs",
    { body: gzipSync(csv(0, 1000)).subarray(0, 200), headers: { ...CSV, "content-encoding": "gzip" } },
  ],
  [
    "with an offset that is no number",
    "invalid-request",
    { body: csv(0, 1), headers: { ...CSV, "upload-offset": "-1" } },
  ],
];

for (const [what, code, asked] of REFUSED)
  test(`an upload ${what} is refused`, async () => {
    await using kit = await openApiKit();
    const { body } = await send(kit, await openJob(kit), asked);
    assert.equal(body.code, code);
  });

test("an upload ends when too many inputs are rejected, and the job takes no further invalid ones", async () => {
  await using kit = await openApiKit();
  const job = await openJob(kit);
  const { status, body } = await send(kit, job, {
    body: `${ndjson(0, 5)}${"x\n".repeat(150_000)}`,
    headers: NDJSON,
  });
  assert.deepEqual([status, body.code, body.offset], [422, "too-many-rejected", 100_005]);
  const view = (await kit.ledger.readJob(job))!;
  assert.deepEqual([view.counts.accepted, view.counts.rejected], [5, 100_000]);
  assert.equal((await send(kit, job, { body: ndjson(5, 6), headers: NDJSON })).status, 200);
  assert.equal((await send(kit, job, { body: "x\n", headers: NDJSON })).body.code, "too-many-rejected");
});

test("a body that unpacks to far more than was sent is refused", async () => {
  await using kit = await openApiKit();
  const job = await openJob(kit);
  const { status, body } = await send(kit, job, {
    body: gzipSync(Buffer.alloc(40 * 1024 * 1024, "\n")),
    headers: { ...NDJSON, "content-encoding": "gzip" },
  });
  assert.deepEqual([status, body.code], [422, "bad-inputs"]);
  assert.match(body.detail, /200 times/);
});

test("the rest of an abandoned upload is not processed", async () => {
  await using kit = await openApiKit();
  const job = await openJob(kit);
  const sending = request(`${kit.url}/v1/jobs/${job}/inputs`, {
    method: "POST",
    agent: false,
    headers: NDJSON,
  });
  const isClosed = new Promise((end) => sending.on("error", () => undefined).once("close", end));
  // Not at its end: there is more than the service takes before it looks whether somebody is there.
  sending.write(ndjson(0, 200_000));
  const taken = async (): Promise<number> =>
    (await kit.ask<Upload>("GET", `/v1/jobs/${job}/inputs`)).body.offset;
  while ((await taken()) === 0);
  sending.destroy();
  await isClosed;
  // The next upload begins when the one before is over, which on a busy machine takes longer than it waits for that.
  const sendNext = () => send(kit, job, { body: ndjson(300_000, 300_001), headers: NDJSON });
  let next = await sendNext();
  while (next.body.code === "upload-in-progress") next = await sendNext();
  assert.equal(next.status, 200);
  assert.ok(next.body.offset < 200_000, String(next.body.offset));
});

test("a client at its storage limit cannot add inputs", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a", "client", { maxStoredBytes: 4 });
  const done = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    key,
    json: { scraper: "county", inputs: [{ parcel: "1" }] },
  });
  const open = await openJob(kit, key);
  await collectJob(kit, done.body.job.id, () => ({ body: "page" }));
  const added = await send(kit, open, { key, body: ndjson(0, 1), headers: NDJSON });
  assert.deepEqual([added.status, added.body.code], [409, "storage-full"]);
  const { status, body } = await kit.ask<ProblemBody>("POST", "/v1/jobs", {
    key,
    json: { scraper: "county" },
  });
  assert.deepEqual([status, body.code], [409, "storage-full"]);
});

test("inputs are checked without a job: the first bad rows are named, and nothing is stored", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a");
  const check = (scraper: string, body: string) =>
    kit.ask<InputCheck & ProblemBody>("POST", `/v1/scrapers/${scraper}/check`, {
      key,
      body,
      headers: { "content-type": "text/csv" },
    });
  const { status, body } = await check("county", "parcel\n1\nx\n2\n1\n");
  assert.equal(status, 200);
  const { rejects, ...counts } = body;
  assert.deepEqual(counts, {
    checked: 4,
    accepted: 3,
    rejected: 1,
    folded: 1,
    isMore: false,
    keys: ["1", "2"],
  });
  assert.deepEqual(
    rejects.map(({ line, problem }) => [line, /parcel/.test(problem)]),
    [[3, true]],
  );
  assert.equal((await check("county", `parcel\n${"1\n".repeat(100_001)}`)).body.isMore, true);
  assert.equal((await check("none", "parcel\n1\n")).body.code, "unknown-scraper");
  assert.equal((await kit.ask<{ data: unknown[] }>("GET", "/v1/jobs", { key })).body.data.length, 0);
});
