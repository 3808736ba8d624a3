// e2e: mounts small file systems
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it, type TestContext } from "node:test";
import { DONE, settlement } from "../../ports/ledger-suite/sim-worker.ts";
import { code, jobSpec, keysOf } from "../../ports/ledger-suite/test-kit.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { openSqlite } from "./open.ts";

/** A small disk of its own, or undefined (and the test skipped) where this user may not mount one. */
const smallDisk = (t: TestContext, size: string): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    rmSync(folder, { recursive: true });
    t.skip(`cannot mount a small tmpfs here (it needs root): ${String(error).split("\n")[0]}`);
    return undefined;
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
};

const bulky = (keys: readonly string[]) =>
  keys.map((key) => ({ key, input: JSON.stringify("x".repeat(2000)), lane: "site.test" }));

const addUntilFull = async (ledger: Ledger): Promise<number> => {
  let accepted = 0;
  for (let i = 0; i < 100; i++) {
    try {
      accepted += (await ledger.addItems("job", bulky(keysOf(200, `${i}-`)), [])).accepted;
    } catch (error) {
      assert.ok(code("no-space")(error), String(error));
      return accepted;
    }
  }
  assert.fail("the disk was never full");
};

it("says no-space on a full disk, loses nothing of what was settled, and goes on when there is room", async (t) => {
  const folder = smallDisk(t, "6m");
  if (folder === undefined) return;
  const filler = join(folder, "filler");
  writeFileSync(filler, new Uint8Array(2_000_000));
  const file = join(folder, "ledger.db");
  const ledger = await openSqlite(file);
  t.after(() => ledger.close());
  await ledger.createJob(jobSpec("job"));
  await ledger.addItems("job", bulky(keysOf(50)), []);
  const { items } = await ledger.claim({ worker: "w", room: 50, inFlight: new Map() });
  await ledger.settle(
    "w",
    items.slice(0, 20).map((item) => settlement(item, DONE)),
  );
  const accepted = 50 + (await addUntilFull(ledger));

  const counts = (await ledger.readJob("job"))?.counts;
  assert.ok(counts);
  assert.ok(counts.accepted >= accepted);
  assert.equal(counts.states.done, 20);
  assert.equal(counts.received, counts.accepted);
  const checked = new DatabaseSync(file);
  assert.deepEqual({ ...checked.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
  checked.close();

  rmSync(filler);
  const settled = await ledger.settle(
    "w",
    items.slice(20).map((item) => settlement(item, DONE)),
  );
  assert.deepEqual(settled.refused, []);
  await ledger.addItems("job", bulky(keysOf(50, "later-")), []);
  const after = await openSqlite(file);
  t.after(() => after.close());
  const states = (await after.readJob("job"))?.counts.states;
  assert.deepEqual([states?.done, states?.queued], [50, counts.accepted]);
});

it("says read-only where the data folder cannot be written", async (t) => {
  const folder = smallDisk(t, "4m");
  if (folder === undefined) return;
  const file = join(folder, "ledger.db");
  await (await openSqlite(file)).close();
  execFileSync("mount", ["-o", "remount,ro", folder]);
  await assert.rejects(() => openSqlite(file), code("read-only"));
  await assert.rejects(() => openSqlite(join(folder, "new", "ledger.db")), code("read-only"));
});
