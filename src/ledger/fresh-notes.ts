import { changeOf } from "../domain/freshness.ts";
import type { ItemRef } from "../domain/item.ts";
import type { FreshNote, SettledItem } from "../ports/ledger.ts";
import type { Change } from "../domain/freshness.ts";
import { type Transaction, type Want, want } from "./transaction.ts";
import { EVERYBODY } from "./fresh-claims.ts";
import type { Fetch, FreshAnswer } from "./records.ts";
import { wakeShare } from "./shares.ts";

/** What `noteFresh` and `leaveFresh` need for items in queues of jobs with `freshness`. */
export const freshWants = (items: readonly ItemRef[]): Want[] =>
  items.flatMap(({ queue, seq }) => [want("fetch", queue, seq), want("followers", queue, seq)]);

/** Then what was known about its key before. */
export const answerWants = (tx: Transaction, { queue, seq }: ItemRef): Want[] => {
  const fetch = tx.one("fetch", queue, seq);
  const followers = tx.list("followers", queue, seq);
  return [
    ...(fetch ? [want("fresh", fetch.key, fetch.scraper, fetch.client)] : []),
    ...followers.flatMap((follower) => [want("queue", follower.queue), want("shareOfQueue", follower.queue)]),
  ];
};

/**
 * Runs inside the settle, for every item that was not returned: stores what later items can use (`item.fresh`), and releases the
 * items that waited for it. Returns how it has changed since its client last got it.
 */
export const noteFresh = (tx: Transaction, item: SettledItem): Change | undefined => {
  const fetch = tx.one("fetch", item.queue, item.seq);
  if (!fetch) return undefined;
  const { state } = item.outcome;
  let change: Change | undefined;
  if (item.fresh && (state === "done" || state === "skipped" || state === "absent"))
    change = noteGood(tx, fetch, item.fresh);
  else if (item.fresh && state === "failed") tx.put("fresh", answerOf(fetch, item.fresh, tx.now, true));
  endFetch(tx, fetch);
  return change;
};

/**
 * An item in flight ended in another way (its worker was lost, it was returned, its job was cancelled): items that wait for it
 * continue.
 */
export const leaveFresh = (tx: Transaction, item: ItemRef): void => {
  const fetch = tx.one("fetch", item.queue, item.seq);
  if (fetch) endFetch(tx, fetch);
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

/** A good answer for its client, and for everyone if sharing is allowed. */
export const goodAnswers = (fetch: Fetch, note: FreshNote, fetchedAt: number): FreshAnswer[] => {
  const answer = answerOf(fetch, note, fetchedAt, false);
  const { sharedMs } = note;
  return [
    answer,
    ...(sharedMs === undefined ? [] : [{ ...answer, owner: EVERYBODY, freshUntil: fetchedAt + sharedMs }]),
  ];
};

const noteGood = (tx: Transaction, fetch: Fetch, note: FreshNote): Change | undefined => {
  const { key, scraper, client: owner } = fetch;
  tx.need(want("fresh", key, scraper, owner));
  const before = tx.known("fresh", key, scraper, owner, 0); // including one from this settle
  for (const answer of goodAnswers(fetch, note, tx.now)) tx.put("fresh", answer);
  tx.drop("fresh", key, scraper, owner, 1);
  return changeOf(before && { ...before, digest: before.digest ?? undefined }, note);
};

const endFetch = (tx: Transaction, { queue, seq }: Fetch): void => {
  tx.drop("fetch", queue, seq);
  tx.each(tx.list("followers", queue, seq), (follower) => {
    const isWaiting = follower.dueAt !== null && follower.state === "waiting";
    tx.patch("retry", follower, { isFree: true, ...(isWaiting && { dueAt: tx.now }) });
    if (!isWaiting) return;
    const own = tx.known("queue", follower.queue) ?? tx.one("queue", follower.queue)!;
    tx.patch("queue", own, { dueAt: Math.min(tx.now, own.dueAt ?? Infinity) });
    wakeShare(tx, own.lane, own.client, tx.now);
  });
};
