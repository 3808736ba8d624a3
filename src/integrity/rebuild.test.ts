import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { putLines, settledPrefix } from "../archive/journal.ts";
import { sha256 } from "../archive/sha256.ts";
import { rebuildTools } from "../cli/commands/rebuild.ts";
import { type House, LEDGER_FILE, lookAtLedger, openHouse, openLedger, openRegistry } from "../compose.ts";
import { writeJobManifest } from "../export/write-manifest.ts";
import type { ItemView, Outcome } from "../model/item.ts";
import type { JobView } from "../model/job.ts";
import type { SettledLine } from "../ports/ledger-rebuild.ts";
import { failed, settlement, SimWorker, UNCHANGED, waiting } from "../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../ports/ledger-suite/world.ts";
import type { ClaimedItem, SettledItem } from "../ports/ledger.ts";
import { Fsck } from "./fsck.ts";
import { rebuild, RebuildError, type Rebuilt } from "./rebuild.ts";

/** Memory where the system has it: not the disk is asked here. */
const ROOT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const DONE: Outcome = { state: "done", quality: "partial" };

/** A data folder with a worker that fetches nothing, and writes down how items end as workers do. */
class Ground {
  house: House;
  readonly data: string;

  private constructor(house: House) {
    this.house = house;
    this.data = house.data;
  }

  static async open(t: TestContext): Promise<Ground> {
    const ground = new Ground(await openHouse(mkdtempSync(join(ROOT, "sluice-rebuild-unit-"))));
    t.after(async () => {
      await ground.house.ledger.close();
      rmSync(ground.data, { recursive: true });
    });
    return ground;
  }

  async take(job: string, room = 100): Promise<readonly ClaimedItem[]> {
    const worker = new SimWorker("w1", this.house.ledger, Date.now);
    return await worker.take(room, { jobs: [job] });
  }

  /** With a record of its own for each that is done. */
  async settle(
    items: readonly ClaimedItem[],
    outcome: Outcome,
    own: Partial<SettledItem> = {},
  ): Promise<void> {
    const { ledger, blobs } = this.house;
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
    await putLines(
      blobs,
      `${settledPrefix(first!.job)}${name}`,
      lines.map((one) => JSON.stringify(one)),
    );
    assert.deepEqual(await ledger.settle("w1", settled), { refused: [] });
  }

  /** The ledger is lost, and made again. */
  async rebuild(): Promise<Rebuilt> {
    await this.house.ledger.close();
    for (const file of globSync(join(this.data, `${LEDGER_FILE}*`))) rmSync(file);
    const rebuilt = await rebuild(this.data, rebuildTools(true));
    this.house = await openHouse(this.data);
    return rebuilt;
  }

  async view(job: string): Promise<JobView> {
    return (await this.house.ledger.readJob(job))!;
  }

  /** What is to be known of each item, by its key. Times of ends are told by workers, not by the ledger that was lost. */
  async items(job: string): Promise<Map<string, Partial<ItemView>>> {
    const { items } = await this.house.ledger.listItems(job, { limit: 1000 });
    return new Map(
      items.map(({ ref: _ref, endedAt: _endedAt, dueInMs: _due, ...item }) => [item.key, item] as const),
    );
  }

  async fsck(): Promise<string[]> {
    const file = join(this.data, LEDGER_FILE);
    const look = await lookAtLedger(file);
    const fsck = new Fsck({ look, blobs: this.house.blobs, openLedger: () => openLedger(file) });
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

test("a job that had ended is rebuilt as it was, with all that is told of it and its items", async (t) => {
  const ground = await Ground.open(t);
  const { ledger } = ground.house;
  await ledger.createJob(
    jobSpec("one", { fields: ["a"], labels: { team: "x" }, freshness: { maxAgeMs: 1 }, maxItems: 6 }),
  );
  await ledger.addItems("one", planned(["d", "a", "f", "u", "w"]), [{ line: 7, problem: "bad" }]);
  await ledger.addItems("one", planned(["d", "late", "capped"]), []);
  await ledger.sealJob("one");
  const [d, a, f, u, w, late] = await ground.take("one");
  const fresh = { freshMs: 1e9, outcome: "done", etag: '"1"', digest: "x" } as const;
  await ground.settle([d!], DONE, { fieldCounts: [1, 0, 0, 0], fresh });
  await ground.settle([a!], { state: "absent", detail: "gone" });
  await ground.settle([f!, late!], failed("structure-changed"));
  await ground.settle([u!], UNCHANGED);
  await ground.settle([w!], waiting(0));
  const [again] = await ground.take("one");
  await ground.settle([again!], DONE, { fieldCounts: [0, 1, 0, 0] });
  await writeJobManifest(ground.house, "one");
  const [view, items] = [await ground.view("one"), await ground.items("one")];
  assert.equal(view.state, "done");

  const { jobs, problems } = await ground.rebuild();
  assert.deepEqual(problems, []);
  assert.deepEqual(jobs, [
    { job: "one", state: "done", items: 6, ended: 6, queued: 0, capped: 1, lost: 0, withoutInput: 0 },
  ]);
  assert.deepEqual(await ground.view("one"), view);
  assert.deepEqual(await ground.items("one"), items);
  assert.deepEqual([...(await ground.items("one")).keys()], [...items.keys()]);
  assert.deepEqual(await ground.fsck(), []);
  const [entry] = await ground.house.ledger.readFresh([{ client: "team", scraper: "county", key: "d" }]);
  assert.deepEqual([entry?.etag, entry?.digest], ['"1"', "x"]);
  // Told before: nobody is told a second time.
  assert.deepEqual(await ground.house.ledger.events.read({ limit: 10 }), []);
});

test("a job that had not ended is paused; what was settled is there, the rest is claimed when it is resumed", async (t) => {
  const ground = await Ground.open(t);
  const { ledger } = ground.house;
  await ledger.createJob(jobSpec("one", { fields: ["a"] }));
  await ledger.addItems("one", planned(["a", "b", "c", "d"]), [{ line: 2, problem: "bad" }]);
  await ledger.sealJob("one");
  const [a, b] = await ground.take("one", 2);
  await ground.settle([a!], DONE, { fieldCounts: [1, 0, 0, 0] });
  await ground.settle([b!], waiting(1e9));
  const [before, items] = [await ground.view("one"), await ground.items("one")];
  await ground.rebuild();
  const view = await ground.view("one");
  assert.equal(view.state, "paused");
  assert.match(view.paused!.reason, /rebuilt from the archive/);
  const told = (of: JobView): Partial<JobView> => {
    const { counts, partial, attemptFailures, fieldCounts, rejects, requests, bytes, createdAt } = of;
    return { counts, partial, attemptFailures, fieldCounts, rejects, requests, bytes, createdAt };
  };
  assert.deepEqual(told(view), told(before));
  assert.deepEqual(await ground.items("one"), items);
  assert.deepEqual(await ground.fsck(), []);
  assert.deepEqual(await ground.take("one"), []);
  await ground.house.ledger.steerJob("one", "resume");
  const taken = await ground.take("one");
  assert.deepEqual(taken.map(({ key, attempt }) => `${key} ${attempt}`).toSorted(), ["b 2", "c 1", "d 1"]);
  await ground.settle(taken, DONE);
  assert.equal((await ground.view("one")).state, "done");

  await writeJobManifest(ground.house, "one");
  const after = await ground.items("one");
  await ground.rebuild();
  assert.equal((await ground.view("one")).state, "done");
  assert.deepEqual(await ground.items("one"), after);
});

test("a cancelled job and one whose budget was spent are what they were", async (t) => {
  const ground = await Ground.open(t);
  const { ledger } = ground.house;
  for (const [job, own] of [
    ["cancelled", {}],
    ["spent", { budget: { requests: 2 } }],
  ] as const) {
    await ledger.createJob(jobSpec(job, own));
    await ledger.addItems(job, planned(["a", "b", "c", "d"]), []);
    await ledger.sealJob(job);
    const [a, b] = await ground.take(job, 2);
    await ground.settle([a!], DONE);
    await ground.settle([b!], waiting(1e9));
  }
  await ledger.steerJob("cancelled", "cancel");
  for (const job of ["cancelled", "spent"]) await writeJobManifest(ground.house, job);
  const before = { cancelled: await ground.view("cancelled"), spent: await ground.view("spent") };
  const items = { cancelled: await ground.items("cancelled"), spent: await ground.items("spent") };
  await ground.rebuild();
  assert.deepEqual(await ground.view("cancelled"), before.cancelled);
  assert.deepEqual(await ground.view("spent"), before.spent);
  assert.deepEqual(await ground.items("cancelled"), items.cancelled);
  assert.deepEqual(await ground.items("spent"), items.spent);
  assert.deepEqual(await ground.fsck(), []);
});

test("what is damaged or missing is told, and costs no more than itself", async (t) => {
  const ground = await Ground.open(t);
  const { ledger, blobs } = ground.house;
  for (const job of ["no-lines", "no-inputs", "no-records", "no-file", "no-manifest"]) {
    await ledger.createJob(jobSpec(job));
    await ledger.addItems(job, planned(["a", "b"]), []);
    await ledger.sealJob(job);
    await ground.settle((await ground.take(job, 1)).slice(0, 1), DONE);
  }
  await ground.settle(await ground.take("no-manifest"), DONE);
  await writeJobManifest(ground.house, "no-manifest");
  ground.damage("jobs/no-lines/settled/*");
  ground.damage("jobs/no-inputs/inputs/*");
  ground.damage("jobs/no-file/job.json");
  const manifest = join(ground.data, "blobs/jobs/no-manifest/manifest.jsonl");
  writeFileSync(manifest, readFileSync(manifest, "utf8").slice(0, -20));
  for await (const { name } of blobs.list("jobs/no-records/records/")) await blobs.remove(name);
  await blobs.put("jobs/older/manifest.jsonl", Buffer.from(""));
  assert.equal(
    (await ground.fsck()).filter((line) => line.includes("/settled/") || line.includes("/inputs/")).length,
    2,
  );

  const { jobs, problems } = await ground.rebuild();
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
  assert.equal((await ground.view("no-inputs")).isSealed, false, "its inputs can be given again");
  // Resumed, a job of which nothing is left to do ends at once.
  await ground.house.ledger.steerJob("no-manifest", "resume");
  assert.equal((await ground.view("no-manifest")).state, "done");
});

test("an item whose input nobody knows is not fetched, and does not vanish", async (t) => {
  const ground = await Ground.open(t);
  const { ledger, blobs } = ground.house;
  await ledger.createJob(jobSpec("one"));
  await ledger.addItems("one", planned(["a", "b"]), []);
  await ledger.sealJob("one");
  await ground.settle(await ground.take("one", 1), DONE);
  await writeJobManifest(ground.house, "one");
  for await (const { name } of blobs.list("jobs/one/inputs/")) await blobs.remove(name);
  await ground.rebuild();
  const items = await ground.items("one");
  assert.deepEqual(
    [...items.values()].map(({ key, state, failure }) => [key, state, failure?.kind]),
    [
      ["a", "done", undefined],
      ["b", "failed", "invalid-input"],
    ],
  );
  assert.deepEqual(await ground.fsck(), []);
});

test("what an item has led to is found with its parent, also what a limit keeps out", async (t) => {
  const ground = await Ground.open(t);
  const { ledger } = ground.house;
  await ledger.createJob(jobSpec("one", { maxItems: 602 }));
  await ledger.addItems("one", [...planned(["first"]), ...planned(["top"], "top.test")], []);
  await ledger.sealJob("one");
  const top = (await ground.take("one")).filter(({ key }) => key === "top");
  await ground.settle(top, DONE, { emitted: planned(keysOf(700)) });
  // In the order of the manifest they come before their parent.
  await writeJobManifest(ground.house, "one");
  const told = async () =>
    [...(await ground.items("one")).values()].map(({ key, parent }) => `${key} ${parent}`);
  const before = await told();
  const { jobs } = await ground.rebuild();
  assert.deepEqual([jobs[0]?.items, jobs[0]?.ended, jobs[0]?.capped], [602, 1, 100]);
  assert.deepEqual(await told(), before);
  assert.deepEqual(await ground.fsck(), []);
  assert.equal(await ground.house.ledger.raiseCaps("one", { maxItems: 1000 }), 100);
  assert.equal((await told()).filter((item) => item.endsWith(" top")).length, 700);
  assert.deepEqual(await ground.fsck(), []);
});

test("clients keep their keys and lanes their limits; secrets are not in the archive", async (t) => {
  const ground = await Ground.open(t);
  const { ledger, blobs } = ground.house;
  await ledger.createJob(jobSpec("one"));
  await ledger.addItems("one", planned(["a"]), []);
  await ledger.steerLane("site.test", { perSecond: 0.5, isHeld: true });
  const key = { id: "k1", client: "team", role: "client", hash: "h1", prefix: "sk_1", createdAt: 1 } as const;
  {
    const registry = await openRegistry(ground.data);
    const webhooks = [{ id: "w1", url: "https://team.test/hook", secrets: ["whsec_one"] }];
    await registry.saveClient({ name: "team", weight: 2, webhooks, secrets: ["whsec_two"], createdAt: 1 });
    await registry.saveKey(key);
    await registry.saveKey({ ...key, id: "k2", hash: "h2" });
    await registry.revokeKey("k2", 5);
    await registry.close();
  }
  for await (const { name } of blobs.list("service/"))
    assert.doesNotMatch(Buffer.from(await blobs.get(name)).toString(), /whsec_(one|two)/);
  const { clients, keys, webhooks } = await ground.rebuild();
  assert.deepEqual({ clients, keys, webhooks }, { clients: 1, keys: 1, webhooks: 1 });
  const registry = await openRegistry(ground.data);
  const [card] = await registry.listClients();
  assert.deepEqual([card?.name, card?.weight, card?.webhooks[0]?.url], ["team", 2, "https://team.test/hook"]);
  assert.match(card!.webhooks[0]!.secrets[0]!, /^whsec_/);
  assert.deepEqual(await registry.findKey("h1"), key);
  assert.equal((await registry.findKey("h2"))?.revokedAt, 5);
  await registry.close();
  const [lane] = await ground.house.ledger.listLanes({ limit: 5 });
  assert.deepEqual([lane?.operatorPerSecond, lane?.isHeldByOperator], [0.5, true]);
});

test("a ledger that is there is not overwritten, nor is a log of one put into the new ledger", async (t) => {
  const ground = await Ground.open(t);
  await ground.house.ledger.createJob(jobSpec("one"));
  const refused = (error: unknown): boolean => error instanceof RebuildError && error.code === "ledger-there";
  await assert.rejects(rebuild(ground.data, rebuildTools(true)), refused);
  await ground.house.ledger.close();
  renameSync(join(ground.data, LEDGER_FILE), join(ground.data, "away.db"));
  writeFileSync(join(ground.data, `${LEDGER_FILE}-wal`), "");
  await assert.rejects(rebuild(ground.data, rebuildTools(true)), refused);
});
