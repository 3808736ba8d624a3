import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { fillLedger } from "../../bench/large-ledger.ts";
import { newDatabase, noPostgres } from "../../test/kits/postgres.ts";
import { openPostgres } from "../backends/postgres/open.ts";
import { openSqlite } from "../backends/sqlite/open.ts";
import { openRegistry } from "../backends/sqlite/registry/open.ts";
import { copyLedger } from "../compose.ts";
import { openLedgerTables, openLedgerTarget } from "../compose-tables.ts";
import type { LedgerTarget } from "../ports/ledger-tables.ts";
import { migrateLedger, type MovedLedger, type MoveTools } from "./migrate.ts";

const newFolder = (t: Pick<TestContext, "after">): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-migrate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const move = async (from: string, to: string, tools?: MoveTools): Promise<MovedLedger> => {
  await using source = await openLedgerTables(from);
  await using target = await openLedgerTarget(to);
  return await migrateLedger(source, target, tools);
};

class Stop extends Error {}
/** Ends a migration like a crash, after N copied batches. */
const stopAfter = (batches: number): MoveTools => {
  let left = batches;
  return {
    onProgress: ({ step }) => {
      if (step === "copied" && --left < 0) throw new Stop();
    },
  };
};

describe("moving a ledger", { skip: noPostgres }, () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-migrate-"));
  const file = join(folder, "sluice.db");
  const from = `sqlite:${file}`;

  before(async () => {
    // So long ago that its worker no longer counts as running.
    const ledger = await openSqlite(file, { now: () => Date.now() - 120_000 });
    await fillLedger(ledger, { items: 5_000, jobs: 2 });
    await ledger.close();
    const registry = await openRegistry(file);
    await registry.close();
    const db = new DatabaseSync(file);
    db.exec(`INSERT INTO audit (at, actor, via, action, target, detail, outcome) VALUES (1.25, 'a', 'cli', 'x', char(0, 1, 9, 10, 92) || 'é', NULL, 'ok');
      INSERT INTO audit (at, actor, via, action, outcome) VALUES (2, 'gone', 'cli', 'x', 'ok'); DELETE FROM audit WHERE actor = 'gone'`);
    db.close();
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  test("to PostgreSQL and back: every row and every counter is the same", async (t) => {
    const url = await newDatabase(t);
    const there = await move(from, url);
    assert.ok(there.isNew && there.kept === 0);
    assert.equal(there.tables.find(({ name }) => name === "items")?.rows, 16_000);
    const again = await move(from, url);
    assert.deepEqual({ ...again, kept: 0, isNew: true }, there);
    const back = `sqlite:${join(newFolder(t), "back.db")}`;
    assert.deepEqual((await move(url, back)).tables, there.tables);
    await using first = await openLedgerTables(from);
    await using last = await openLedgerTables(back);
    assert.deepEqual(await last.counters(), await first.counters());
    assert.equal((await last.counters()).audit, 2);
    assert.deepEqual(
      last.tables.map(({ name }) => name),
      first.tables.map(({ name }) => name),
    );
    await assert.rejects(move(from, from), { code: "same" });

    const ledger = await openPostgres(url);
    t.after(() => ledger.close());
    const source = await openSqlite(file);
    t.after(() => source.close());
    assert.deepEqual(await ledger.listJobs(), await source.listJobs());
  });

  test("interrupted after any batch it goes on, and services refuse to start until it has finished", async (t) => {
    const url = await newDatabase(t);
    for (const batches of [0, 2, 3]) {
      await assert.rejects(move(from, url, stopAfter(batches)), Stop);
      await assert.rejects(openPostgres(url), /sluice migrate/);
    }
    const failing = { beforeFinish: async () => Promise.reject(new Stop()) };
    await assert.rejects(move(from, url, failing), Stop);
    await assert.rejects(openPostgres(url), { code: "unavailable" });
    await assert.rejects(openLedgerTables(url), { code: "unavailable" });
    const moved = await move(from, url);
    assert.ok(moved.isNew && moved.kept > 30_000, `${moved.kept} rows kept`);
    await (await openPostgres(url)).close();
  });

  test("where the source has changed since an interrupted migration, its tables are copied again", async (t) => {
    const [changing, url] = [join(newFolder(t), "sluice.db"), await newDatabase(t)];
    await copyLedger(file, changing);
    const failing = { beforeFinish: async () => Promise.reject(new Stop()) };
    await assert.rejects(move(`sqlite:${changing}`, url, failing), Stop);
    const db = new DatabaseSync(changing);
    db.exec("UPDATE items SET input = '{}' WHERE seq = 7; DELETE FROM item_keys WHERE seq = 9");
    db.close();
    const { tables } = await move(`sqlite:${changing}`, url);
    assert.ok(tables.every(({ name, rows }) => name !== "item_keys" || rows < 16_000));
    // Another source starts over.
    const other = await newDatabase(t);
    await assert.rejects(move(`sqlite:${changing}`, other, failing), Stop);
    assert.equal((await move(from, other)).kept, 0);
  });

  test("a target with other rows is refused and stays as it is", async (t) => {
    const url = await newDatabase(t);
    const own = await openPostgres(url, { now: () => Date.now() - 120_000 });
    await fillLedger(own, { items: 1000, jobs: 1 });
    const jobs = await own.listJobs();
    await assert.rejects(move(from, url), /holds other data/);
    assert.deepEqual(await own.listJobs(), jobs);
    await own.close();
    const back = join(newFolder(t), "sluice.db");
    await (await openSqlite(back, {})).close();
    await assert.rejects(move(url, `sqlite:${back}`), { code: "not-empty" });
    assert.ok(!existsSync(join(back, "../migrate.db")));
  });

  test("running processes on either side are detected, and so are writes during the copy", async (t) => {
    const [running, url] = [join(newFolder(t), "sluice.db"), await newDatabase(t)];
    const ledger = await openSqlite(running);
    t.after(() => ledger.close());
    const claim = { worker: "busy", room: 1, inFlight: new Map() };
    await ledger.claim(claim);
    const onWait = (): void => void ledger.claim(claim);
    await assert.rejects(move(`sqlite:${running}`, url, { onWait }), /in use by worker busy/);
    const target = await openPostgres(url);
    t.after(() => target.close());
    await target.claim(claim);
    await assert.rejects(
      move(from, url, { onWait: () => void target.claim(claim) }),
      /in use by worker busy/,
    );

    const written = join(newFolder(t), "sluice.db");
    await copyLedger(file, written);
    const db = new DatabaseSync(written);
    db.exec("PRAGMA journal_mode = WAL");
    t.after(() => db.close());
    const beforeFinish = async (): Promise<void> =>
      db.exec("DELETE FROM cursors; UPDATE jobs SET bytes = bytes + 1");
    await assert.rejects(move(`sqlite:${written}`, await newDatabase(t), { beforeFinish }), {
      code: "changed",
    });
  });

  test("of two migrations to one database, the later one goes on", async (t) => {
    const url = await newDatabase(t);
    await using source = await openLedgerTables(from);
    await using first: LedgerTarget = await openLedgerTarget(url);
    let later: MovedLedger | undefined;
    const beforeFinish = async (): Promise<void> => void (later = await move(from, url));
    await assert.rejects(migrateLedger(source, first, { beforeFinish }), { code: "other-run" });
    assert.ok(later?.isNew);
    assert.equal((await move(from, url)).isNew, false);
  });

  test("a row that PostgreSQL cannot store is named", async (t) => {
    const [damaged, url] = [join(newFolder(t), "sluice.db"), await newDatabase(t)];
    await copyLedger(file, damaged);
    const db = new DatabaseSync(damaged);
    db.exec("UPDATE jobs SET spec = 'secret' WHERE number = 1");
    db.close();
    await assert.rejects(move(`sqlite:${damaged}`, url), (error: Error) => {
      assert.match(error.message, /jobs, line \d+, column spec/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  });

  test("a source that is not a ledger is refused and not changed", async (t) => {
    const [other, url] = [join(newFolder(t), "other.db"), await newDatabase(t)];
    new DatabaseSync(other).exec("CREATE TABLE t (a)");
    await assert.rejects(openLedgerTables(`sqlite:${other}`), { code: "no-ledger" });
    for (let look = 0; look < 2; look++)
      await assert.rejects(openLedgerTables(url), { code: "other-version" });
    await assert.rejects(openLedgerTables("https://controller.test"), /Expected `sqlite:`, `postgres:`/);
  });
});
