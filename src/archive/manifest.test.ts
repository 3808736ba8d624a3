import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { openFiles } from "../backends/files/open-files.ts";
import { openSampleStorage } from "../cli/testing/sample-storage.ts";
import type { Blobs } from "../ports/blobs.ts";
import { type ManifestEntry, manifestLine, manifestName, readManifest, writeManifest } from "./manifest.ts";
import { ArchiveError } from "./stored-bytes.ts";

const done: ManifestEntry = {
  key: "0123456789",
  state: "done",
  quality: "complete",
  attempts: 1,
  captures: [
    {
      name: "detail",
      url: "http://example.com/ä\u2028",
      mediaType: "text/html",
      blob: "jobs/7/captures/w-1.warc.gz",
      offset: 10,
      length: 20,
      digest: `sha256:${"a".repeat(64)}`,
    },
  ],
  records: { blob: "jobs/7/records/w-1.jsonl", offset: 0, length: 99 },
};
const failed: ManifestEntry = {
  key: "line\nbreak",
  state: "failed",
  failure: { kind: "blocked", detail: "a block page" },
  attempts: 3,
  captures: [],
  records: null,
};

const openKit = async (t: TestContext): Promise<Blobs> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-manifest-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return openFiles(folder);
};

const readAll = async (blobs: Blobs): Promise<ManifestEntry[]> => {
  const entries: ManifestEntry[] = [];
  for await (const entry of readManifest(blobs, "7")) entries.push(entry);
  return entries;
};

const page = (n: number) => Array.from({ length: 1_000 }, (_, i) => ({ ...done, key: `ключ-${n}-${i}` }));

const put = (blobs: Blobs, entries: readonly ManifestEntry[]) =>
  blobs.put(manifestName("7"), Buffer.from(entries.map((entry) => `${manifestLine(entry)}\n`).join("")));

it("reads back every entry that was written", async (t) => {
  const blobs = await openKit(t);
  for (const entries of [[done, failed, done], [failed], []]) {
    await put(blobs, entries);
    assert.deepEqual(await readAll(blobs), entries);
  }
});

it("writes one line per item, without internals of the ledger", () => {
  const failure = { kind: "blocked", detail: "a block page", retryAfterMs: 5 } as const;
  const view = { ...failed, failure, lane: "x", input: {} };
  assert.equal(
    manifestLine(view),
    '{"key":"line\\nbreak","state":"failed","failure":{"kind":"blocked","detail":"a block page"},"attempts":3,"captures":[]}',
  );
});

it("reads a manifest of many items whose lines are cut anywhere by the chunks of the store", async (t) => {
  const blobs = await openKit(t);
  await put(blobs, [...page(0), ...page(1), ...page(2)]);
  const whole = await blobs.get(manifestName("7"));
  const tiny: Blobs = {
    ...blobs,
    async *stream() {
      for (let at = 0; at < whole.length; at += 777) yield whole.subarray(at, at + 777);
    },
  };
  const keys = (await readAll(tiny)).map(({ key }) => key);
  assert.deepEqual(
    keys,
    [...page(0), ...page(1), ...page(2)].map(({ key }) => key),
  );
});

it("reports damage if a line is not an entry or the end is missing", async (t) => {
  const blobs = await openKit(t);
  for (const text of [`${manifestLine(done)}\nnonsense\n`, '{"key":"a"}\n', "null\n", manifestLine(done)]) {
    await blobs.put(manifestName("7"), Buffer.from(text));
    await assert.rejects(
      () => readAll(blobs),
      (error) => error instanceof ArchiveError && error.code === "damaged",
    );
  }
});

it("the manifest has every item of the job with its state, over all pages", async () => {
  await using storage = await openSampleStorage(2500, (n) =>
    n % 2 === 0
      ? { outcome: { state: "done", quality: "complete" }, records: [{ owner: "Ann" }] }
      : { outcome: { state: "failed", failure: { kind: "captcha", detail: "a puzzle" } } },
  );
  await writeManifest(storage, storage.job);
  const entries = await Array.fromAsync(readManifest(storage.blobs, storage.job));
  assert.equal(entries.length, 2500);
  for (const [n, { key, state, failure, records }] of entries.entries()) {
    assert.equal(key, String(n));
    assert.equal(state, n % 2 === 0 ? "done" : "failed");
    assert.equal(failure?.kind, n % 2 === 0 ? undefined : "captcha");
    assert.equal(records === null, n % 2 === 1);
  }
});
