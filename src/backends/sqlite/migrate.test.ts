import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { ItemState } from "../../domain/item.ts";
import { SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, planned } from "../../ports/ledger-suite/test-kit.ts";
import { LEDGER_SCHEMA, migrate, type Schema } from "./migrate.ts";
import { openSqlite } from "./open.ts";

const [start, emit] = LEDGER_SCHEMA.migrations;
const DIGESTS = 12;

/** As the first version wrote it: one scraper, and nothing said of emitting. */
const firstSpec = (id: string): string => {
  const {
    scrapers: _scrapers,
    extracts: _extracts,
    maxDepth: _maxDepth,
    ...spec
  } = jobSpec(id, {
    fields: ["owner"],
    required: ["owner"],
  });
  return JSON.stringify(spec);
};

test("a ledger of the second version keeps what was leased, waiting, held and cancelled", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-old-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "ledger.db");
  const old = new DatabaseSync(file);
  old.exec(`${start} ${emit} PRAGMA user_version = 2;`);
  const run = (sql: string, ...values: (string | number)[]) => old.prepare(sql).run(...values);
  const soon = Date.now() + 3_600_000;
  run("INSERT INTO clients (name) VALUES ('team'), ('other')");
  const job = (number: number, id: string, client: string, state: string, counts: string) =>
    run(
      `INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, received, accepted, waiting, cancelled)
       VALUES (?, ?, ?, ?, ?, 1, 0, ${counts})`,
      number,
      id,
      client,
      JSON.stringify(jobSpec(id, { client })),
      state,
    );
  job(1, "going", "team", "running", "5, 5, 1, 0");
  job(2, "cancelled", "other", "cancelled", "2, 2, 0, 2");
  run("INSERT INTO lanes (id, name, ready_at, turn) VALUES (1, 'site.test', 0, 7), (2, 'b.test', NULL, 0)");
  run(
    `INSERT INTO queues (id, job, lane, client, burst, concurrency, tail, cursor, open, ready_at, claimable)
     VALUES (1, 1, 1, 'team', 1, 10, 5, 3, 5, 0, 1), (2, 2, 2, 'other', 1, 10, 2, 1, 0, NULL, 0)`,
  );
  run("INSERT INTO turns (lane, client, had) VALUES (1, 'team', 9)");
  run(
    `INSERT INTO items (queue, seq, key, input, state, due_at) VALUES (1, 1, 'a', '{}', 0, NULL), (1, 2, 'b', '{}', 0, NULL),
     (1, 3, 'c', '{}', 2, ?), (1, 4, 'd', '{}', 0, NULL), (1, 5, 'e', '{}', 0, NULL), (2, 1, 'x', '{}', 0, NULL), (2, 2, 'y', '{}', 0, NULL)`,
    soon,
  );
  run("INSERT INTO workers (name, until) VALUES ('w1', ?)", soon);
  run("INSERT INTO leases (id, worker, queue, lo, hi, open) VALUES (1, 'w1', 1, 1, 2, 2)");
  old.close();

  const ledger = await openSqlite(file);
  t.after(() => ledger.close());
  const states = (await ledger.readJob("going"))?.counts.states;
  assert.deepEqual([states?.queued, states?.leased, states?.waiting], [2, 2, 1]);
  const listed = async (id: string, state: ItemState) =>
    (await ledger.listItems(id, { states: [state], limit: 10 })).items.map(({ key }) => key);
  assert.deepEqual(await listed("going", "leased"), ["a", "b"]);
  assert.deepEqual(await listed("going", "waiting"), ["c"]);
  assert.deepEqual(await listed("cancelled", "cancelled"), ["x", "y"]);
  assert.deepEqual(
    (await ledger.listJobs({ limit: 5, client: "team", scraper: "county" })).map(({ spec }) => spec.id),
    ["going"],
  );
  const worker = new SimWorker("w2", ledger, Date.now);
  assert.deepEqual(await worker.takeKeys(), ["d", "e"]);
  assert.deepEqual((await ledger.reap({ worker: "w1" })).workers, 1);
  assert.equal((await ledger.readJob("going"))?.counts.states.leased, 2);
});

test("a ledger of the first version is opened, and its job goes on where it stopped", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-old-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "ledger.db");
  const old = new DatabaseSync(file);
  old.exec(`${start} PRAGMA user_version = 1;`);
  const run = (sql: string, ...values: (string | number)[]) => old.prepare(sql).run(...values);
  run("INSERT INTO clients (name) VALUES ('team')");
  run(
    `INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, received, accepted, done, field_counts)
     VALUES (1, 'old', 'team', ?, 'running', 1, 0, 2, 2, 1, '[1,0,0,0]')`,
    firstSpec("old"),
  );
  run("INSERT INTO lanes (id, name, ready_at) VALUES (1, 'site.test', 0)");
  run(
    `INSERT INTO queues (id, job, lane, client, burst, concurrency, tail, cursor, open, ready_at)
     VALUES (1, 1, 1, 'team', 1, 10, 2, 1, 1, 0)`,
  );
  run("INSERT INTO items (queue, seq, key, input, state) VALUES (1, 1, 'a', '{}', 3), (1, 2, 'b', '{}', 0)");
  run("INSERT INTO results (queue, seq, ended_at, quality) VALUES (1, 1, 5, 'complete')");
  old.close();

  const ledger = await openSqlite(file);
  t.after(() => ledger.close());
  const view = await ledger.readJob("old");
  assert.deepEqual(
    view?.spec.scrapers.map(({ name, version, fields }) => [name, version, fields]),
    [["county", "v1", ["owner"]]],
  );
  assert.deepEqual([view?.spec.extracts, view?.cappedBy.depth], [true, 0]);
  const worker = new SimWorker("w1", ledger, Date.now);
  const [item, ...others] = await worker.take();
  assert.deepEqual([item?.key, item?.scraper, others], ["b", 0, []]);
  await worker.settle([item!]);
  const { items } = await ledger.listItems("old", { limit: 10 });
  assert.deepEqual(
    items.map(({ key, state, scraper, depth, parent }) => [key, state, scraper, depth, parent]),
    [
      ["a", "done", "county", 0, undefined],
      ["b", "done", "county", 0, undefined],
    ],
  );
  assert.equal((await ledger.readJob("old"))?.state, "done");
  await ledger.createJob(jobSpec("new"));
  assert.equal((await ledger.addItems("new", planned(["a"]), [])).accepted, 1);
});

test("a rate that no version takes any more closes its lane for nobody once the ledger is opened again", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-poisoned-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "ledger.db");
  const before = LEDGER_SCHEMA.migrations.slice(0, DIGESTS - 1);
  const old = new DatabaseSync(file);
  migrate(old, file, { part: "ledger", migrations: before });
  const far = Date.now() + 1e303;
  old.exec(`
    INSERT INTO clients (name) VALUES ('poison'), ('team');
    INSERT INTO lanes (id, name, tat, interval_ms) VALUES (1, 'site.test', ${far}, 1e303);
    INSERT INTO turns (lane, client, ready_at) VALUES (1, 'poison', ${far}), (1, 'team', ${far});`);
  const addJob = old.prepare(
    `INSERT INTO jobs (number, id, client, spec, state, sealed, created_at, received, accepted, field_counts, scraper)
     VALUES (?, ?, ?, ?, 'running', 1, 0, 2, 2, '[]', 'county')`,
  );
  const addQueue = old.prepare(
    `INSERT INTO queues (id, job, lane, client, per_second, burst, concurrency, tail, open, ready_at, claimable)
     VALUES (?1, ?1, 1, ?2, ?3, 1, 10, 2, 2, 0, 1)`,
  );
  for (const [at, client] of ["poison", "team"].entries()) {
    const perSecond = client === "poison" ? 1e-300 : 10;
    const pace = { perSecond, burst: 1, concurrency: 10 };
    addJob.run(at + 1, client, client, JSON.stringify(jobSpec(client, { client, pace })));
    addQueue.run(at + 1, client, perSecond);
    old.exec(
      `INSERT INTO items (queue, seq, key, input) VALUES (${at + 1}, 1, 'a', '{}'), (${at + 1}, 2, 'b', '{}')`,
    );
  }
  old.close();

  const ledger = await openSqlite(file);
  t.after(() => ledger.close());
  const jobs = (await new SimWorker("w1", ledger, Date.now).take()).map(({ job }) => job);
  assert.deepEqual(jobs.toSorted(), ["poison", "team", "team"]);
});

test("a new ledger has the tables and rows that its migrations lead to", () => {
  const contents = (schema: Schema): unknown => {
    using db = new DatabaseSync(":memory:");
    migrate(db, "new", schema);
    const made = db.prepare("SELECT name, type, sql FROM sqlite_schema ORDER BY name, type").all();
    const tables = made.filter(({ type }) => type === "table").map(({ name }) => String(name));
    return { made, rows: tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]) };
  };
  const { start: first, ...all } = LEDGER_SCHEMA;
  assert.ok(first && first.version <= all.migrations.length);
  assert.deepEqual(contents(LEDGER_SCHEMA), contents(all));
});
