import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openFiles } from "../../backends/files/open-files.ts";
import type { Removal } from "../../model/removal.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/world.ts";
import { stepped, TellingHouse } from "../telling-house.suite.ts";
import { runRetention } from "./retention.ts";

test("what is due by a scraper's setting, or was marked by anybody, is removed in the background and told once", async (t) => {
  const house = await TellingHouse.open(t);
  const { ledger } = house;
  const folder = await mkdtemp(join(tmpdir(), "sluice-retention-"));
  t.after(() => rm(folder, { recursive: true }));
  const blobs = await openFiles(folder);
  for (const job of ["due", "marked", "stays"]) {
    await ledger.createJob(jobSpec(job, job === "due" ? { retention: { recordsMs: 0 } } : {}));
    await ledger.addItems(job, planned(keysOf(3)), []);
    await ledger.steerJob(job, "cancel");
    await blobs.put(`jobs/${job}/manifest.jsonl`, Buffer.from("{}\n"));
  }
  house.nowMs += 1000;
  const told: Removal[] = [];
  const logs: string[] = [];
  const duty = stepped((wait, signal) =>
    runRetention(
      {
        ...house.tools("one"),
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
  await duty.rests();
  await duty.round();
  assert.deepEqual(
    told.map(({ job, removed }) => [job, removed.items, removed.bytes]),
    [["due", 3, 3]],
  );
  await ledger.removals.mark("marked", "job");
  await duty.round();
  await duty.round();
  await duty.stop();
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
  assert.deepEqual(house.problems, []);
});
