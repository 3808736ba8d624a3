// e2e: kills processes
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openStorage } from "../../src/compose.ts";
import { storageLocation } from "../../src/config/storage-location.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { LOCAL_ACTOR } from "../../src/services/context.ts";
import { findDataset, mustBeCurrent, saveDataset } from "../../src/services/datasets.ts";
import { auditRelease, publishRelease, writeRelease } from "../../src/services/releases.ts";
import { endTownJob } from "./release-job.ts";

const KILLED = join(import.meta.dirname, "killed-release.ts");

/** What a reader sees: the current release, with files that are whole. */
const readCurrent = async (storage: Storage): Promise<{ number: number; state: string; rows: number }> => {
  const { body } = await findDataset(storage, LOCAL_ACTOR, "town");
  const release = await mustBeCurrent(storage, body);
  assert.equal(
    release.audit?.checks.some(({ verdict }) => verdict === "fail"),
    false,
  );
  for (const file of [...release.files, release.published!.manifest]) {
    const bytes = await storage.blobs.get(file.blob);
    assert.equal(`sha256:${createHash("sha256").update(bytes).digest("hex")}`, file.digest, file.name);
  }
  const lines = Buffer.from(
    await storage.blobs.get(release.files.find(({ name }) => name === "data.jsonl")!.blob),
  );
  assert.equal(lines.toString().trimEnd().split("\n").length, release.rows);
  return { number: release.number, state: release.state, rows: release.rows };
};

test("a process that is killed at any step of write, audit or publish leaves readers one whole, audited release", async () => {
  const data = await mkdtemp(join(tmpdir(), "sluice-killed-release-"));
  const location = storageLocation({ data });
  try {
    {
      await using storage = await openStorage(location);
      const context = { ...storage, now: Date.now };
      await endTownJob(storage, 40);
      await saveDataset(context, LOCAL_ACTOR, "town", {
        sources: [{ scraper: "town" }],
        rules: { minRows: 10 },
      });
      await writeRelease(context, LOCAL_ACTOR, "town");
      await auditRelease(context, LOCAL_ACTOR, "town", 1);
      await publishRelease(context, LOCAL_ACTOR, "town", 1);
      await endTownJob(storage, 50);
    }
    const run = (step: number) =>
      spawnSync(process.execPath, [KILLED, data, "town", String(step)], { encoding: "utf8" });
    let published = 1;
    let step = 1;
    for (;;) {
      const { signal, stdout, stderr } = run(step);
      await using storage = await openStorage(location);
      const { number, state, rows } = await readCurrent(storage);
      assert.equal(state, "published");
      assert.equal(rows, number === 1 ? 40 : 50);
      assert.ok(number >= published, "readers never go back");
      published = number;
      if (signal === null) {
        assert.match(stdout, /^\d+\n$/, stderr);
        break;
      }
      assert.equal(signal, "SIGKILL", stderr);
      step++;
    }
    assert.ok(step > 20, `${step} steps`);
    assert.ok(published > 1);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});
