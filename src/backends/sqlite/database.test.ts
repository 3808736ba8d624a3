import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it, type TestContext } from "node:test";
import type { Grant } from "../../ports/ledger.ts";
import { SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { code, jobSpec, keysOf, planned, SITE } from "../../ports/ledger-suite/test-kit.ts";
import { Database } from "./database.ts";
import { LEDGER_SCHEMA } from "./migrate.ts";
import { openSqlite } from "./open.ts";

const newFolder = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-sqlite-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
};

it("makes its folder, and opens what it has written", async (t) => {
  const file = join(await newFolder(t), "a", "b", "ledger.db");
  const ledger = await openSqlite(file);
  await ledger.createJob(jobSpec("job"));
  await ledger.close();
  const again = await openSqlite(file);
  t.after(() => again.close());
  assert.equal((await again.readJob("job"))?.spec.id, "job");
});

it("gives slots at the times that were booked, however long the claim takes", async (t) => {
  const [nowAt, tickMs] = [{ ms: 1_750_000_000_000 }, { ms: 0 }];
  const now = (): number => (nowAt.ms += tickMs.ms);
  const ledger = await openSqlite(join(await newFolder(t), "ledger.db"), { now });
  t.after(() => ledger.close());
  await ledger.createJob(jobSpec("job", { pace: { perSecond: 10, burst: 1, concurrency: 9 } }));
  await ledger.addItems("job", planned(keysOf(9)), []);
  const claim = { worker: "w1", room: 1, inFlight: new Map<string, number>() };
  const slotAt = ({ slots }: Pick<Grant, "slots">): number => nowAt.ms + slots[0]!.delaysMs[0]!;
  const first = await ledger.claim(claim);
  const firstAt = slotAt(first);
  // Every look at the clock finds it later, as where the machine is busy.
  tickMs.ms = 3;
  assert.equal(slotAt(await ledger.claim(claim)) - firstAt, 100);
  const wishes = [{ lane: SITE, queue: first.items[0]!.queue, count: 1 }];
  assert.equal(slotAt(await new SimWorker("w1", ledger, () => nowAt.ms).pulse({ wishes })) - firstAt, 200);
});

it("says newer-version to a file of a newer release, and leaves it as it is", async (t) => {
  const file = join(await newFolder(t), "ledger.db");
  await (await openSqlite(file)).close();
  const raw = new DatabaseSync(file);
  t.after(() => raw.close());
  const next = LEDGER_SCHEMA.migrations.length + 1;
  raw.exec(`PRAGMA user_version = ${next}`);
  await assert.rejects(() => openSqlite(file), code("newer-version"));
  assert.deepEqual({ ...raw.prepare("PRAGMA user_version").get() }, { user_version: next });
});

it("says damaged to a file that is no ledger", async (t) => {
  const file = join(await newFolder(t), "ledger.db");
  await writeFile(file, "these are not the pages you are looking for\n".repeat(100));
  await assert.rejects(() => openSqlite(file), code("damaged"));
});

it(
  "says read-only where no folder can be created",
  { skip: !existsSync("/proc/self") && "no /proc" },
  async () => {
    await assert.rejects(() => openSqlite("/proc/sluice/data/ledger.db"), code("read-only"));
  },
);

it("says read-only where the folder's place is a file", async (t) => {
  const folder = await newFolder(t);
  await writeFile(join(folder, "file"), "");
  await assert.rejects(() => openSqlite(join(folder, "file", "ledger.db")), code("read-only"));
});

it("says locked when another process keeps the write lock, and has done nothing", async (t) => {
  const file = join(await newFolder(t), "ledger.db");
  const ledger = await openSqlite(file, { lockMs: 30 });
  t.after(() => ledger.close());
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(() => ledger.createJob(jobSpec("job")), code("locked"));
  await assert.rejects(() => openSqlite(file, { lockMs: 30 }), code("locked"));
  assert.equal(await ledger.readJob("job"), undefined);
  other.exec("ROLLBACK");
  await ledger.createJob(jobSpec("job"));
  assert.equal((await ledger.readJob("job"))?.state, "loading");
});

it("waits for a lock without keeping the event loop", async (t) => {
  const file = join(await newFolder(t), "ledger.db");
  const ledger = await openSqlite(file, { lockMs: 30_000 });
  t.after(() => ledger.close());
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  let isCreated = false;
  const creating = ledger.createJob(jobSpec("job")).then(() => (isCreated = true));
  // Both turns of the loop come while the write waits; if it blocked, it would give up before the lock is free.
  await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(isCreated, false);
  other.exec("COMMIT");
  await creating;
  assert.equal((await ledger.readJob("job"))?.state, "loading");
});

it("leaves nothing of a transaction that throws, and goes on", async (t) => {
  const db = await Database.open(join(await newFolder(t), "ledger.db"), {});
  t.after(() => db.close());
  const add = (name: string) => db.run("INSERT INTO clients (name, weight) VALUES (?, 1)", name);
  const broken = new Error("half-way");
  await assert.rejects(
    () =>
      db.write(() => {
        add("a");
        throw broken;
      }),
    broken,
  );
  await db.write(() => add("b"));
  assert.deepEqual(
    db.all<{ name: string }>("SELECT name FROM clients").map(({ name }) => name),
    ["b"],
  );
});

it("leaves no file open when it cannot open the ledger", async (t) => {
  const file = join(await newFolder(t), "ledger.db");
  await writeFile(file, "x".repeat(5000));
  const open = async () => (await readdir("/proc/self/fd")).length;
  const descriptors = await open().catch(() => undefined);
  if (descriptors === undefined) return t.skip("this system has no /proc to count open files in");
  for (let i = 0; i < 20; i++) await assert.rejects(() => openSqlite(file), code("damaged"));
  assert.ok((await open()) < descriptors + 10);
});

it("many transactions in a row leave the event loop to others in between", async (t) => {
  const db = await Database.open(join(await newFolder(t), "ledger.db"), {});
  t.after(() => db.close());
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  count();
  for (let n = 0; n < 10; n++)
    await db.write(() => {
      for (const endAt = performance.now() + 30; performance.now() < endAt;);
    }, false);
  isOver = true;
  assert.ok(turns >= 10, `${turns} turns`);
});
