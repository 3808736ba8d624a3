import type { JobSpec } from "../../../model/job.ts";
import type { ListedItem, LostJob, SettledLine } from "../../../ports/ledger-rebuild.ts";
import type { PlannedItem } from "../../../ports/ledger.ts";
import type { Database } from "../database.ts";
import { nextPlace, type ParentRow } from "../emit-items.ts";

/**
 * All that the archive says of one job's items, by scraper and key. In a file of its own beside the new ledger: a job may be larger than memory,
 * and what belongs to an item is spread over many segments.
 * `given` are inputs, those that were found included; `told` attempts; `listed` the lines of the manifest; `line_up` the order in which items get their
 * places, where `known` is 0 for those of which nothing but the input is known; `placed` the places that they got.
 */
const TABLES = `
CREATE TABLE catalog.given (n INTEGER PRIMARY KEY, scraper INTEGER, key TEXT, input TEXT, lane TEXT, depth INTEGER, chain INTEGER,
  parent_scraper INTEGER, parent_key TEXT, UNIQUE (scraper, key));
CREATE TABLE catalog.told (n INTEGER PRIMARY KEY, scraper INTEGER, key TEXT, at REAL, queue INTEGER, seq INTEGER, finds INTEGER, line TEXT);
CREATE INDEX catalog.told_of ON told (scraper, key, at);
CREATE INDEX catalog.told_finds ON told (at, n) WHERE finds = 1;
CREATE TABLE catalog.listed (n INTEGER PRIMARY KEY, scraper INTEGER, key TEXT, parent TEXT, line TEXT);
CREATE INDEX catalog.listed_of ON listed (scraper, key);
CREATE TABLE catalog.line_up (n INTEGER PRIMARY KEY, scraper INTEGER, key TEXT, known INTEGER);
CREATE INDEX catalog.line_up_of ON line_up (scraper, key);
CREATE TABLE catalog.placed (scraper INTEGER, key TEXT, queue INTEGER, seq INTEGER, PRIMARY KEY (scraper, key)) WITHOUT ROWID;
CREATE INDEX catalog.placed_at ON placed (queue, seq);
`;
const NAMES = ["given", "told", "listed", "line_up", "placed"];
const CHUNK = 1000;

/** An item's row in `line_up`, with its input where that is known. */
export interface LinedUp {
  readonly n: number;
  readonly scraper: number;
  readonly key: string;
  readonly known: number;
  readonly input: string | null;
  readonly lane: string | null;
  readonly depth: number | null;
  readonly chain: number | null;
}

/** What came to the job, and what of it was no input. */
export interface Received {
  received: number;
  rejected: number;
  rejects: readonly unknown[];
}

/** When an attempt ended. */
export const endOf = ({ attempt }: Pick<SettledLine, "attempt">): number => attempt.startedAt + attempt.ms;

export const openCatalog = (db: Database, file: string): void => {
  db.run("ATTACH DATABASE ? AS catalog", file);
  // Worth nothing once the process has gone.
  db.get("PRAGMA catalog.journal_mode = OFF");
  db.get("PRAGMA catalog.synchronous = OFF");
  for (const sql of TABLES.split(";\n")) if (sql.trim() !== "") db.run(sql);
};

/** Takes up all that there is of the job, in place of the job before. */
export const fillCatalog = async (db: Database, spec: JobSpec, job: LostJob): Promise<Received> => {
  for (const name of NAMES) db.run(`DELETE FROM catalog.${name}`);
  const received: Received = { received: 0, rejected: 0, rejects: [] };
  await takeManifest(db, spec, job);
  await takeInputs(db, job, received);
  for await (const lines of job.settled) {
    await db.write(() => {
      for (const line of lines) {
        takeSettled(db, line);
        received.received += line.rejected?.length ?? 0;
        received.rejected += line.rejected?.length ?? 0;
        received.rejects = [...received.rejects, ...(line.rejected ?? [])].slice(0, 20);
      }
    }, false);
  }
  await takeFound(db, received);
  await db.write(() => lineUp(db, job.view.endedAt === undefined || job.view.counts.capped > 0), false);
  return received;
};

const takeManifest = async (db: Database, spec: JobSpec, { manifest }: LostJob): Promise<void> => {
  const numbers = new Map(spec.scrapers.map(({ name }, at) => [name, at]));
  const take = async (lines: readonly ListedItem[]): Promise<void> =>
    await db.write(() => {
      for (const line of lines)
        db.run(
          "INSERT INTO catalog.listed (scraper, key, parent, line) VALUES (?, ?, ?, ?)",
          numbers.get(line.scraper ?? "") ?? 0,
          line.key,
          line.parent ?? null,
          JSON.stringify(line),
        );
    }, false);
  let lines: ListedItem[] = [];
  for await (const line of manifest) {
    lines.push(line);
    if (lines.length < CHUNK) continue;
    await take(lines);
    lines = [];
  }
  await take(lines);
};

const takeInputs = async (db: Database, { inputs }: LostJob, received: Received): Promise<void> => {
  for await (const lines of inputs)
    await db.write(() => {
      for (const line of lines) {
        if ("rejects" in line) {
          received.received += line.rejected;
          received.rejected += line.rejected;
          received.rejects = [...received.rejects, ...line.rejects].slice(0, 20);
        } else {
          give(db, line, { depth: 0, chain: 0 });
          received.received++;
        }
      }
    }, false);
};

interface Found {
  readonly depth: number;
  readonly chain: number;
  readonly parent?: Pick<SettledLine, "key" | "scraper">;
}

/** Who found an input first is its parent, unless the manifest names another. */
const give = (db: Database, item: PlannedItem, { depth, chain, parent }: Found): void => {
  db.run(
    `INSERT INTO catalog.given (scraper, key, input, lane, depth, chain, parent_scraper, parent_key)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
     ON CONFLICT (scraper, key) DO UPDATE SET depth = ?5, chain = ?6, parent_scraper = ?7, parent_key = ?8
     WHERE ?8 IS NOT NULL AND parent_key IS NOT ?8
       AND ?8 = (SELECT l.parent FROM catalog.listed l WHERE l.scraper = ?1 AND l.key = ?2)`,
    item.scraper ?? 0,
    item.key,
    item.input,
    item.lane,
    depth,
    chain,
    parent?.scraper ?? null,
    parent?.key ?? null,
  );
};

const takeSettled = (db: Database, line: SettledLine): void => {
  db.run(
    "INSERT INTO catalog.told (scraper, key, at, queue, seq, finds, line) VALUES (?, ?, ?, ?, ?, ?, ?)",
    line.scraper,
    line.key,
    endOf(line),
    ...line.place,
    line.emitted.length > 0 ? 1 : 0,
    JSON.stringify(line),
  );
};

/** In the order of time: whoever finds an input was found before. */
const takeFound = async (db: Database, received: Received): Promise<void> => {
  for (let after = { at: -Infinity, n: 0 }; ;) {
    const rows = db.all<{ at: number; n: number; line: string }>(
      "SELECT at, n, line FROM catalog.told WHERE finds = 1 AND (at, n) > (?, ?) ORDER BY at, n LIMIT 100",
      after.at,
      after.n,
    );
    if (rows.length === 0) return;
    after = rows.at(-1)!;
    await db.write(() => {
      for (const row of rows) {
        const line = JSON.parse(row.line) as SettledLine;
        const parent = db.get<ParentRow>(
          "SELECT scraper, depth, chain FROM catalog.given WHERE scraper = ? AND key = ?",
          line.scraper,
          line.key,
        ) ?? { scraper: line.scraper, depth: 0, chain: 0 };
        for (const item of line.emitted)
          give(db, item, { ...nextPlace(parent, item.scraper ?? 0), parent: line });
        received.received += line.emitted.length;
      }
    }, false);
  }
};

/** As the manifest has them, then as they stood in the lost ledger, then as they came. */
const lineUp = (db: Database, takesRest: boolean): void => {
  db.run(
    "INSERT INTO catalog.line_up (scraper, key, known) SELECT scraper, key, 1 FROM catalog.listed ORDER BY n",
  );
  db.run(
    `INSERT INTO catalog.line_up (scraper, key, known) SELECT scraper, key, 1 FROM catalog.told t
     WHERE NOT EXISTS (SELECT 1 FROM catalog.listed l WHERE l.scraper = t.scraper AND l.key = t.key)
     GROUP BY scraper, key ORDER BY min(queue), min(seq)`,
  );
  if (takesRest)
    db.run(
      `INSERT INTO catalog.line_up (scraper, key, known) SELECT scraper, key, 0 FROM catalog.given g
       WHERE NOT EXISTS (SELECT 1 FROM catalog.line_up l WHERE l.scraper = g.scraper AND l.key = g.key) ORDER BY n`,
    );
};

export const linedUp = (db: Database, after: number): LinedUp[] =>
  db.all<LinedUp>(
    `SELECT l.n, l.scraper, l.key, l.known, g.input, g.lane, g.depth, g.chain FROM catalog.line_up l
     LEFT JOIN catalog.given g ON g.scraper = l.scraper AND g.key = l.key WHERE l.n > ? ORDER BY l.n LIMIT ${CHUNK}`,
    after,
  );
