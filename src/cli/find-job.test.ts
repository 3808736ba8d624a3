import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openStorage } from "../compose.ts";
import { TRIAL_CLIENT } from "../domain/job.ts";
import { findJob } from "./find-job.ts";
import { sampleView } from "./testing/sample-view.ts";

const ONE = [{ key: "1", input: "{}", lane: "site.test" }];

const ledgerWith = async (context: TestContext, ids: readonly string[], trials: readonly string[] = []) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-find-job-"));
  const storage = await openStorage(folder);
  context.after(async () => {
    await storage.ledger.close();
    await rm(folder, { recursive: true });
  });
  for (const id of ids) {
    await storage.ledger.createJob({ ...sampleView().spec, id });
    await storage.ledger.addItems(id, ONE, []);
  }
  for (const id of trials) await storage.ledger.createJob({ ...sampleView().spec, id, client: TRIAL_CLIENT });
  return storage.ledger;
};

const IDS = [
  "20261114-080000-aaaa",
  "20261115-203412-k3f9",
  "20261115-203412-k3f9-2",
  "20261115-210000-zzzz",
];

test("a job is found by its ID, a unique beginning, its last part, or `last`", async (context) => {
  const ledger = await ledgerWith(context, IDS);
  const found = async (named: string) => (await findJob(ledger, named)).spec.id;
  assert.equal(await found("20261115-203412-k3f9"), IDS[1]);
  assert.equal(await found("20261114"), IDS[0]);
  assert.equal(await found("zzzz"), IDS[3]);
  assert.equal(await found("last"), IDS[3]);
});

test("a name that matches several jobs, or none, is refused", async (context) => {
  const ledger = await ledgerWith(context, IDS);
  for (const named of ["20261115", "", "nobody", "0261114"])
    await assert.rejects(findJob(ledger, named), { name: "UsageError" }, named);
});

test("`last` skips a job without items, which is found by its ID", async (context) => {
  const ledger = await ledgerWith(context, IDS);
  await ledger.createJob({ ...sampleView().spec, id: "20261117-000000-none" });
  assert.equal((await findJob(ledger, "last")).spec.id, IDS[3]);
  assert.equal((await findJob(ledger, "none")).spec.id, "20261117-000000-none");
});

test("an empty ledger has no last job", async (context) => {
  await assert.rejects(findJob(await ledgerWith(context, []), "last"), { name: "UsageError" });
});

test("trials are found only by their full ID", async (context) => {
  const [trial = "", ...ids] = IDS.toReversed();
  const ledger = await ledgerWith(context, ids.toReversed(), [trial]);
  const found = async (named: string) => (await findJob(ledger, named)).spec.id;
  assert.equal(await found("last"), IDS[2]);
  assert.equal(await found(trial), trial);
  await assert.rejects(found(trial.slice(-4)), { name: "UsageError" });
});

test("trials do not hide the job before them", async (context) => {
  const trials = Array.from({ length: 401 }, (_, at) => `20261116-080000-${at}`);
  const ledger = await ledgerWith(context, IDS, trials);
  for (const named of ["last", "zzzz"]) assert.equal((await findJob(ledger, named)).spec.id, IDS[3]);
});
