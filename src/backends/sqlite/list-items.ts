import type { CaptureRef, RecordRange } from "../../model/capture.ts";
import type { Failure } from "../../model/failure.ts";
import type { Change } from "../../model/freshness.ts";
import type { ItemRef, ItemState, ItemView, Skipped } from "../../model/item.ts";
import { versionIn } from "../../model/job-version.ts";
import type { JobSpec } from "../../model/job.ts";
import { type ItemPage, type ItemQuery, LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { findItems } from "./find-items.ts";
import { findKeys } from "./find-keys.ts";
import { leftAs, stateOf } from "./item-state.ts";
import { jobRow, type JobRow, readSpec } from "./job-row.ts";
import { isLosingPages } from "./removals/removal-row.ts";
import { ITEM_TEXT, resultSum } from "./row-sums.ts";
import type { PastRow } from "./save-result.ts";
import { OVER_BUDGET } from "./spend-budget.ts";

interface Row {
  readonly key: string;
  readonly scraper: number;
  readonly depth: number;
  readonly input: string;
  readonly state: number;
  readonly attempts: number;
  readonly queue: number;
  readonly seq: number;
  readonly lane: string;
  readonly parent: string | null;
  readonly due_at: number | null;
  readonly suspect: number;
  readonly cursor: number;
  readonly ended_at: number | null;
  readonly quality: "complete" | "partial" | null;
  readonly failure: string | null;
  readonly captures: string | null;
  readonly records: string | null;
  readonly history: string | null;
  readonly skipped: string | null;
  readonly change: Change | null;
  readonly attempt: string | null;
  readonly revision: number | null;
  readonly sum: number | null;
  /** What the sum covers of the item. */
  readonly text: string;
}

/** Items, and queues, looked at for one page: what is rare in a large job is found in steps, and no reader stays long. */
const MOST_ITEMS = 2000;
const MOST_QUEUES = 400;
/** Items looked at together: few more than needed where nearly all fit. */
const SIFTED = 250;
/** Characters of keys, inputs and results on one page, and rows read together: rows may be large. */
const PAGE_SIZE = 1024 * 1024;
const READ_TOGETHER = 50;

export const listItems = async (db: Database, id: string, query: ItemQuery): Promise<ItemPage> =>
  await db.read(() => {
    const job = jobRow(db, id);
    return query.keys ? pageOfKeys(db, job, query, query.keys) : pageOfQueues(db, job, query);
  });

/** Queue by queue, so that each page is found by the items' own order, however far into the job it is. */
const pageOfQueues = (db: Database, job: JobRow, query: ItemQuery): ItemPage => {
  const { limit } = query;
  const states = statesOf(query);
  const isSifted = query.kinds !== undefined || query.scraper !== undefined;
  const items: ItemView[] = [];
  let after = query.after ?? { queue: 0, seq: 0 };
  let size = 0;
  for (let queues = 0, looked = 0; queues < MOST_QUEUES && looked < MOST_ITEMS;) {
    const queue = queueFrom(db, job.number, after.queue);
    if (queue === undefined) return { items };
    const from = queue === after.queue ? after.seq : 0;
    const wanted = isSifted ? SIFTED : limit - items.length;
    const found = findItems(db, queue, from, wanted, states, leftAs(job));
    const fitting = isSifted ? sift(db, job, queue, found.seqs, query) : found.seqs;
    const taken = fitting.slice(0, limit - items.length);
    for (let i = 0; i < taken.length && size < PAGE_SIZE; i += READ_TOGETHER) {
      const read = viewsOf(db, job, queue, taken.slice(i, i + READ_TOGETHER));
      items.push(...read.views);
      size += read.size;
    }
    const last = items.at(-1);
    if (last && (items.length === limit || size >= PAGE_SIZE)) return { items, next: last.ref };
    if (found.next === undefined) {
      looked += isSifted ? found.seqs.length : 0;
      queues++;
      after = { queue: queue + 1, seq: 0 };
    } else if (isSifted) {
      // However few it found: it has looked as far as for so many.
      looked += SIFTED;
      after = { queue, seq: found.next };
    } else return { items, next: { queue, seq: found.next } };
  }
  return { items, next: after };
};

/** Only what failed, finally or for now, has a kind. */
const statesOf = ({ states, kinds }: ItemQuery): ReadonlySet<ItemState> | undefined => {
  const asked = states && new Set(states);
  if (!kinds) return asked;
  const failing = new Set<ItemState>(["failed", "waiting", "queued", "leased", "cancelled"]);
  return asked?.intersection(failing) ?? new Set<ItemState>(["failed", "waiting"]);
};

const queueFrom = (db: Database, job: number, from: number): number | undefined =>
  db.get<{ id: number }>("SELECT id FROM queues WHERE job = ? AND id >= ? ORDER BY id LIMIT 1", job, from)
    ?.id;

/** Those of the asked scraper whose last failure is of one of the asked kinds. */
const sift = (
  db: Database,
  job: JobRow,
  queue: number,
  seqs: readonly number[],
  { kinds, scraper }: ItemQuery,
): number[] => {
  const names = readSpec(job.spec).scrapers.map(({ name }) => name);
  const numbers = names.flatMap((name, number) => (name === scraper ? number : []));
  return db
    .all<{ seq: number }>(
      `SELECT i.seq FROM json_each(?1) place CROSS JOIN items i ON i.queue = ?2 AND i.seq = place.value
       LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq
       WHERE (?3 IS NULL OR i.scraper IN (SELECT value FROM json_each(?3)))
         AND (?4 IS NULL OR CASE WHEN ?5 AND i.state < 3 THEN 'budget' ELSE r.failure ->> 'kind' END
           IN (SELECT value FROM json_each(?4)))
       ORDER BY i.seq`,
      JSON.stringify(seqs),
      queue,
      scraper === undefined ? null : JSON.stringify(numbers),
      kinds ? JSON.stringify(kinds) : null,
      leftAs(job) === "failed" ? 1 : 0,
    )
    .map(({ seq }) => seq);
};

const pageOfKeys = (db: Database, job: JobRow, query: ItemQuery, keys: readonly string[]): ItemPage => {
  const { states, kinds, scraper, limit, after = { queue: 0, seq: 0 } } = query;
  const items: ItemView[] = [];
  let size = 0;
  for (const { queue, seq } of findKeys(db, job, keys, readSpec(job.spec).scrapers.length)) {
    if (queue < after.queue || (queue === after.queue && seq <= after.seq)) continue;
    if (items.length === limit || size >= PAGE_SIZE) return { items, next: items.at(-1)!.ref };
    const read = viewsOf(db, job, queue, [seq]);
    const [item] = read.views;
    const isAsked =
      item &&
      (!states || states.includes(item.state)) &&
      (!kinds || (item.failure && kinds.includes(item.failure.kind))) &&
      (scraper === undefined || item.scraper === scraper);
    if (!isAsked) continue;
    items.push(item);
    size += read.size;
  }
  return { items };
};

const viewsOf = (
  db: Database,
  job: JobRow,
  queue: number,
  seqs: readonly number[],
): { readonly views: readonly ItemView[]; readonly size: number } => {
  const spec = readSpec(job.spec);
  const left = leftAs(job);
  const hidesPages = isLosingPages(db, job.number);
  const rows = db.all<Row>(
    `SELECT i.queue, i.seq, l.name AS lane, i.key, i.scraper, i.depth, p.key AS parent, i.input, i.state, i.attempts, i.due_at, i.suspect,
              q.cursor, r.ended_at, r.quality, r.failure, r.captures, r.records, r.history, r.skipped, r.change, r.attempt, r.revision,
              r.sum, ${ITEM_TEXT} AS text
       FROM json_each(?1) place CROSS JOIN items i ON i.queue = ?2 AND i.seq = place.value
       JOIN queues q ON q.id = i.queue JOIN lanes l ON l.id = q.lane
       LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq
       LEFT JOIN items p ON p.queue = i.parent_queue AND p.seq = i.parent_seq ORDER BY i.seq`,
    JSON.stringify(seqs),
    queue,
  );
  for (const row of rows) mustFitSum(row, job.id);
  return {
    views: rows
      .map((row) => view(row, stateOf(row, left), spec, job, db.now()))
      .map((item) => (hidesPages ? { ...item, captures: [] } : item)),
    size: rows.reduce((sum, row) => sum + sizeOf(row), 0),
  };
};

/** A damaged row is named, and nothing of it is told as true. */
const mustFitSum = (row: Row, job: string): void => {
  // Older versions kept no sums; what has ended has a result in all of them.
  const isLost = row.state > 2 && row.ended_at === null;
  if (row.sum === null && !isLost) return;
  if (resultSum(row, row.text) !== row.sum)
    throw new LedgerError(
      "damaged-row",
      `${job}: what the ledger has of item ${row.key} is damaged. \`sluice fsck\` tells all that is; restore the ledger from a backup.`,
    );
};

const sizeOf = ({ key, input, parent, captures, history, failure }: Row): number =>
  [key, input, parent, captures, history, failure].reduce((sum, text) => sum + (text?.length ?? 0), 0);

const view = (row: Row, state: ItemState, spec: JobSpec, job: JobRow, now: number): ItemView => {
  const ref: ItemRef = { queue: row.queue, seq: row.seq };
  const isOpen = state === "queued" || state === "waiting" || state === "leased";
  const isLeft = row.state < 3 && !isOpen;
  const endedAt = isLeft ? (job.ended_at ?? job.spent_at) : row.ended_at;
  const failure = isLeft && state === "failed" ? OVER_BUDGET : parsed<Failure>(row.failure);
  const version = row.revision === null ? undefined : versionIn(spec, row.revision, row.scraper);
  return {
    ref,
    lane: row.lane,
    scraper: spec.scrapers[row.scraper]?.name ?? "",
    key: row.key,
    depth: row.depth,
    ...(row.parent === null ? {} : { parent: row.parent }),
    input: JSON.parse(row.input) as unknown,
    state,
    attempts: row.attempts,
    ...(failure && { failure }),
    ...(row.quality === null ? {} : { quality: row.quality }),
    ...(version !== undefined && { version }),
    ...(row.skipped === null ? {} : { skipped: JSON.parse(row.skipped) as Skipped }),
    ...(row.change === null ? {} : { change: row.change }),
    ...(row.due_at === null || !isOpen ? {} : { dueInMs: Math.max(0, row.due_at - now) }),
    ...(endedAt === null || isOpen ? {} : { endedAt }),
    history: (parsed<PastRow[]>(row.history) ?? []).map(({ revision = 0, ...past }) => {
      const by = versionIn(spec, revision, row.scraper);
      return { ...past, ...(by !== undefined && { version: by }) };
    }),
    ...lastAttempt(row.attempt),
    captures: parsed<CaptureRef[]>(row.captures) ?? [],
    records: parsed<RecordRange>(row.records) ?? null,
  };
};

const lastAttempt = (text: string | null): Pick<ItemView, "lastAttempt"> => {
  if (text === null) return {};
  const [at, ms, requests, bytes, worker, detail] = JSON.parse(text) as [
    ...[at: number, ms: number, requests: number, bytes: number],
    ...[worker: string, detail?: string],
  ];
  return { lastAttempt: { at, ms, requests, bytes, worker, ...(detail !== undefined && { detail }) } };
};

const parsed = <T>(text: string | null): T | undefined =>
  text === null ? undefined : (JSON.parse(text) as T);
