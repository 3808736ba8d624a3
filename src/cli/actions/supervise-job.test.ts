import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { manifestName } from "../../archive/manifest.ts";
import { planned } from "../../ports/ledger-suite/test-kit.ts";
import { Supervisor } from "../../worker/supervisor.ts";
import type { Progress } from "../render/progress.ts";
import { type Ending, openSampleStorage, type SampleStorage } from "../testing/sample-storage.ts";
import { superviseJob, type SuperviseJobOptions } from "./supervise-job.ts";

const DONE: Ending = { outcome: { state: "done", quality: "complete" }, records: [{ owner: "Ann" }] };
const FAILED: Ending = { outcome: { state: "failed", failure: { kind: "captcha", detail: "a puzzle" } } };

/** Supervises the storage's job with workers of such a program, none of which does any work. */
const supervise = async (storage: SampleStorage, own: Partial<SuperviseJobOptions> = {}, program = "") => {
  const script = join(storage.data, "worker.mjs");
  writeFileSync(script, program);
  const processes = program === "" ? 0 : 1;
  const notes: string[] = [];
  const reports: (readonly string[])[] = [];
  const progress: Progress = {
    update: () => {},
    note: (text) => notes.push(text),
    end: (_, report) => reports.push(report),
    [Symbol.dispose]: () => {},
  };
  const supervisor = new Supervisor({ script: pathToFileURL(script), processes, onOutput: () => {} });
  try {
    const code = await superviseJob({
      storage,
      job: storage.job,
      title: "sample",
      isNew: true,
      supervisor,
      processes,
      progress,
      logLevel: "info",
      ...own,
    });
    return { code, notes, reports };
  } finally {
    await supervisor.kill();
  }
};

const stateOf = async ({ ledger, job }: SampleStorage) => (await ledger.readJob(job))!.state;

test("a finished job gets a report and a manifest, and failures set the exit code", async () => {
  await using storage = await openSampleStorage(3, (n) => (n === 1 ? FAILED : DONE));
  const { code, notes, reports } = await supervise(storage);
  assert.deepEqual([code, reports.length], [3, 1]);
  assert.match(notes[0]!, new RegExp(storage.job));
  const manifest = Buffer.from(await storage.blobs.get(manifestName(storage.job))).toString();
  assert.equal(manifest.trim().split("\n").length, 3);
});

test("the output is written before the report names it", async () => {
  await using storage = await openSampleStorage(2, () => DONE);
  const output = join(storage.data, "out.jsonl");
  const { reports } = await supervise(storage, { output });
  assert.match(reports[0]!.join("\n"), /out\.jsonl/);
});

test("a paused job ends the run as interrupted", async () => {
  await using storage = await openSampleStorage(2, () => undefined);
  await storage.ledger.controlJob(storage.job, "pause");
  assert.equal((await supervise(storage)).code, 5);
});

test("ledger events appear in the log and in the notes", async () => {
  await using storage = await openSampleStorage(2, () => undefined);
  await storage.ledger.controlJob(storage.job, "pause");
  await supervise(storage);
  const log = readFileSync(join(storage.data, "logs", `${storage.job}.jsonl`), "utf8");
  assert.match(log, /job\.started[^]*job\.paused/);
  await storage.ledger.controlJob(storage.job, "resume");
  await storage.ledger.controlJob(storage.job, "pause");
  const after = await storage.ledger.events.last();
  await supervise(storage, { after });
  assert.equal(
    readFileSync(join(storage.data, "logs", `${storage.job}.jsonl`), "utf8"),
    log,
    "not a second time",
  );
});

test("events that a killed run did not show are shown by the next one, once", async () => {
  await using storage = await openSampleStorage(2, () => undefined);
  const { events } = storage.ledger;
  await events.move(`run ${storage.job}`, await events.last());
  await storage.ledger.controlJob(storage.job, "pause");
  await supervise(storage, { after: await events.last() });
  const log = readFileSync(join(storage.data, "logs", `${storage.job}.jsonl`), "utf8");
  assert.deepEqual(log.match(/"event":"job\.\w+"/g), ['"event":"job.paused"']);
});

test("unreadable inputs end the run with their error; inputs read before are kept for resume", async () => {
  await using storage = await openSampleStorage(2, () => undefined);
  const broken = new Error("line 7");
  const load = async () => {
    await storage.ledger.addItems(storage.job, planned(["more"]), []);
    throw broken;
  };
  await assert.rejects(supervise(storage, { load }), (error) => error === broken);
  assert.equal(await stateOf(storage), "paused");
});

test("a new job without any readable input is cancelled", async () => {
  await using storage = await openSampleStorage(0, () => undefined);
  await storage.ledger.createJob({ ...(await storage.ledger.readJob(storage.job))!.spec, id: "empty" });
  const load = () => Promise.reject(new Error("no such file"));
  await assert.rejects(supervise(storage, { load, job: "empty" }), /no such file/);
  assert.equal((await storage.ledger.readJob("empty"))!.state, "cancelled");
});

test("a failing worker ends the run with its error, and the job can be resumed", async () => {
  await using storage = await openSampleStorage(2, () => undefined);
  const program = `process.on("message", () =>
    process.send({ type: "failed", name: "LedgerError", code: "no-space", message: "full" }, () => process.exit(1)));`;
  await assert.rejects(
    supervise(storage, {}, program),
    (error) => error instanceof Error && "code" in error && error.code === "no-space",
  );
  assert.equal(await stateOf(storage), "running");
});
