import { storageLocation } from "../../config/storage-location.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openStorage } from "../../compose.ts";
import { jobSpec, planned } from "../../ports/ledger-suite/test-kit.ts";
import { openLocal } from "./local-verbs.ts";

test("a job whose workers were killed is cancelled to its end, and can be removed, where no other process runs", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-local-verbs-"));
  t.after(() => rm(folder, { recursive: true }));
  await using storage = await openStorage(folder);
  const { ledger } = storage;
  for (const job of ["stopped", "removed"]) {
    await ledger.createJob(jobSpec(job));
    await ledger.addItems(job, planned(["a", "b"]), []);
  }
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const claim = { worker: `${hostname()}-${pid}-worker`, room: 4, inFlight: new Map() };
  assert.equal((await ledger.claim(claim)).items.length, 4);
  await ledger.controlJob("removed", "cancel");

  await using verbs = await openLocal(storageLocation({ data: folder }), { makes: false });
  assert.equal((await verbs.markRemoval("removed", "job")).job, "removed");
  const { view, isQuiet } = await verbs.controlJob("stopped", "cancel");
  assert.equal(isQuiet, true);
  assert.notEqual(view.endedAt, undefined);
  assert.equal(view.counts.states.cancelled, 2);
});
