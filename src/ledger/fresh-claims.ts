import { type Change, changeOf, freshAnswer, type KnownAnswer, readingOf } from "../domain/freshness.ts";
import { type Transaction, want } from "./transaction.ts";
import { noteBorrowed } from "./borrowed.ts";
import { endJobWhenDone } from "./end-job.ts";
import {
  type DueItem,
  type Fetch,
  type FreshAnswer,
  type FreshItem,
  type Job,
  newRetry,
  type Queue,
  retryOf,
} from "./records.ts";

/** The owner of captures that may be shared. */
export const EVERYBODY = "";
/** If the message that a leader has ended is lost, its followers check again after this time. */
const LOOK_AGAIN_MS = 60_000;

type Known = KnownAnswer & { readonly answer: FreshAnswer };
type Candidate = FreshItem | DueItem;

const isWaiting = (item: Candidate): boolean => "attempts" in item && item.state === "waiting";

/**
 * Runs inside the claim, before slots are booked, for queues of jobs with `freshness`. Goes through the items until `most` of
 * them must be fetched. Items that can be answered from the archive end as `skipped`, with the captures and records of the item
 * that fetched them. Items that another job is fetching now are set aside.
 */
export const answerFresh = <C extends Candidate>(
  tx: Transaction,
  { id }: Queue,
  items: readonly C[],
  most: number,
): { readonly left: readonly C[]; readonly seen: number } => {
  const queue = tx.known("queue", id)!;
  const job = tx.one("job", queue.job)!;
  loadAnswers(tx, job, queue, items);
  const left: C[] = [];
  let [seen, skipped, waiting, dueAt] = [0, 0, 0, queue.dueAt];
  for (const item of items) {
    if (left.length === most) break;
    seen++;
    const answer = findAnswer(tx, job, queue, item);
    if (answer) {
      skip(tx, job.number, queue, item, answer);
      skipped++;
      if (isWaiting(item)) waiting--;
    } else if (follow(tx, job, queue, item)) {
      if (!isWaiting(item)) waiting++;
      dueAt = Math.min(dueAt ?? Infinity, tx.now + LOOK_AGAIN_MS);
    } else {
      lead(tx, job, queue, item);
      left.push(item);
    }
  }
  if (skipped > 0 || waiting !== 0) {
    tx.patch("queue", queue, { open: queue.open - skipped, waiting: queue.waiting + waiting, dueAt });
    if (skipped > 0) {
      const now = tx.known("job", job.number)!;
      tx.patch("job", now, { skipped: now.skipped + skipped });
      endJobWhenDone(tx, job.number);
    }
  }
  return { left, seen };
};

/** Loads everything that the items may be answered with, in two rounds: the answers, then the data of their items. */
const loadAnswers = (tx: Transaction, job: Job, queue: Queue, items: readonly Candidate[]): void => {
  const readings = items.map((item) => ({ key: item.key, ...readingOf(job.spec, item.scraper) }));
  tx.need(
    ...readings.flatMap(({ key, scraper }) => [
      want("fresh", key, scraper, queue.client),
      want("fresh", key, scraper, EVERYBODY),
      want("fetches", key, scraper),
    ]),
  );
  const answers = items.flatMap((item) => findAnswer(tx, job, queue, item)?.answer ?? []);
  tx.need(...answers.map((answer) => want("result", answer.queue, answer.seq)));
};

const findAnswer = (tx: Transaction, job: Job, queue: Queue, item: Candidate): Known | undefined => {
  const { scraper, version } = readingOf(job.spec, item.scraper);
  const of = (owner: string) =>
    tx.list("fresh", item.key, scraper, owner).filter((one) => one.version === version);
  const own = of(queue.client);
  const isOf = (one: FreshAnswer, other: { readonly queue: number; readonly seq: number }) =>
    one.queue === other.queue && one.seq === other.seq;
  const known = [...own, ...of(EVERYBODY)]
    // An item's own earlier result is no answer to it: it was queued again for another attempt.
    .filter((one) => !isOf(one, item))
    // Pages that a client fetched itself are its own: the caching rules for private use apply, not those for sharing.
    .filter((one) => one.owner === queue.client || !own.some((other) => isOf(other, one)))
    .map((answer) => ({
      answer,
      outcome: answer.outcome,
      fetchedAt: answer.fetchedAt,
      freshUntil: answer.freshUntil,
      isShared: answer.owner === EVERYBODY,
    }));
  return freshAnswer(known, queue.freshness!, tx.now);
};

/** Gives an item the data of the item behind the answer. Its own earlier attempts stay. */
const skip = (
  tx: Transaction,
  job: number,
  queue: Queue,
  item: Candidate,
  { answer, isShared }: Known,
): void => {
  const had = isShared
    ? tx.list("fresh", item.key, answer.scraper, queue.client).find(({ isFailure }) => !isFailure)
    : answer;
  const change = changeSince(had, answer);
  const source = tx.one("result", answer.queue, answer.seq);
  const { captures = [], records = null } = source ?? {};
  tx.put("result", {
    queue: queue.id,
    seq: item.seq,
    state: "skipped",
    attempts: "attempts" in item ? item.attempts : 0,
    endedAt: tx.now,
    quality: source?.quality ?? null,
    failure: source?.failure ?? null,
    captures,
    records,
    skipped: { reason: "fresh", from: { job: answer.job, queue: answer.queue, seq: answer.seq } },
    change: change ?? null,
    attempt: null,
    revision: queue.revision,
  });
  if ("attempts" in item)
    tx.put("retry", { ...retryOf(item), dueAt: null, leaderQueue: null, leaderSeq: null });
  noteBorrowed(tx, item, queue.jobId, records ? [...captures, records] : captures);
  if (change) countChange(tx, job, change);
  // The client has now seen this.
  if (isShared) tx.put("fresh", { ...answer, owner: queue.client });
};

const countChange = (tx: Transaction, number: number, change: Change): void => {
  const job = tx.known("job", number)!;
  tx.patch("job", job, { changes: { ...job.changes, [change]: (job.changes[change] ?? 0) + 1 } });
};

/** How an answer differs for a client that had `before`. */
const changeSince = (before: FreshAnswer | undefined, now: FreshAnswer): Change | undefined => {
  const isSame = before?.queue === now.queue && before.seq === now.seq;
  if (isSame && now.outcome === "done") return "unchanged";
  const seen = (answer: FreshAnswer) => ({ outcome: answer.outcome, digest: answer.digest ?? undefined });
  return changeOf(before && seen(before), seen(now));
};

/** Whether the item waits for another item in flight: then it is set aside until that one ends. */
const follow = (tx: Transaction, job: Job, queue: Queue, item: Candidate): boolean => {
  const isFree = "attempts" in item && item.isFree;
  const { scraper, version } = readingOf(job.spec, item.scraper);
  const isLeader = (one: Fetch): boolean => one.version === version && one.job !== job.id;
  const leader =
    queue.freshness!.maxAgeMs === 0 || isFree
      ? undefined
      : (tx.list("fetches", item.key, scraper).find(isLeader) ??
        // An item that this claim itself gives out.
        tx.added("fetch", (one) => one.key === item.key && one.scraper === scraper && isLeader(one)));
  if (!leader) return false;
  tx.put("retry", {
    ...("attempts" in item ? retryOf(item) : newRetry(queue.id, item.seq)),
    state: "waiting",
    dueAt: tx.now + LOOK_AGAIN_MS,
    leaderQueue: leader.queue,
    leaderSeq: leader.seq,
  });
  return true;
};

/** For an item that is claimed whatever is known about it. */
export const leadAlone = (tx: Transaction, queue: Queue, item: Candidate): void => {
  if (queue.freshness !== null) lead(tx, tx.one("job", queue.job)!, queue, item);
};

const lead = (tx: Transaction, job: Job, queue: Queue, { seq, key, scraper: number }: Candidate): void =>
  tx.put("fetch", {
    queue: queue.id,
    seq,
    job: job.id,
    client: queue.client,
    key,
    ...readingOf(job.spec, number),
  });
