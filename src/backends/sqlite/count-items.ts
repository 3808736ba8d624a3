import type { FailureKind } from "../../domain/failure.ts";
import { itemHash, nextHash } from "../../ledger/item-keys.ts";
import { leftAs } from "../../ledger/item-state.ts";
import { ENDED, type FailureCount, type Job, type Queue } from "../../ledger/records.ts";
import { countPlaces, hasPlace, type Places } from "../../ledger/workers.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { jobNamed, readRecords, type Rows, writeRecords } from "../sql/rows.ts";
import { FORMATS, rowSum, type Value } from "../sql/tables.ts";
import { Database } from "./database.ts";

/** What a job's counters must be, according to its items. */
export interface CountedItems {
  readonly counters: Readonly<
    Record<"accepted" | "done" | "absent" | "failed" | "skipped" | "cancelled" | "partial", number>
  >;
  /** Items that failed, by kind. */
  readonly failures: ReadonlyMap<FailureKind, number>;
  readonly queues: readonly CountedQueue[];
  readonly unknownStates: number;
}

export interface CountedQueue extends Pick<Queue, "id" | "open" | "leased" | "waiting"> {
  /** Items that are leased. */
  readonly held: number;
}

interface QueueRow {
  readonly id: number;
  readonly items: number;
  readonly leased: number;
  readonly waiting: number;
}

/** Open items by queue: claimed items that have not ended and have no due time are leased. */
const OPEN = `SELECT q.id, count(i.seq) AS items, coalesce(sum(i.seq <= q.cursor AND t.due_at IS NULL), 0) AS leased,
    coalesce(sum(t.due_at IS NOT NULL AND t.state = 'waiting'), 0) AS waiting
  FROM queues q LEFT JOIN items i ON i.queue = q.id AND NOT EXISTS (SELECT 1 FROM results r WHERE r.queue = i.queue AND r.seq = i.seq)
  LEFT JOIN retries t ON t.queue = i.queue AND t.seq = i.seq WHERE q.job = ? GROUP BY q.id`;
const RESULTS = `SELECT r.state, r.quality, r.failure ->> 'kind' AS kind, count(*) AS n
  FROM queues q CROSS JOIN results r ON r.queue = q.id WHERE q.job = ? GROUP BY 1, 2, 3`;

export const countItems = (
  rows: Rows,
  job: Pick<Job, "number" | "state" | "spentAt">,
  leases: ReadonlyMap<number, Places>,
): CountedItems => {
  const left = leftAs(job);
  const found = rows.all<QueueRow>(OPEN, job.number);
  const ended = rows.all<{ state: number; quality: string | null; kind: FailureKind | null; n: number }>(
    RESULTS,
    job.number,
  );
  const sum = (of: (one: (typeof ended)[number]) => boolean): number =>
    ended.filter(of).reduce((all, { n }) => all + n, 0);
  const inState = (name: keyof typeof ENDED): number => sum(({ state }) => state === ENDED[name]);
  const open = found.reduce((all, { items }) => all + items, 0);
  // Not written one by one: their state follows from their job.
  const unwritten = left === undefined ? 0 : open - found.reduce((all, { leased }) => all + leased, 0);
  const failures = new Map<FailureKind, number>(
    left === "failed" && unwritten > 0 ? [["budget", unwritten]] : [],
  );
  for (const { state, kind, n } of ended)
    if (state === ENDED.failed && kind !== null) failures.set(kind, (failures.get(kind) ?? 0) + n);
  const known = new Set<number>(Object.values(ENDED));
  return {
    counters: {
      accepted: open + sum(() => true),
      done: inState("done"),
      absent: inState("absent"),
      failed: inState("failed") + (left === "failed" ? unwritten : 0),
      skipped: inState("skipped"),
      cancelled: inState("cancelled") + (left === "cancelled" ? unwritten : 0),
      partial: sum(({ state, quality }) => state === ENDED.done && quality === "partial"),
    },
    failures,
    queues: found.map(({ id, items, leased, waiting }) => ({
      id,
      open: left === undefined ? items : leased,
      leased,
      waiting: left === undefined ? waiting : 0,
      held: countPlaces(leases.get(id) ?? []),
    })),
    unknownStates: sum(({ state }) => !known.has(state)),
  };
};

/** Places that are leased to workers, by queue. */
export const leasedPlaces = (rows: Rows): Map<number, Places> => {
  const places = new Map<number, Places>();
  for (const { leases } of readRecords(rows, "workers"))
    for (const { queue, open } of leases) places.set(queue, [...(places.get(queue) ?? []), ...open]);
  return places;
};

/** Contradictions that are impossible if items and leases are intact. */
export const doubtsOf = ({ queues, unknownStates }: CountedItems): string[] => [
  ...(unknownStates > 0 ? [`${unknownStates} items are in an unknown state`] : []),
  ...queues
    .filter(({ held, leased }) => held !== leased)
    .map(
      ({ id, held, leased }) =>
        `its leases in queue ${id} hold ${held} items, but ${leased} items are marked as leased`,
    ),
];

const NONE: FailureCount = { final: 0, attempts: 0, exampleKey: "", exampleDetail: "" };

/** The job with the counters that its items give. */
const recounted = (job: Job, { counters, failures }: CountedItems): Job => {
  const kinds = new Set([...(Object.keys(job.failures) as FailureKind[]), ...failures.keys()]);
  const counted = [...kinds].map((kind) => [
    kind,
    { ...NONE, ...job.failures[kind], final: failures.get(kind) ?? 0 },
  ]);
  return { ...job, ...counters, failures: Object.fromEntries(counted) };
};

export const writeCounted = (db: Database, job: Job, counted: CountedItems): void => {
  writeRecords(db, "job", [recounted(job, counted)]);
  for (const { id, open, leased, waiting } of counted.queues)
    db.run("UPDATE queues SET open = ?, leased = ?, waiting = ? WHERE id = ?", open, leased, waiting, id);
};

/** Maximum number of damaged items that are named. */
const MOST_NAMED = 5;

/**
 * Sets a job's counters, and those of its queues, to the values that its items give. Throws if items are damaged, or if other
 * columns of the job's row are.
 */
export const repairCounters = async (file: string, id: string): Promise<void> => {
  const db = await Database.open(file, {});
  try {
    await db.write(() => {
      const job = jobNamed(db, id);
      const leases = leasedPlaces(db);
      const counted = countItems(db, job, leases);
      const damaged = doubtsOf(counted);
      for (const { key, problem } of checkItems(db, job, leases)) {
        if (damaged.length >= MOST_NAMED) break;
        damaged.push(`item ${key}: ${problem}`);
      }
      if (damaged.length > 0) throw notRepaired(id, damaged.join("; "));
      const next = recounted(job, counted);
      if (!fitsWith(db, job, next))
        throw notRepaired(id, "its row does not match its checksum in other columns either");
      writeCounted(db, job, counted);
    });
  } finally {
    db.close();
  }
};

/** Whether the job's row matches its checksum, as it is or with these counters: the checksum is of the row as it was written. */
const fitsWith = (rows: Rows, { number }: Job, next: Job): boolean => {
  const { job: format } = FORMATS;
  const [row] = rows.arrays<Value[]>(`SELECT ${format.columnsOf("t")} FROM jobs t WHERE number = ?`, number);
  const written: Value[] = [];
  format.write(next, written);
  const specAt = format.written.indexOf("spec");
  const sums = [row!, row!.map((value, at) => (at === specAt ? value : written[at]!))].map((values) =>
    rowSum(values, 0, values.length - 1),
  );
  return sums.includes(row!.at(-1) as number);
};

const notRepaired = (id: string, why: string): LedgerError =>
  new LedgerError(
    "damaged-row",
    `${id}: its counters were not repaired, because the items they are counted from are damaged (${why}). Restore the ledger from a backup.`,
  );

const { item: ITEM, retry: RETRY, result: RESULT } = FORMATS;

/** A read-only connection; large results are read row by row. */
export interface Reading extends Rows {
  each(sql: string, ...values: Value[]): Iterable<Value[]>;
}

interface DamagedItem {
  readonly key: string;
  readonly problem: string;
}

/** The job's items that have changed since they were written. `leases`: the leased places, by queue. */
export function* checkItems(
  rows: Reading,
  job: Pick<Job, "number" | "keySeed">,
  leases: ReadonlyMap<number, Places>,
): Generator<DamagedItem> {
  yield* checkRows(rows, job.number, leases);
  yield* checkKeys(rows, job);
}

function* checkRows(rows: Reading, job: number, leases: ReadonlyMap<number, Places>): Generator<DamagedItem> {
  const [retryAt, resultAt] = [ITEM.written.length, ITEM.written.length + RETRY.written.length];
  const dueAt = retryAt + RETRY.written.indexOf("due_at");
  for (const row of rows.each(
    `SELECT ${ITEM.columnsOf("i")}, ${RETRY.columnsOf("t")}, ${RESULT.columnsOf("r")}, i.seq <= q.cursor
     FROM queues q CROSS JOIN items i ON i.queue = q.id LEFT JOIN retries t ON t.queue = i.queue AND t.seq = i.seq
     LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq WHERE q.job = ?`,
    job,
  )) {
    const [queue, seq] = row as [number, number];
    const key = String(row[2]);
    const [hasRetry, hasResult] = [row[retryAt] !== null, row[resultAt] !== null];
    const fits =
      ITEM.fits(row) && (!hasRetry || RETRY.fits(row, retryAt)) && (!hasResult || RESULT.fits(row, resultAt));
    const isClaimed = row.at(-1) === 1;
    if (!fits) yield { key, problem: "its stored data does not match its checksum" };
    else if (!hasResult && isClaimed && row[dueAt] === null && !hasPlace(leases.get(queue) ?? [], seq))
      yield { key, problem: "it was claimed, but no worker holds it and it has no result" };
  }
}

/** An item is found by the hash of its key. */
function* checkKeys(rows: Reading, job: Pick<Job, "number" | "keySeed">): Generator<DamagedItem> {
  const find = (hash: number) =>
    rows.arrays<[number, number]>(
      "SELECT queue, seq FROM item_keys WHERE job = ? AND hash = ?",
      job.number,
      hash,
    )[0];
  for (const row of rows.each(
    "SELECT i.queue, i.seq, i.key, i.scraper FROM queues q JOIN items i ON i.queue = q.id WHERE q.job = ?",
    job.number,
  )) {
    const [queue, seq, key, scraper] = row as [number, number, string, number];
    let hash = itemHash(key, scraper, job);
    let found = find(hash);
    while (found && (found[0] !== queue || found[1] !== seq)) found = find((hash = nextHash(hash)));
    if (!found) yield { key, problem: "it cannot be found by its key" };
  }
}
