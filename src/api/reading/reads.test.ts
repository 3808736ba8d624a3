import assert from "node:assert/strict";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";
import { storageLocation } from "../../config/storage-location.ts";
import { directReads, startReads } from "./reads.ts";

const THREAD = new URL("../../programs/read-thread.ts", import.meta.url);

const job = async (kit: Awaited<ReturnType<typeof openApiKit>>, count: number, owner = "x") => {
  const inputs = Array.from({ length: count }, (_, n) => ({ parcel: String(n) }));
  const { body } = await kit.ask<{ job: { id: string } }>("POST", "/v1/jobs", {
    json: { scraper: "county", inputs },
  });
  await collectJob(kit, body.job.id, () => ({ body: "page", record: { owner, tax: 1 } }));
  return body.job.id;
};

test("a thread gives the same answers as this one, and reports errors before the first byte", async () => {
  await using kit = await openApiKit();
  await using reads = startReads(THREAD, storageLocation({ data: kit.data }));
  await using direct = directReads(kit);
  const id = await job(kit, 30);
  const asked = [
    { kind: "results", job: id, format: "csv" },
    { kind: "manifest", job: id },
    { kind: "items", job: id, query: { limit: 10 } },
    { kind: "batch", job: id, query: { limit: 10 } },
  ] as const;
  for (const request of asked) {
    const there = await text(await reads.open(request));
    assert.ok(there.length > 100, request.kind);
    assert.equal(there, await text(await direct.open(request)), request.kind);
  }
  await assert.rejects(reads.open({ kind: "manifest", job: "none" }), {
    name: "LedgerError",
    code: "no-such-job",
  });
  await assert.rejects(reads.open({ kind: "results", job: id, format: "jsonl", extraction: "none" }), {
    code: "no-such-extraction",
  });
});

test("a stalled reader delays only its own read, and an abandoned read ends", async () => {
  await using kit = await openApiKit();
  await using reads = startReads(THREAD, storageLocation({ data: kit.data }));
  const id = await job(kit, 400, "o".repeat(10_000));
  const request = { kind: "results", job: id, format: "jsonl" } as const;
  const slow = await reads.open(request);
  const whole = await text(await reads.open(request));
  assert.equal(whole.trimEnd().split("\n").length, 400);
  // It holds what it was sent before the other was read to its end.
  assert.ok(slow.readableLength < 1_000_000, String(slow.readableLength));
  slow.destroy();
  await once(slow, "close");
  assert.equal((await text(await reads.open(request))).length, whole.length);
});

test("a thread that dies breaks its reads, and the next read starts another", async () => {
  await using kit = await openApiKit();
  const id = await job(kit, 400, "o".repeat(10_000));
  const reads = startReads(THREAD, storageLocation({ data: kit.data }));
  const stream = await reads.open({ kind: "results", job: id, format: "jsonl" });
  const broken = once(stream, "error");
  await reads[Symbol.asyncDispose]();
  const [error] = (await broken) as [Error & { code?: string }];
  assert.deepEqual([error.name, error.code], ["LedgerError", "unavailable"]);
  await using _again = reads;
  await delay(0);
  assert.ok((await text(await reads.open({ kind: "manifest", job: id }))).length > 0);
});
