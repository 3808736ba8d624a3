import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { packLines, settledPrefix } from "../archive/journal.ts";
import { writeManifest } from "../archive/manifest.ts";
import { sha256 } from "../archive/stored-bytes.ts";
import { rebuildTools } from "../cli/actions/backup.ts";
import { lookAtLedger, openLedger, openRegistry, openStorage } from "../compose.ts";
import { LEDGER_FILE } from "../config/storage-location.ts";
import type { Storage } from "../ports/storage.ts";
import { addFailurePairs, type FailurePairs } from "../domain/failure-times.ts";
import type { ItemView, Outcome } from "../domain/item.ts";
import type { JobView } from "../domain/job.ts";
import type { SettledLine } from "../ports/ledger-check.ts";
import { failed, settlement, SimWorker, UNCHANGED, waiting } from "../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../ports/ledger-suite/test-kit.ts";
import type { ClaimedItem, SettledItem } from "../ports/ledger.ts";
import { Fsck } from "./fsck.ts";
import { rebuild, RebuildError, type Rebuilt } from "./rebuild.ts";

/** In memory if the system supports it: this does not test the disk. */
const ROOT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const DONE: Outcome = { state: "done", quality: "partial" };

/** A data folder with a worker that fetches nothing, and writes down how items end as workers do. */
class Kit {
  storage: Storage;
  readonly data: string;

  private constructor(storage: Storage) {
    this.storage = storage;
    this.data = storage.data;
  }

  static async open(t: TestContext): Promise<Kit> {
    const kit = new Kit(await openStorage(mkdtempSync(join(ROOT, "sluice-rebuild-unit-"))));
    t.after(async () => {
      await kit.storage.ledger.close();
      rmSync(kit.data, { recursive: true });
    });
    return kit;
  }

  async take(job: string, room = 100): Promise<readonly ClaimedItem[]> {
    const worker = new SimWorker("w1", this.storage.ledger, Date.now);
    return await worker.take(room, { jobs: [job] });
  }

  /** With a record of its own for each that is done. */
  async settle(
    items: readonly ClaimedItem[],
    outcome: Outcome,
    own: Partial<SettledItem> = {},
  ): Promise<void> {
    const { ledger, blobs } = this.storage;
    const [first] = items;
    const name = `${first!.job}-${first!.queue}-${first!.seq}-${first!.attempt}`;
    const blob = `jobs/${first!.job}/records/${name}.jsonl`;
    const line = '{"key":"x"}\n';
    if (outcome.state === "done") await blobs.put(blob, Buffer.from(line.repeat(items.length)));
    const attempt = { startedAt: Date.now() - 5, ms: 5, requests: 1, bytes: 100 };
    const settled = items.map((item, at) => {
      const range = {
        blob,
        offset: at * line.length,
        length: line.length,
        digest: sha256(Buffer.from(line)),
      };
      return settlement(item, outcome, { attempt, records: outcome.state === "done" ? range : null, ...own });
    });
    const lines = settled.map(({ lease: _lease, queue, seq, ...told }, at) => {
      const { key, scraper, revision } = items[at]!;
      return { key, scraper, place: [queue, seq], revision, worker: "w1", ...told } satisfies SettledLine;
    });
    const segment = await packLines(
      `${settledPrefix(first!.job)}${name}`,
      lines.map((one) => JSON.stringify(one)),
    );
    await blobs.put(segment.name, segment.bytes);
    assert.deepEqual(await ledger.settle("w1", settled), { refused: [] });
  }

  /** The ledger is lost, and made again. */
  async rebuild(): Promise<Rebuilt> {
    await this.storage.ledger.close();
    for (const file of globSync(join(this.data, `${LEDGER_FILE}*`))) rmSync(file);
    const rebuilt = await rebuild(this.data, rebuildTools(true));
    this.storage = await openStorage(this.data);
    return rebuilt;
  }

  async view(job: string): Promise<JobView> {
    return (await this.storage.ledger.readJob(job))!;
  }

  /** The expected view of each item, by its key. Workers report end times, not the ledger that was lost. */
  async items(job: string): Promise<Map<string, Partial<ItemView>>> {
    const { items } = await this.storage.ledger.listItems(job, { limit: 1000 });
    return new Map(
      items.map(({ ref: _ref, endedAt: _endedAt, dueInMs: _due, ...item }) => [item.key, item] as const),
    );
  }

  async fsck(): Promise<string[]> {
    const file = join(this.data, LEDGER_FILE);
    const look = await lookAtLedger(file);
    const fsck = new Fsck({ look, blobs: this.storage.blobs, openLedger: () => openLedger(file) });
    return (await Array.fromAsync(fsck.run())).map(({ where, problem }) => `${where}: ${problem}`);
  }

  damage(pattern: string): string {
    const [file] = globSync(join(this.data, "blobs", pattern));
    const bytes = readFileSync(file!);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(file!, bytes);
    return file!;
  }
}

test("an ended job is rebuilt unchanged, with everything that is known about it and its items", async (t) => {
  const kit = await Kit.open(t);
  const { ledger } = kit.storage;
  await ledger.createJob(
    jobSpec("one", { fields: ["a"], labels: { team: "x" }, freshness: { maxAgeMs: 1 }, maxItems: 6 }),
  );
  await ledger.addItems("one", planned(["d", "a", "f", "u", "w"]), [{ line: 7, problem: "bad" }]);
  await ledger.addItems("one", planned(["d", "late", "capped"]), []);
  await ledger.sealJob("one");
  const [d, a, f, u, w, late] = await kit.take("one");
  const fresh = { freshMs: 1e9, outcome: "done", etag: '"1"', digest: "x" } as const;
  await kit.settle([d!], DONE, { fieldCounts: [1, 0, 0, 0], fresh });
  await kit.settle([a!], { state: "absent", detail: "gone" });
  await kit.settle([f!, late!], failed("structure-changed"));
  await kit.settle([u!], UNCHANGED);
  await kit.settle([w!], waiting(0));
  const [again] = await kit.take("one");
  await kit.settle([again!], DONE, { fieldCounts: [0, 1, 0, 0] });
  await writeManifest(kit.storage, "one");
  const [view, items] = [await kit.view("one"), await kit.items("one")];
  assert.equal(view.state, "done");

  const { jobs, problems } = await kit.rebuild();
  assert.deepEqual(problems, []);
  assert.deepEqual(jobs, [
    { job: "one", state: "done", items: 6, ended: 6, queued: 0, capped: 1, lost: 0, withoutInput: 0 },
  ]);
  assert.deepEqual(await kit.view("one"), view);
  const { buckets } = await kit.storage.ledger.readFailures("one");
  const failures = Object.values(buckets).reduce<FailurePairs>(
    (sum, pairs) => addFailurePairs(sum, pairs),
    {},
  );
  assert.deepEqual(failures, { "structure-changed": [2, 2], timeout: [0, 1] });
  assert.deepEqual(await kit.items("one"), items);
  assert.deepEqual([...(await kit.items("one")).keys()], [...items.keys()]);
  assert.deepEqual(await kit.fsck(), []);
  const [entry] = await kit.storage.ledger.readFresh([{ client: "team", scraper: "county", key: "d" }]);
  assert.deepEqual([entry?.etag, entry?.digest], ['"1"', "x"]);
  // Sent before: it is not sent a second time.
  assert.deepEqual(await kit.storage.ledger.events.read({ limit: 10 }), []);
});

test("a job that had not ended is paused; what was settled is there, the rest is claimed when it is resumed", async (t) => {
  const kit = await Kit.open(t);
  const { ledger } = kit.storage;
  await ledger.createJob(jobSpec("one", { fields: ["a"] }));
  await ledger.addItems("one", planned(["a", "b", "c", "d"]), [{ line: 2, problem: "bad" }]);
  await ledger.sealJob("one");
  const [a, b] = await kit.take("one", 2);
  await kit.settle([a!], DONE, { fieldCounts: [1, 0, 0, 0] });
  await kit.settle([b!], waiting(1e9));
  const [before, items] = [await kit.view("one"), await kit.items("one")];
  await kit.rebuild();
  const view = await kit.view("one");
  assert.equal(view.state, "paused");
  assert.match(view.paused!.reason, /rebuilt from the archive/);
  const told = (of: JobView): Partial<JobView> => {
    const { counts, partial, attemptFailures, fieldCounts, rejects, requests, bytes, createdAt } = of;
    return { counts, partial, attemptFailures, fieldCounts, rejects, requests, bytes, createdAt };
  };
  assert.deepEqual(told(view), told(before));
  assert.deepEqual(await kit.items("one"), items);
  assert.deepEqual(await kit.fsck(), []);
  assert.deepEqual(await kit.take("one"), []);
  await kit.storage.ledger.controlJob("one", "resume");
  const taken = await kit.take("one");
  assert.deepEqual(taken.map(({ key, attempt }) => `${key} ${attempt}`).toSorted(), ["b 2", "c 1", "d 1"]);
  await kit.settle(taken, DONE);
  assert.equal((await kit.view("one")).state, "done");

  await writeManifest(kit.storage, "one");
  const after = await kit.items("one");
  await kit.rebuild();
  assert.equal((await kit.view("one")).state, "done");
  assert.deepEqual(await kit.items("one"), after);
});

test("a cancelled job and a job with a spent budget are rebuilt as such", async (t) => {
  const kit = await Kit.open(t);
  const { ledger } = kit.storage;
  for (const [job, own] of [
    ["cancelled", {}],
    ["spent", { budget: { requests: 2 } }],
  ] as const) {
    await ledger.createJob(jobSpec(job, own));
    await ledger.addItems(job, planned(["a", "b", "c", "d"]), []);
    await ledger.sealJob(job);
    const [a, b] = await kit.take(job, 2);
    await kit.settle([a!], DONE);
    await kit.settle([b!], waiting(1e9));
  }
  await ledger.controlJob("cancelled", "cancel");
  for (const job of ["cancelled", "spent"]) await writeManifest(kit.storage, job);
  const before = { cancelled: await kit.view("cancelled"), spent: await kit.view("spent") };
  const items = { cancelled: await kit.items("cancelled"), spent: await kit.items("spent") };
  await kit.rebuild();
  assert.deepEqual(await kit.view("cancelled"), before.cancelled);
  assert.deepEqual(await kit.view("spent"), before.spent);
  assert.deepEqual(await kit.items("cancelled"), items.cancelled);
  assert.deepEqual(await kit.items("spent"), items.spent);
  assert.deepEqual(await kit.fsck(), []);
});

test("damaged and missing objects are reported, and nothing else is lost", async (t) => {
  const kit = await Kit.open(t);
  const { ledger, blobs } = kit.storage;
  for (const job of ["no-lines", "no-inputs", "no-records", "no-file", "no-manifest"]) {
    await ledger.createJob(jobSpec(job));
    await ledger.addItems(job, planned(["a", "b"]), []);
    await ledger.sealJob(job);
    await kit.settle((await kit.take(job, 1)).slice(0, 1), DONE);
  }
  await kit.settle(await kit.take("no-manifest"), DONE);
  await writeManifest(kit.storage, "no-manifest");
  kit.damage("jobs/no-lines/settled/*");
  kit.damage("jobs/no-inputs/inputs/*");
  kit.damage("jobs/no-file/job.json");
  const manifest = join(kit.data, "blobs/jobs/no-manifest/manifest.jsonl");
  writeFileSync(manifest, readFileSync(manifest, "utf8").slice(0, -20));
  for await (const { name } of blobs.list("jobs/no-records/records/")) await blobs.remove(name);
  await blobs.put("jobs/older/manifest.jsonl", Buffer.from(""));
  assert.equal(
    (await kit.fsck()).filter((line) => line.includes("/settled/") || line.includes("/inputs/")).length,
    2,
  );

  const { jobs, problems } = await kit.rebuild();
  const short = jobs.map(({ job, state, ended, queued, lost, withoutInput }) =>
    [job, state, ended, queued, lost, withoutInput].join(" "),
  );
  assert.deepEqual(short.toSorted(), [
    "no-inputs paused 1 0 0 1",
    "no-lines paused 0 2 0 0",
    "no-manifest paused 2 0 0 0",
    "no-records paused 0 2 1 0",
  ]);
  const named = problems.map((problem) => problem.slice(0, problem.indexOf(":")));
  assert.deepEqual(named.toSorted(), ["no-file", "no-inputs", "no-lines", "no-manifest", "older"]);
  assert.equal((await kit.view("no-inputs")).isSealed, false, "its inputs can be given again");
  // Resumed, a job of which nothing is left to do ends at once.
  await kit.storage.ledger.controlJob("no-manifest", "resume");
  assert.equal((await kit.view("no-manifest")).state, "done");
});

test("an item with an unknown input is not fetched, and does not disappear", async (t) => {
  const kit = await Kit.open(t);
  const { ledger, blobs } = kit.storage;
  await ledger.createJob(jobSpec("one"));
  await ledger.addItems("one", planned(["a", "b"]), []);
  await ledger.sealJob("one");
  await kit.settle(await kit.take("one", 1), DONE);
  await writeManifest(kit.storage, "one");
  for await (const { name } of blobs.list("jobs/one/inputs/")) await blobs.remove(name);
  await kit.rebuild();
  const items = await kit.items("one");
  assert.deepEqual(
    [...items.values()].map(({ key, state, failure }) => [key, state, failure?.kind]),
    [
      ["a", "done", undefined],
      ["b", "failed", "invalid-input"],
    ],
  );
  assert.deepEqual(await kit.fsck(), []);
});

test("emitted items are rebuilt with their parent, also capped ones", async (t) => {
  const kit = await Kit.open(t);
  const { ledger } = kit.storage;
  await ledger.createJob(jobSpec("one", { maxItems: 602 }));
  await ledger.addItems("one", [...planned(["first"]), ...planned(["top"], "top.test")], []);
  await ledger.sealJob("one");
  const top = (await kit.take("one")).filter(({ key }) => key === "top");
  await kit.settle(top, DONE, { emitted: planned(keysOf(700)) });
  // In the order of the manifest they come before their parent.
  await writeManifest(kit.storage, "one");
  const told = async () =>
    [...(await kit.items("one")).values()].map(({ key, parent }) => `${key} ${parent}`);
  const before = await told();
  const { jobs } = await kit.rebuild();
  assert.deepEqual([jobs[0]?.items, jobs[0]?.ended, jobs[0]?.capped], [602, 1, 100]);
  assert.deepEqual(await told(), before);
  assert.deepEqual(await kit.fsck(), []);
  assert.equal(await kit.storage.ledger.raiseCaps("one", { maxItems: 1000 }), 100);
  assert.equal((await told()).filter((item) => item.endsWith(" top")).length, 700);
  assert.deepEqual(await kit.fsck(), []);
});

test("clients keep their keys, lanes their limits, schedules their times; secrets are not in the archive", async (t) => {
  const kit = await Kit.open(t);
  const { ledger, blobs } = kit.storage;
  await ledger.createJob(jobSpec("one"));
  await ledger.addItems("one", planned(["a"]), []);
  await ledger.controlLane("site.test", { perSecond: 0.5, isHeld: true });
  await ledger.documents.commit({
    changes: [{ kind: "schedule", name: "weekly", body: { cron: "0 6 * * 1" } }],
  });
  const key = { id: "k1", client: "team", role: "client", hash: "h1", prefix: "sk_1", createdAt: 1 } as const;
  {
    const registry = await openRegistry(kit.data);
    const webhooks = [{ id: "w1", url: "https://team.test/hook", secrets: ["whsec_one"] }];
    await registry.saveClient({ name: "team", weight: 2, webhooks, secrets: ["whsec_two"], createdAt: 1 });
    await registry.saveKey(key);
    await registry.saveKey({ ...key, id: "k2", hash: "h2" });
    await registry.revokeKey("k2", 5);
    await registry.close();
  }
  for await (const { name } of blobs.list("service/"))
    assert.doesNotMatch(Buffer.from(await blobs.get(name)).toString(), /whsec_(one|two)/);
  const { clients, keys, webhooks } = await kit.rebuild();
  assert.deepEqual({ clients, keys, webhooks }, { clients: 1, keys: 1, webhooks: 1 });
  const registry = await openRegistry(kit.data);
  const [info] = await registry.listClients();
  assert.deepEqual([info?.name, info?.weight, info?.webhooks[0]?.url], ["team", 2, "https://team.test/hook"]);
  assert.match(info!.webhooks[0]!.secrets[0]!, /^whsec_/);
  assert.deepEqual(await registry.findKey("h1"), key);
  assert.equal((await registry.findKey("h2"))?.revokedAt, 5);
  await registry.close();
  const [lane] = await kit.storage.ledger.listLanes({ limit: 5 });
  assert.deepEqual([lane?.operatorPerSecond, lane?.isHeldByOperator], [0.5, true]);
  const weekly = await kit.storage.ledger.documents.read("schedule", "weekly");
  assert.deepEqual(weekly?.body, { cron: "0 6 * * 1" });
});

test("a ledger that is there is not overwritten, nor is a log of one put into the new ledger", async (t) => {
  const kit = await Kit.open(t);
  await kit.storage.ledger.createJob(jobSpec("one"));
  const refused = (error: unknown): boolean => error instanceof RebuildError && error.code === "ledger-there";
  await assert.rejects(rebuild(kit.data, rebuildTools(true)), refused);
  await kit.storage.ledger.close();
  renameSync(join(kit.data, LEDGER_FILE), join(kit.data, "away.db"));
  writeFileSync(join(kit.data, `${LEDGER_FILE}-wal`), "");
  await assert.rejects(rebuild(kit.data, rebuildTools(true)), refused);
});
