import { type Transaction, want } from "../../../ledger/transaction.ts";
import { noteBorrowed } from "../../../ledger/borrowed.ts";
import { addFailure } from "../../../ledger/failures.ts";
import { goodAnswers } from "../../../ledger/fresh-notes.ts";
import type { FreshAnswer, Job } from "../../../ledger/records.ts";
import { revisionOf, versionIn } from "../../../domain/job-version.ts";
import type { JobSpec } from "../../../domain/job.ts";
import { FIELD_STATUSES } from "../../../domain/record.ts";
import type { LostJob, SettledLine } from "../../../ports/ledger-check.ts";
import type { NewLedger } from "./add-job.ts";
import { endedAtOf, type LinedUp, linedUp, linesOf } from "./catalog.ts";
import { type ItemEnd, itemEnd } from "./item-end.ts";

/** What is counted while results are put back. */
export interface Tally {
  requests: number;
  bytes: number;
  failures: Job["failures"];
  readonly fieldCounts: number[];
  /** Items that have not ended. */
  open: number;
  lost: number;
  withoutInput: number;
  isOutdated: boolean;
}

/** Every item that has a place gets what is known of its end, or is due; and its parent, which may have got its place after it. */
export const putResults = async ({ db, store }: NewLedger, lost: LostJob): Promise<Tally> => {
  const { spec } = lost.view;
  const tally: Tally = {
    requests: 0,
    bytes: 0,
    failures: {},
    fieldCounts: spec.fields.flatMap(() => FIELD_STATUSES.map(() => 0)),
    open: 0,
    lost: 0,
    withoutInput: 0,
    isOutdated: false,
  };
  const dueAt = db.now();
  for (let after = 0; ;) {
    const places = linedUp(db, after);
    if (places.length === 0) return tally;
    after = places.at(-1)!.n;
    const ends = places
      .filter(({ is_capped }) => !is_capped)
      .map((place) => {
        const { lines, listed } = linesOf(db, place);
        const end = itemEnd(place, lines, listed, lost, dueAt);
        count(tally, spec, place, lines, end);
        return { ...end, place, answers: answersOf(spec, place, end) };
      });
    const found = places.filter(({ parent_seq }) => parent_seq !== null);
    await store.transact(
      [
        ...found.map(({ is_capped, queue, seq }) => want(is_capped ? "capped" : "item", queue, seq)),
        ...ends.flatMap(({ answers }) =>
          answers.map(({ key, scraper, owner }) => want("fresh", key, scraper, owner)),
        ),
      ],
      (tx) => {
        for (const place of found) nameParent(tx, place);
        for (const { place, result, retry, answers } of ends) {
          if (result) tx.put("result", result);
          if (retry) tx.put("retry", retry);
          const { captures = [], records } = result ?? retry?.last ?? {};
          noteBorrowed(tx, place, spec.id, records ? [...captures, records] : captures);
          for (const answer of answers) keepLatest(tx, answer);
        }
      },
      false,
    );
    lost.onProgress(places.length);
  }
};

const count = (
  tally: Tally,
  spec: JobSpec,
  { key, input }: LinedUp,
  lines: readonly SettledLine[],
  { result, last, isLost }: ItemEnd,
): void => {
  for (const { attempt, outcome } of lines) {
    tally.requests += attempt.requests;
    tally.bytes += attempt.bytes;
    if ("failure" in outcome)
      tally.failures = addFailure(tally.failures, outcome.failure, key, {
        isFinal: outcome.state === "failed",
      });
  }
  if (!result) tally.open++;
  if (isLost) tally.lost++;
  if (input === null) tally.withoutInput++;
  if (result?.state !== "done") return;
  last?.fieldCounts?.forEach((n, at) => (tally.fieldCounts[at] = (tally.fieldCounts[at] ?? 0) + n));
  if (result.revision < revisionOf(spec)) tally.isOutdated = true;
};

const nameParent = (tx: Transaction, { is_capped, queue, seq, parent_queue, parent_seq }: LinedUp): void => {
  const parent = { parentQueue: parent_queue, parentSeq: parent_seq };
  if (is_capped) tx.patch("capped", tx.one("capped", queue, seq)!, parent);
  else tx.patch("item", tx.one("item", queue, seq)!, parent);
};

/** What an item has left for later jobs: good answers only. */
const answersOf = (
  spec: JobSpec,
  { queue, seq, key, scraper }: LinedUp,
  { last }: ItemEnd,
): FreshAnswer[] => {
  if (!last?.fresh || last.outcome.state === "failed" || last.outcome.state === "waiting") return [];
  const fetch = {
    queue,
    seq,
    job: spec.id,
    client: spec.client,
    scraper: spec.scrapers[scraper]?.name ?? spec.scraper,
    version: versionIn(spec, last.revision, scraper) ?? spec.version,
    key,
  };
  return goodAnswers(fetch, last.fresh, endedAtOf(last));
};

/** Jobs run side by side: an earlier one may have the later answer. */
const keepLatest = (tx: Transaction, answer: FreshAnswer): void => {
  const { key, scraper, owner, fetchedAt } = answer;
  if ((tx.known("fresh", key, scraper, owner, 0)?.fetchedAt ?? -Infinity) < fetchedAt)
    tx.put("fresh", answer);
};
