import assert from "node:assert/strict";
import { test } from "node:test";
import { blobPath } from "../ports/storage.ts";
import { localFiles, resolveStorageUrl, storageLocation } from "./storage-location.ts";

test("ledger and archive are below the data folder by default", () => {
  const location = storageLocation({ data: "./data" });
  assert.deepEqual(location, { data: "./data", ledger: "sqlite:data/sluice.db", blobs: "file:data/blobs" });
  assert.deepEqual(localFiles(location), { ledger: "data/sluice.db", blobs: "data/blobs" });
});

test("a URL overrides one part only; a controller has both", () => {
  const own = storageLocation({ data: "d", blobs: "file:/mnt/pages" });
  assert.deepEqual(localFiles(own), { ledger: "d/sluice.db", blobs: "/mnt/pages" });
  assert.equal(blobPath(own, "jobs/a"), "/mnt/pages/jobs/a");
  const remote = storageLocation({ data: "d", ledger: "https://c.test", key: "k" });
  assert.deepEqual(remote, { data: "d", ledger: "https://c.test", blobs: "https://c.test", key: "k" });
  assert.equal(blobPath(remote, "jobs/a"), "https://c.test/jobs/a");
  assert.throws(() => localFiles(remote), { code: "bad-config" });
});

test("paths in the configuration are relative to its folder", () => {
  assert.equal(resolveStorageUrl("sqlite:./data/sluice.db", "/project"), "sqlite:/project/data/sluice.db");
  assert.equal(resolveStorageUrl("file:///srv/blobs", "/project"), "file:///srv/blobs");
  assert.equal(resolveStorageUrl("https://c.test", "/project"), "https://c.test");
});
