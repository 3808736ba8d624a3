import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, planned } from "../../ports/ledger-suite/world.ts";
import { start } from "./migrations/0001-start.ts";
import { openSqlite } from "./open.ts";

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
  assert.deepEqual([view?.spec.extracts, view?.tooDeep], [true, 0]);
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
