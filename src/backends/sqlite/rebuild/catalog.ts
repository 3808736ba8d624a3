import { nextPlace } from "../../../ledger/emit-items.ts";
import type { ItemRef } from "../../../domain/item.ts";
import type { RejectedInput } from "../../../domain/job.ts";
import type { ListedItem, LostJob, SettledLine } from "../../../ports/ledger-check.ts";
import type { PlannedItem } from "../../../ports/ledger.ts";
import type { Database } from "../database.ts";

/**
 * Everything that the archive says about one job's items, by scraper and key. Stored in a separate file beside the new ledger: a
 * job may be larger than memory, and the data of an item is spread over many segments. `given` has the inputs, including those
 * found on pages; `told` the attempts; `listed` the lines of the manifest; `line_up` the order in which items get their places
 * (`known` is 0 if only the input is known), and then the places that they got.
 */
const TABLES = {
  given: `n INTEGER PRIMARY KEY, scraper INTEGER, key TEXT, input TEXT, lane TEXT, depth INTEGER, chain INTEGER,
    parent_scraper INTEGER, parent_key TEXT, UNIQUE (scraper, key)`,
  told: "n INTEGER PRIMARY KEY, scraper INTEGER, key TEXT, at REAL, queue INTEGER, seq INTEGER, finds INTEGER, line TEXT",
  listed: "n INTEGER PRIMARY KEY, scraper INTEGER, key TEXT, parent TEXT, line TEXT",
  line_up: `n INTEGER PRIMARY KEY, scraper INTEGER, key TEXT, known INTEGER, queue INTEGER, seq INTEGER, is_capped INTEGER,
    UNIQUE (scraper, key)`,
};
const INDEXES = {
  told_of: "told (scraper, key, at)",
  told_finds: "told (at, n) WHERE finds = 1",
  listed_of: "listed (scraper, key)",
};
const CHUNK = 500;
/** Maximum number of rejected inputs that are kept as examples. */
const KEPT_REJECTS = 20;

/** An item in order, with its input if that is known. */
export interface LinedUp extends ItemRef {
  readonly n: number;
  readonly scraper: number;
  readonly key: string;
  readonly known: 0 | 1;
  /** With its place, when it has one. */
  readonly is_capped: 0 | 1;
  readonly input: string | null;
  readonly lane: string | null;
  readonly depth: number | null;
  readonly chain: number | null;
  /** The place of the item that found it. */
  readonly parent_queue: number | null;
  readonly parent_seq: number | null;
}

/** Everything that was sent to the job, and what was rejected. */
export interface Received {
  received: number;
  rejected: number;
  rejects: readonly RejectedInput[];
}

/** When an attempt ended. */
export const endedAtOf = ({ attempt }: Pick<SettledLine, "attempt">): number =>
  attempt.startedAt + attempt.ms;

export const openCatalog = (db: Database, file: string): void => {
  db.run("ATTACH DATABASE ? AS catalog", file);
  // Worth nothing after the process has ended.
  db.get("PRAGMA catalog.journal_mode = OFF");
  db.get("PRAGMA catalog.synchronous = OFF");
  for (const [name, columns] of Object.entries(TABLES)) db.run(`CREATE TABLE catalog.${name} (${columns})`);
  for (const [name, columns] of Object.entries(INDEXES)) db.run(`CREATE INDEX catalog.${name} ON ${columns}`);
};

/** Loads everything about the job, replacing the previous job. */
export const fillCatalog = async (db: Database, job: LostJob): Promise<Received> => {
  for (const name of Object.keys(TABLES)) db.run(`DELETE FROM catalog.${name}`);
  const received: Received = { received: 0, rejected: 0, rejects: [] };
  const reject = (count: number, examples: readonly RejectedInput[]): void => {
    received.received += count;
    received.rejected += count;
    received.rejects = [...received.rejects, ...examples].slice(0, KEPT_REJECTS);
  };
  const scrapers = new Map(job.view.spec.scrapers.map(({ name }, at) => [name, at]));
  await takeAll(db, inChunks(job.manifest), (line) =>
    insert(db, "listed", {
      scraper: scrapers.get(line.scraper ?? "") ?? 0,
      key: line.key,
      parent: line.parent ?? null,
      line: JSON.stringify(line),
    }),
  );
  await takeAll(db, job.inputs, (line) => {
    if ("rejects" in line) return reject(line.rejected, line.rejects);
    give(db, line, { depth: 0, chain: 0 });
    received.received++;
  });
  await takeAll(db, job.settled, (line) => {
    const { scraper, key, place, emitted, rejected = [] } = line;
    const [queue, seq] = place;
    const finds = emitted.length > 0 ? 1 : 0;
    insert(db, "told", { scraper, key, at: endedAtOf(line), queue, seq, finds, line: JSON.stringify(line) });
    reject(rejected.length, rejected);
  });
  received.received += await takeFound(db);
  await db.write(() => lineUp(db, job.view.endedAt === undefined || job.view.counts.capped > 0), false);
  return received;
};

async function* inChunks<Line>(lines: AsyncIterable<Line>): AsyncGenerator<readonly Line[]> {
  let some: Line[] = [];
  for await (const line of lines) {
    if (some.push(line) < CHUNK) continue;
    yield some;
    some = [];
  }
  yield some;
}

const takeAll = async <Line>(
  db: Database,
  chunks: AsyncIterable<readonly Line[]>,
  take: (line: Line) => void,
): Promise<void> => {
  for await (const lines of chunks) await db.write(() => lines.forEach(take), false);
};

const insert = (
  db: Database,
  table: keyof typeof TABLES,
  row: Readonly<Record<string, string | number | null>>,
): void => {
  const names = Object.keys(row);
  const sql = `INSERT INTO catalog.${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  db.run(sql, ...Object.values(row));
};

interface Found {
  readonly depth: number;
  readonly chain: number;
  readonly parent?: Pick<SettledLine, "key" | "scraper">;
}

/** The item that found an input first is its parent, unless the manifest names another. */
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

/** In order of time: an item that finds an input was itself found before. Returns the number of new items. */
const takeFound = async (db: Database): Promise<number> => {
  let count = 0;
  for (let after = { at: -Infinity, n: 0 }; ;) {
    const rows = db.all<{ at: number; n: number; line: string }>(
      "SELECT at, n, line FROM catalog.told WHERE finds = 1 AND (at, n) > (?, ?) ORDER BY at, n LIMIT 100",
      after.at,
      after.n,
    );
    if (rows.length === 0) return count;
    after = rows.at(-1)!;
    await db.write(() => {
      for (const row of rows) {
        const line = JSON.parse(row.line) as SettledLine;
        const finder = db.get<Parameters<typeof nextPlace>[0]>(
          "SELECT scraper, depth, chain FROM catalog.given WHERE scraper = ? AND key = ?",
          line.scraper,
          line.key,
        ) ?? { scraper: line.scraper, depth: 0, chain: 0 };
        for (const item of line.emitted)
          give(db, item, { ...nextPlace(finder, item.scraper ?? 0), parent: line });
        count += line.emitted.length;
      }
    }, false);
  }
};

/** In the order of the manifest, then of the lost ledger, then of arrival. */
const lineUp = (db: Database, takesRest: boolean): void => {
  for (const [known, from] of [
    [1, "listed ORDER BY n"],
    [1, "told GROUP BY scraper, key ORDER BY min(queue), min(seq)"],
    ...(takesRest ? [[0, "given ORDER BY n"]] : []),
  ])
    db.run(
      `INSERT OR IGNORE INTO catalog.line_up (scraper, key, known) SELECT scraper, key, ${known} FROM catalog.${from}`,
    );
};

/** Items of which more is known than the input come first. */
export const linedUp = (db: Database, after: number): LinedUp[] =>
  db.all<LinedUp>(
    `SELECT l.*, g.input, g.lane, g.depth, g.chain, p.queue AS parent_queue, p.seq AS parent_seq
     FROM catalog.line_up l LEFT JOIN catalog.given g ON g.scraper = l.scraper AND g.key = l.key
     LEFT JOIN catalog.line_up p ON p.scraper = g.parent_scraper AND p.key = g.parent_key
     WHERE l.n > ? ORDER BY l.n LIMIT ${CHUNK}`,
    after,
  );

export const notePlace = (
  db: Database,
  { scraper, key, queue, seq }: ItemRef & Pick<LinedUp, "scraper" | "key">,
  isCapped: boolean,
): void => {
  db.run(
    "UPDATE catalog.line_up SET queue = ?, seq = ?, is_capped = ? WHERE scraper = ? AND key = ?",
    queue,
    seq,
    isCapped ? 1 : 0,
    scraper,
    key,
  );
};

/** Attempts of an item in order of time, and its line in the manifest. */
export const linesOf = (
  db: Database,
  { scraper, key }: Pick<LinedUp, "scraper" | "key">,
): { readonly lines: readonly SettledLine[]; readonly listed: ListedItem | undefined } => {
  const read = <Line>(from: string): Line[] =>
    db
      .all<{ line: string }>(`SELECT line FROM catalog.${from}`, scraper, key)
      .map(({ line }) => JSON.parse(line) as Line);
  return {
    lines: read<SettledLine>("told WHERE scraper = ? AND key = ? ORDER BY at, n"),
    listed: read<ListedItem>("listed WHERE scraper = ? AND key = ?")[0],
  };
};
