import assert from "node:assert/strict";
import { test } from "node:test";
import { readManifest } from "../archive/manifest.ts";
import { openSampleStorage } from "../cli/testing/sample-storage.ts";
import { writeJobManifest } from "./write-manifest.ts";

test("the manifest has every item of the job with its state, over all pages", async () => {
  await using storage = await openSampleStorage(2500, (n) =>
    n % 2 === 0
      ? { outcome: { state: "done", quality: "complete" }, records: [{ owner: "Ann" }] }
      : { outcome: { state: "failed", failure: { kind: "captcha", detail: "a puzzle" } } },
  );
  await writeJobManifest(storage, storage.job);
  const entries = await Array.fromAsync(readManifest(storage.blobs, storage.job));
  assert.equal(entries.length, 2500);
  for (const [n, { key, state, failure, records }] of entries.entries()) {
    assert.equal(key, String(n));
    assert.equal(state, n % 2 === 0 ? "done" : "failed");
    assert.equal(failure?.kind, n % 2 === 0 ? undefined : "captcha");
    assert.equal(records === null, n % 2 === 1);
  }
});
