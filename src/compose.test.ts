import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openBlobs, openRegistry, openStorage } from "./compose.ts";
import { storageLocation } from "./config/storage-location.ts";

test("ledger and archive are opened by their URLs", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-compose-"));
  t.after(() => rm(folder, { recursive: true }));
  const location = storageLocation({
    data: join(folder, "logs"),
    ledger: `sqlite:${join(folder, "one", "ledger.db")}`,
    blobs: `file://${join(folder, "two")}`,
  });
  {
    await using storage = await openStorage(location);
    await storage.blobs.put("a", Buffer.from("x"));
    const registry = await openRegistry(location);
    await registry.close();
  }
  assert.ok(existsSync(join(folder, "one", "ledger.db")));
  assert.ok(existsSync(join(folder, "two", "a")));
  assert.ok(!existsSync(join(folder, "logs")));
});

test("a URL that no backend opens is refused without quoting it", async () => {
  const cases: [string, RegExp][] = [
    ["dynamodb://user:secret@db.test/x", /`dynamodb:` is not available yet\..*`sqlite:`, `postgres:`/],
    ["mysql:secret", /`mysql:` is unknown/],
    ["secret", /not a URL/],
  ];
  for (const [ledger, message] of cases)
    await assert.rejects(openStorage(storageLocation({ data: "none", ledger })), (error: Error) => {
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /secret/);
      return "code" in error && error.code === "bad-config";
    });
  await assert.rejects(openBlobs(storageLocation({ data: "none", blobs: "gs://bucket" })), {
    code: "bad-config",
    message: /`gs:` is unknown\..*`file:`, `s3:`/,
  });
});
