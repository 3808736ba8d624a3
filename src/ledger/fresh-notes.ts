import { changeOf } from "../model/freshness.ts";
import type { ItemRef } from "../model/item.ts";
import type { FreshNote, SettledItem } from "../ports/ledger.ts";
import type { Change } from "../model/freshness.ts";
import { type Book, type Want, want } from "./book.ts";
import { EVERYBODY } from "./fresh-claims.ts";
import type { Fetch, FreshAnswer } from "./records.ts";
import { wakeShare } from "./shares.ts";

/** What `noteFresh` and `leaveFresh` need of items in queues whose job says something about freshness. */
export const freshWants = (items: readonly ItemRef[]): Want[] =>
  items.flatMap(({ queue, seq }) => [want("fetch", queue, seq), want("followers", queue, seq)]);

/** And then, for what was known of its key before. */
export const answerWants = (book: Book, { queue, seq }: ItemRef): Want[] => {
  const fetch = book.one("fetch", queue, seq);
  const followers = book.list("followers", queue, seq);
  return [
    ...(fetch ? [want("fresh", fetch.key, fetch.scraper, fetch.client)] : []),
    ...followers.flatMap((follower) => [want("queue", follower.queue), want("shareOfQueue", follower.queue)]),
  ];
};

/**
 * Inside the settle, for every item that was not given back: keeps what it leaves for later ones (`item.fresh`), and lets go those that waited
 * for it. Answers what has become of it since its client last had it.
 */
export const noteFresh = (book: Book, item: SettledItem): Change | undefined => {
  const fetch = book.one("fetch", item.queue, item.seq);
  if (!fetch) return undefined;
  const { state } = item.outcome;
  let change: Change | undefined;
  if (item.fresh && (state === "done" || state === "skipped" || state === "absent"))
    change = noteGood(book, fetch, item.fresh);
  else if (item.fresh && state === "failed") book.put("fresh", answerOf(fetch, item.fresh, book.now, true));
  endFetch(book, fetch);
  return change;
};

/** An item in flight ended in another way (its worker was lost, it was given back, its job was cancelled): whoever waits for it goes on. */
export const leaveFresh = (book: Book, item: ItemRef): void => {
  const fetch = book.one("fetch", item.queue, item.seq);
  if (fetch) endFetch(book, fetch);
};

const answerOf = (fetch: Fetch, note: FreshNote, fetchedAt: number, isFailure: boolean): FreshAnswer => ({
  ...fetch,
  owner: fetch.client,
  isFailure,
  fetchedAt,
  freshUntil: fetchedAt + note.freshMs,
  outcome: note.outcome,
  etag: note.etag ?? null,
  lastModified: note.lastModified ?? null,
  url: note.url ?? null,
  digest: note.digest ?? null,
});

/** A good answer for its client, and for everybody where that is allowed. */
export const goodAnswers = (fetch: Fetch, note: FreshNote, fetchedAt: number): FreshAnswer[] => {
  const answer = answerOf(fetch, note, fetchedAt, false);
  const { sharedMs } = note;
  return [
    answer,
    ...(sharedMs === undefined ? [] : [{ ...answer, owner: EVERYBODY, freshUntil: fetchedAt + sharedMs }]),
  ];
};

const noteGood = (book: Book, fetch: Fetch, note: FreshNote): Change | undefined => {
  const { key, scraper, client: owner } = fetch;
  book.need(want("fresh", key, scraper, owner));
  const before = book.known("fresh", key, scraper, owner, 0); // also one that this settle has brought
  for (const answer of goodAnswers(fetch, note, book.now)) book.put("fresh", answer);
  book.drop("fresh", key, scraper, owner, 1);
  return changeOf(before && { ...before, digest: before.digest ?? undefined }, note);
};

const endFetch = (book: Book, { queue, seq }: Fetch): void => {
  book.drop("fetch", queue, seq);
  book.each(book.list("followers", queue, seq), (follower) => {
    const isWaiting = follower.dueAt !== null && follower.state === "waiting";
    book.patch("retry", follower, { isFree: true, ...(isWaiting && { dueAt: book.now }) });
    if (!isWaiting) return;
    const own = book.known("queue", follower.queue) ?? book.one("queue", follower.queue)!;
    book.patch("queue", own, { dueAt: Math.min(book.now, own.dueAt ?? Infinity) });
    wakeShare(book, own.lane, own.client, book.now);
  });
};
