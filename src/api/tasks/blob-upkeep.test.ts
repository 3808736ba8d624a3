import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openFiles } from "../../backends/files/open-files.ts";
import { stepped, NotifyKit } from "../testing/notify-kit.ts";
import { runAbandonedUploads, runJoins } from "./blob-upkeep.ts";

test("jobs that run are joined again and again, those that ended once, and uploads are aborted after a day", async (t) => {
  const service = await NotifyKit.open(t);
  const folder = await mkdtemp(join(tmpdir(), "sluice-upkeep-"));
  t.after(() => rm(folder, { recursive: true }));
  const files = await openFiles(folder);
  const told: string[] = [];
  const blobs = {
    ...files,
    join: async (job: string, { least = 0 } = {}) => {
      told.push(`${job} ${least}`);
      if (job === "broken") throw new Error("no store");
      return { segments: 0, bytes: 0 };
    },
    abortAbandoned: async (olderThanMs: number) => told.push(`older than ${olderThanMs}`),
  };
  for (const job of ["broken", "ended", "runs"]) await service.job(job, {}, 1);
  await service.ledger.controlJob("ended", "cancel");
  const joins = stepped((wait, signal) => runJoins({ ...service.tools("one"), blobs, wait }, signal));
  await joins.rests();
  assert.deepEqual(told.splice(0).toSorted(), ["broken 0", "ended 2", "runs 0"]);
  assert.match(String(service.problems), /broken/);
  await joins.round();
  assert.deepEqual(told.splice(0).toSorted(), ["broken 0", "runs 0"]);
  await joins.stop();
  const aborts = stepped((wait, signal) =>
    runAbandonedUploads({ ...service.tools("one"), blobs, wait }, signal),
  );
  await aborts.rests();
  await aborts.stop();
  assert.deepEqual(told, ["older than 86400000"]);
});
