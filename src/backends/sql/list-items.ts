import type { ItemState, ItemView, TierCost } from "../../domain/item.ts";
import { versionIn } from "../../domain/job-version.ts";
import { OVER_BUDGET } from "../../ledger/end-job.ts";
import { leftAs, stateOf } from "../../ledger/item-state.ts";
import type { Item, Job, LastResult, Result, Retry } from "../../ledger/records.ts";
import { hasPlace, type Places } from "../../ledger/workers.ts";
import { type ItemPage, type ItemQuery, LedgerError } from "../../ports/ledger.ts";
import { findItems, findKeys, heldPlaces } from "./find-items.ts";
import { jobNamed } from "./job-named.ts";
import { arrays, load, type Steps } from "./steps.ts";
import { FORMATS, type RowFormat, type Value } from "./tables.ts";

/**
 * Maximum number of items and queues to check for one page: rare items in a large job are found in steps, and no reader blocks
 * for long.
 */
const MOST_ITEMS = 2000;
const MOST_QUEUES = 400;
/** Number of items to check at a time: only a few more than needed if nearly all match. */
const SIFTED = 250;
/** Maximum number of characters of keys, inputs and results on one page, and of rows to read at a time: rows may be large. */
const PAGE_SIZE = 1024 * 1024;
const READ_TOGETHER = 50;

export function* listItems(now: number, id: string, query: ItemQuery): Steps<ItemPage> {
  const job = yield* jobNamed(id);
  const [removal] = yield* load("removal", id);
  const reader = new Reader(now, job, removal !== undefined && removal.step !== null);
  return yield* query.keys ? pageOfKeys(reader, query, query.keys) : pageOfQueues(reader, query);
}

/** Queue by queue, so that each page is found by the order of the items, at any position in the job. */
function* pageOfQueues(reader: Reader, query: ItemQuery): Steps<ItemPage> {
  const { job } = reader;
  const { limit } = query;
  const states = statesOf(query);
  const { kinds, scraper, quality, changes } = query;
  const isSifted = [kinds, scraper, quality, changes].some((filter) => filter !== undefined);
  const items: ItemView[] = [];
  let after = query.after ?? { queue: 0, seq: 0 };
  let size = 0;
  for (let queues = 0, looked = 0; queues < MOST_QUEUES && looked < MOST_ITEMS;) {
    const queue = yield* queueFrom(job.number, after.queue);
    if (queue === undefined) return { items };
    const from = queue === after.queue ? after.seq : 0;
    const wanted = isSifted ? SIFTED : limit - items.length;
    const found = yield* findItems(queue, from, wanted, states, leftAs(job));
    const fitting = isSifted ? yield* sift(job, queue, found.seqs, query) : found.seqs;
    const taken = fitting.slice(0, limit - items.length);
    for (let i = 0; i < taken.length && size < PAGE_SIZE; i += READ_TOGETHER) {
      const read = yield* reader.read(queue, taken.slice(i, i + READ_TOGETHER));
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
      // Even if it found few, it has checked as many.
      looked += SIFTED;
      after = { queue, seq: found.next };
    } else return { items, next: { queue, seq: found.next } };
  }
  return { items, next: after };
}

/** Only items that have failed, finally or for now, have a kind. */
const statesOf = ({ states, kinds }: ItemQuery): ReadonlySet<ItemState> | undefined => {
  const asked = states && new Set(states);
  if (!kinds) return asked;
  const failing = new Set<ItemState>(["failed", "waiting", "queued", "leased", "cancelled"]);
  return asked?.intersection(failing) ?? new Set<ItemState>(["failed", "waiting"]);
};

export function* queueFrom(job: number, from: number): Steps<number | undefined> {
  const text = "SELECT id FROM queues WHERE job = ? AND id >= ? ORDER BY id LIMIT 1";
  return (yield* arrays<[number]>(text, job, from))[0]?.[0];
}

/** The items with the requested scraper, quality, changes and kind of the last failure. */
function* sift(
  job: Job,
  queue: number,
  seqs: readonly number[],
  { kinds, scraper, quality, changes }: ItemQuery,
): Steps<number[]> {
  const conditions: string[] = [];
  const lists: string[] = [];
  if (scraper !== undefined) {
    conditions.push("i.scraper IN (SELECT value FROM @list(? bigint) s)");
    lists.push(
      JSON.stringify(job.spec.scrapers.flatMap(({ name }, number) => (name === scraper ? number : []))),
    );
  }
  if (kinds) {
    const open = leftAs(job) === "failed" ? "'budget'" : "t.last -> 'failure' ->> 'kind'";
    conditions.push(
      `CASE WHEN r.queue IS NULL THEN ${open} ELSE r.failure ->> 'kind' END IN (SELECT value FROM @list(? text) k)`,
    );
    lists.push(JSON.stringify(kinds));
  }
  if (quality !== undefined) {
    conditions.push("r.quality IN (SELECT value FROM @list(? text) w)");
    lists.push(JSON.stringify([quality]));
  }
  if (changes) {
    conditions.push("r.change IN (SELECT value FROM @list(? text) c)");
    lists.push(JSON.stringify(changes));
  }
  const rows = yield* arrays<[number]>(
    `SELECT i.seq FROM @list(?1 bigint) place CROSS JOIN items i ON i.queue = ?2 AND i.seq = place.value
     LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq LEFT JOIN retries t ON t.queue = i.queue AND t.seq = i.seq
     WHERE ${conditions.join(" AND ")} ORDER BY i.seq`,
    JSON.stringify(seqs),
    queue,
    ...lists,
  );
  return rows.map(([seq]) => seq);
}

function* pageOfKeys(reader: Reader, query: ItemQuery, keys: readonly string[]): Steps<ItemPage> {
  const { states, kinds, scraper, quality, changes, limit, after = { queue: 0, seq: 0 } } = query;
  const items: ItemView[] = [];
  let size = 0;
  for (const { queue, seq } of yield* findKeys(reader.job, keys)) {
    if (queue < after.queue || (queue === after.queue && seq <= after.seq)) continue;
    if (items.length === limit || size >= PAGE_SIZE) return { items, next: items.at(-1)!.ref };
    const read = yield* reader.read(queue, [seq]);
    const [item] = read.views;
    const isAsked =
      item &&
      (!states || states.includes(item.state)) &&
      (!kinds || (item.failure && kinds.includes(item.failure.kind))) &&
      (quality === undefined || item.quality === quality) &&
      (!changes || (item.change && changes.includes(item.change))) &&
      (scraper === undefined || item.scraper === scraper);
    if (!isAsked) continue;
    items.push(item);
    size += read.size;
  }
  return { items };
}

const { item: ITEM, retry: RETRY, result: RESULT } = FORMATS;
const RETRY_AT = ITEM.written.length;
const RESULT_AT = RETRY_AT + RETRY.written.length;
const REST_AT = RESULT_AT + RESULT.written.length;
const SELECT = `SELECT ${ITEM.columnsOf("i")}, ${RETRY.columnsOf("t")}, ${RESULT.columnsOf("r")}, q.cursor, l.name, p.key
  FROM @list(?1 bigint) place CROSS JOIN items i ON i.queue = ?2 AND i.seq = place.value
  CROSS JOIN queues q ON q.id = i.queue CROSS JOIN lanes l ON l.id = q.lane
  LEFT JOIN retries t ON t.queue = i.queue AND t.seq = i.seq LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq
  LEFT JOIN items p ON p.queue = i.parent_queue AND p.seq = i.parent_seq ORDER BY i.seq`;

interface Row {
  readonly item: Item;
  readonly retry: Retry | undefined;
  readonly result: Result | undefined;
  readonly cursor: number;
  readonly lane: string;
  readonly parent: string | null;
}

/** Items of one job as they are shown. */
class Reader {
  readonly job: Job;
  readonly #now: number;
  readonly #hidesPages: boolean;

  constructor(now: number, job: Job, hidesPages: boolean) {
    this.#now = now;
    this.job = job;
    this.#hidesPages = hidesPages;
  }

  *read(
    queue: number,
    seqs: readonly number[],
  ): Steps<{ readonly views: readonly ItemView[]; readonly size: number }> {
    const rows = yield* arrays<Value[]>(SELECT, JSON.stringify(seqs), queue);
    const parts = rows.map((row) => this.#checked(row));
    const isLeased = parts.some((row) => this.#stateOf(row) === "leased");
    const held = isLeased ? yield* heldPlaces(queue) : [];
    return {
      views: parts.map((row) => this.#view(row, held)),
      size: rows.reduce((sum, row) => row.reduce<number>((all, value) => all + textSize(value), sum), 0),
    };
  }

  /** A damaged row is named, and none of its values are returned. */
  #checked(row: readonly Value[]): Row {
    const part = <K extends "item" | "retry" | "result">(format: RowFormat<K>, at: number) => {
      if (row[at] === null) return undefined;
      if (format.fits(row, at)) return format.read(row, at);
      throw this.#damaged(String(row[2]));
    };
    const [cursor, lane, parent] = row.slice(REST_AT) as [number, string, string | null];
    const item = part(ITEM, 0)!;
    return { item, retry: part(RETRY, RETRY_AT), result: part(RESULT, RESULT_AT), cursor, lane, parent };
  }

  #damaged(key: string): LedgerError {
    return new LedgerError(
      "damaged-row",
      `${this.job.id}: the stored data of item ${key} is damaged. Run \`sluice fsck\` for a full report, and restore the ledger from a backup.`,
    );
  }

  #stateOf({ item, retry, result, cursor }: Row): ItemState {
    return stateOf(item.seq <= cursor, result, retry, leftAs(this.job));
  }

  /** `held`: the places of its queue that are leased to workers. */
  #view(row: Row, held: Places): ItemView {
    const { item, retry, result, lane, parent } = row;
    const { spec, endedAt: jobEndedAt, spentAt } = this.job;
    const { queue, seq, scraper } = item;
    const state = this.#stateOf(row);
    // It has neither a result nor a lease: one of the two is lost.
    if (state === "leased" && !hasPlace(held, seq)) throw this.#damaged(item.key);
    const isOpen = state === "queued" || state === "waiting" || state === "leased";
    const isLeft = !result && !isOpen;
    const endedAt = isLeft ? (jobEndedAt ?? spentAt) : (result?.endedAt ?? null);
    const last: LastResult | undefined = result ?? retry?.last ?? undefined;
    const failure = isLeft && state === "failed" ? OVER_BUDGET : last?.failure;
    const version = last && versionIn(spec, last.revision, scraper);
    return {
      ref: { queue, seq },
      lane,
      scraper: spec.scrapers[scraper]?.name ?? "",
      key: item.key,
      depth: item.depth,
      ...(parent !== null && { parent }),
      input: JSON.parse(item.input) as unknown,
      state,
      attempts: result?.attempts ?? retry?.attempts ?? 0,
      ...(failure && { failure }),
      ...(result && result.quality !== null && { quality: result.quality }),
      ...(version !== undefined && { version }),
      ...(result?.skipped && { skipped: result.skipped }),
      ...(result?.change && { change: result.change }),
      ...(isOpen && isTimed(retry) && { dueInMs: Math.max(0, retry.dueAt - this.#now) }),
      ...(endedAt !== null && !isOpen && { endedAt }),
      history: (retry?.history ?? []).map(({ revision = 0, ...past }) => {
        const by = versionIn(spec, revision, scraper);
        return { ...past, ...(by !== undefined && { version: by }) };
      }),
      ...lastAttempt(last?.attempt ?? null),
      captures: this.#hidesPages ? [] : (last?.captures ?? []),
      records: last?.records ?? null,
    };
  }
}

/** A suspect waits for a separate process, not for a time. */
const isTimed = (retry: Retry | undefined): retry is Retry & { readonly dueAt: number } =>
  retry !== undefined && retry.dueAt !== null && retry.state !== "suspect";

const textSize = (value: Value): number => (typeof value === "string" ? value.length : 0);

const lastAttempt = (attempt: LastResult["attempt"]): Pick<ItemView, "lastAttempt"> => {
  if (attempt === null) return {};
  const [at, ms, requests, bytes, worker, detail, , proxied] = attempt as [
    ...[at: number, ms: number, requests: number, bytes: number],
    ...[worker: string, detail?: string | null, lease?: number, proxied?: readonly TierCost[]],
  ];
  return {
    lastAttempt: {
      at,
      ms,
      requests,
      bytes,
      worker,
      ...(detail != null && { detail }),
      ...(proxied && { proxied }),
    },
  };
};
