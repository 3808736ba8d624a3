import assert from "node:assert/strict";
import { test } from "node:test";
import { absoluteBlobPath, blobPath } from "../ports/storage.ts";
import { ledgerFile, resolveStorageUrl, storageLocation } from "./storage-location.ts";

test("ledger and archive are below the data folder by default", () => {
  const location = storageLocation({ data: "./data" });
  assert.deepEqual(location, { data: "./data", ledger: "sqlite:data/sluice.db", blobs: "file:data/blobs" });
  assert.equal(ledgerFile(location), "data/sluice.db");
});

test("a URL overrides one part only; a controller has both", () => {
  const own = storageLocation({ data: "d", blobs: "file:/mnt/pages" });
  assert.equal(ledgerFile(own), "d/sluice.db");
  assert.equal(blobPath(own, "jobs/a"), "/mnt/pages/jobs/a");
  const remote = storageLocation({ data: "d", ledger: "https://c.test", key: "k" });
  assert.deepEqual(remote, { data: "d", ledger: "https://c.test", blobs: "https://c.test", key: "k" });
  assert.equal(blobPath(remote, "jobs/a"), "https://c.test/jobs/a");
  assert.throws(() => ledgerFile(remote), { code: "bad-config" });
});

test("a blob in a bucket has a URL without the options", () => {
  const location = storageLocation({ data: "d", blobs: "s3://pages/x/?endpoint=http://s3.test" });
  assert.equal(blobPath(location, "jobs/a"), "s3://pages/x/jobs/a");
  assert.equal(absoluteBlobPath(location, "jobs/a"), "s3://pages/x/jobs/a");
});

test("paths in the configuration are relative to its folder", () => {
  assert.equal(resolveStorageUrl("sqlite:./data/sluice.db", "/project"), "sqlite:/project/data/sluice.db");
  assert.equal(resolveStorageUrl("file:///srv/blobs", "/project"), "file:///srv/blobs");
  assert.equal(resolveStorageUrl("https://c.test", "/project"), "https://c.test");
});

test("where the ledger is no file, the error names the way out, and no password", () => {
  const problemOf = (ledger: string): string => {
    try {
      return ledgerFile({ ledger });
    } catch (error) {
      return (error as Error).message;
    }
  };
  const postgres = problemOf("postgres://sluice:hidden-word@db.example.org/sluice");
  assert.match(postgres, /pg_dump.*sluice migrate .*--ledger sqlite:copy\.db/);
  assert.doesNotMatch(postgres, /hidden-word/);
  assert.match(problemOf("https://controller.example.org"), /controller's machine/);
  assert.match(problemOf("dynamodb://x"), /Expected a ledger/);
});
