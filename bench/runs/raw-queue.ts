/**
 * What SQLite itself allows: a bare table loaded from the same CSV file, then claimed by ranges and settled, every commit
 * synced. No lanes, no leases to speak of, no results: a limit, not a queue anybody could use.
 */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";

export interface RawQueueTask {
  readonly folder: string;
  readonly csv: string;
}

export interface RawQueueRun {
  readonly items: number;
  readonly loadSeconds: number;
  readonly perSecond: number;
}

const ADD = 20_000;
const CLAIM = 100;

const { folder, csv } = JSON.parse(process.argv[2]!) as RawQueueTask;
const db = new DatabaseSync(join(folder, "raw.db"));
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
  PRAGMA wal_autocheckpoint = 4000;
  CREATE TABLE items (id INTEGER PRIMARY KEY, key TEXT NOT NULL, input TEXT NOT NULL, state INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, ended_at INTEGER);
  CREATE UNIQUE INDEX items_by_key ON items (key);
  CREATE TABLE cursors (job INTEGER PRIMARY KEY, at INTEGER NOT NULL);
  INSERT INTO cursors VALUES (1, 0);
  CREATE TABLE leases (id INTEGER PRIMARY KEY, lo INTEGER NOT NULL, hi INTEGER NOT NULL)`);

const inTransaction = <T>(work: () => T): T => {
  db.exec("BEGIN IMMEDIATE");
  const result = work();
  db.exec("COMMIT");
  return result;
};

const insert = db.prepare("INSERT OR IGNORE INTO items (key, input) VALUES (?, ?)");
const store = (keys: string[]): void =>
  inTransaction(() => {
    for (const key of keys.sort()) insert.run(key, `{"parcel":"${key}"}`);
  });

const loadFrom = performance.now();
let batch: string[] = [];
let isHeader = true;
for await (const line of createInterface({ input: createReadStream(csv) })) {
  if (isHeader) isHeader = false;
  else batch.push(line);
  if (batch.length >= ADD) {
    store(batch);
    batch = [];
  }
}
store(batch);
const loadSeconds = (performance.now() - loadFrom) / 1_000;

const { items } = db.prepare("SELECT count(*) AS items FROM items").get() as { items: number };
const move = db.prepare("UPDATE cursors SET at = at + ? WHERE job = 1 AND at < ? RETURNING at");
const lease = db.prepare("INSERT INTO leases (lo, hi) VALUES (?, ?)");
const read = db.prepare("SELECT id, key, input FROM items WHERE id BETWEEN ? AND ?");
const end = db.prepare(
  "UPDATE items SET state = 3, attempts = attempts + 1, ended_at = ? WHERE id BETWEEN ? AND ?",
);
const free = db.prepare("DELETE FROM leases WHERE id = ?");

const startedAt = performance.now();
for (let seen = 0; seen < items;) {
  const taken = inTransaction(() => {
    const { at } = move.get(CLAIM, items) as { at: number };
    const [lo, hi] = [at - CLAIM + 1, at];
    return { lo, hi, lease: lease.run(lo, hi).lastInsertRowid, rows: read.all(lo, hi) };
  });
  inTransaction(() => {
    end.run(Date.now(), taken.lo, taken.hi);
    free.run(taken.lease);
  });
  seen += taken.rows.length;
}
const seconds = (performance.now() - startedAt) / 1_000;
db.close();
console.log(JSON.stringify({ items, loadSeconds, perSecond: items / seconds } satisfies RawQueueRun));
