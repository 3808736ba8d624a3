import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import { openRegistry } from "../../src/backends/sqlite/registry/open.ts";
import { SimWorker } from "../../src/ports/ledger-suite/sim-worker.ts";

/**
 * What each commit that changed a migration wrote: a job of four items, one done, one failed, one leased, one queued. Before the first release
 * migrations were changed in place, so that some of these can only be refused.
 */
const OPENS: Readonly<Record<string, boolean>> = {
  d2365c0: false,
  "064ff7d": false,
  a07fb8f: false,
  b7047d3: false,
  b64c9f3: false,
  d4c0c33: false,
  a2189e0: true,
  c9699f8: true,
  adb1e0c: false,
  "6d7a8d7": false,
  "3a72fde": true,
  "8a7e754": true,
  "352ea98": true,
  "705cf54": true,
};

const folder = mkdtempSync(join(tmpdir(), "sluice-ledgers-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("every stored ledger is expected to open or not", () => {
  const stored = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".sql"));
  assert.deepEqual(
    stored.toSorted(),
    Object.keys(OPENS)
      .map((commit) => `${commit}.sql`)
      .toSorted(),
  );
});

for (const [commit, opens] of Object.entries(OPENS))
  test(`a ledger written by ${commit} ${opens ? "opens and its job goes on" : "is refused with the reason"}`, async () => {
    const file = join(folder, `${commit}.db`);
    using written = new DatabaseSync(file);
    written.exec(readFileSync(join(import.meta.dirname, `${commit}.sql`), "utf8"));
    written.close();
    if (!opens) {
      await assert.rejects(() => openSqlite(file), { code: "other-version", message: /--data/ });
      await assert.rejects(() => openRegistry(file), { code: "other-version" });
      return;
    }
    const ledger = await openSqlite(file);
    await (await openRegistry(file)).close();
    await ledger.reap({ worker: "w1" });
    const worker = new SimWorker("w2", ledger, Date.now);
    await worker.settle(await worker.take());
    const alone = new SimWorker("w3", ledger, Date.now);
    const suspect = await alone.takeAlone();
    if (suspect) await alone.settle([suspect]);
    const view = await ledger.readJob("job");
    assert.deepEqual([view?.state, view?.counts.states.done, view?.counts.states.failed], ["done", 3, 1]);
    assert.equal((await ledger.listItems("job", { keys: ["a", "d"], limit: 5 })).items.length, 2);
    await ledger.close();
  });
