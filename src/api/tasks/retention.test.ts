import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openFiles } from "../../backends/files/open-files.ts";
import type { Removal } from "../../domain/removal.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/test-kit.ts";
import { stepped, NotifyKit } from "../testing/notify-kit.ts";
import { runRetention } from "./retention.ts";

test("data that is due or marked is removed in the background and reported once", async (t) => {
  const service = await NotifyKit.open(t);
  const { ledger } = service;
  const folder = await mkdtemp(join(tmpdir(), "sluice-retention-"));
  t.after(() => rm(folder, { recursive: true }));
  const blobs = await openFiles(folder);
  for (const job of ["due", "marked", "stays"]) {
    await ledger.createJob(jobSpec(job, job === "due" ? { retention: { recordsMs: 0 } } : {}));
    await ledger.addItems(job, planned(keysOf(3)), []);
    await ledger.controlJob(job, "cancel");
    await blobs.put(`jobs/${job}/manifest.jsonl`, Buffer.from("{}\n"));
  }
  service.nowMs += 1000;
  const told: Removal[] = [];
  const logs: string[] = [];
  const task = stepped((wait, signal) =>
    runRetention(
      {
        ...service.tools("one"),
        blobs,
        wait,
        retentionOf: () => async (view) => view.spec.retention,
        removeLog: async (job) => void logs.push(job),
        onRemoved: (removal) => void told.push(removal),
        planEveryMs: 0,
      },
      signal,
    ),
  );
  await task.rests();
  await task.round();
  assert.deepEqual(
    told.map(({ job, removed }) => [job, removed.items, removed.bytes]),
    [["due", 3, 3]],
  );
  await ledger.removals.mark("marked", "job");
  await task.round();
  await task.round();
  await task.stop();
  assert.deepEqual(
    told.map(({ job }) => job),
    ["due", "marked"],
  );
  assert.deepEqual(logs, ["due", "marked"]);
  assert.deepEqual(
    (await Array.fromAsync(blobs.list(""))).map(({ name }) => name),
    ["jobs/stays/manifest.jsonl"],
  );
  assert.deepEqual(
    (await ledger.listJobs()).map(({ spec }) => spec.id),
    ["stays"],
  );
  assert.deepEqual(service.problems, []);
});
