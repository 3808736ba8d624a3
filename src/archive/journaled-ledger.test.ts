import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openFiles } from "../backends/files/open-files.ts";
import { openSqlite } from "../backends/sqlite/open.ts";
import { jobSpec, planned } from "../ports/ledger-suite/test-kit.ts";
import { DOCUMENTS_FOLDER, journaled } from "./journaled-ledger.ts";
import { openSealedJson } from "./stored-bytes.ts";

test("calls keep their ids: a call that is sent again takes effect once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-journaled-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sqlite = await openSqlite(join(folder, "ledger.db"));
  t.after(() => sqlite.close());
  const ledger = journaled(sqlite, await openFiles(join(folder, "blobs")));
  await ledger.createJob(jobSpec("job"));
  const twice = async <T>(call: () => Promise<T>): Promise<T> => {
    const first = await call();
    assert.deepEqual(await call(), first);
    return first;
  };
  const added = await twice(() =>
    ledger.addItems("job", planned(["a"]), [{ line: 1, problem: "bad" }], "add"),
  );
  assert.equal(added.accepted, 1);
  assert.equal((await ledger.readJob("job"))!.counts.rejected, 1);
  await twice(() => ledger.controlJob("job", "cancel", undefined, "cancel"));
});

test("documents are in the archive as they are in the ledger", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-journaled-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sqlite = await openSqlite(join(folder, "ledger.db"));
  t.after(() => sqlite.close());
  const blobs = await openFiles(join(folder, "blobs"));
  const { documents } = journaled(sqlite, blobs);
  const kept = async (): Promise<unknown[]> => {
    const found = [];
    for await (const { name } of blobs.list(DOCUMENTS_FOLDER))
      found.push(openSealedJson(await blobs.get(name)));
    return found;
  };
  const weekly = { kind: "schedule", name: "weekly/ü" } as const;
  await documents.commit({ changes: [{ ...weekly, body: { cron: "1" } }] });
  await documents.commit({ changes: [{ ...weekly, body: { cron: "2" } }] });
  assert.equal(
    (await documents.commit({ changes: [{ ...weekly, expected: 1, body: {} }] })).committed,
    false,
  );
  assert.deepEqual(await kept(), [{ ...weekly, body: { cron: "2" } }]);
  await documents.commit({ changes: [{ ...weekly, body: null }] });
  assert.deepEqual(await kept(), []);
});
