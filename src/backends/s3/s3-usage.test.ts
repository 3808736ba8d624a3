import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlobRequest } from "../../ports/blobs.ts";
import { S3Usage } from "./s3-usage.ts";

test("requests are counted by job and priced, and each is told once", () => {
  const usage = new S3Usage({ writePrice: 0.005, readPrice: 0.0004 });
  const seen: BlobRequest["kind"][] = [];
  usage.watch(({ kind }) => seen.push(kind));
  const count = (kind: BlobRequest["kind"], name: string, bytes = 0): void =>
    usage.count({ kind, name, requests: 1, bytes });
  count("write", "jobs/a/packs/x", 100);
  count("list", "jobs/a/packs/");
  count("delete", "jobs/a/packs/x");
  count("read", "jobs/a/job.json");
  count("read", "jobs/b/job.json");
  count("write", "service/lanes.json");
  usage.count({ kind: "read", name: "jobs/a/job.json", requests: 0, bytes: 7 });
  assert.deepEqual(usage.take("a"), { requests: 4, bytes: 107, microCost: 10 });
  assert.equal(usage.take("a"), undefined);
  for (let n = 0; n < 4; n++) count("read", "jobs/a/job.json");
  assert.deepEqual(usage.take("a"), { requests: 4, bytes: 0, microCost: 2 }, "0.4 were left over");
  assert.deepEqual(seen.slice(0, 4), ["write", "list", "delete", "read"]);
});
