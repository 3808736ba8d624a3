import { addTierCosts } from "../../../domain/cost.ts";
import type { Failure } from "../../../domain/failure.ts";
import { addFailureTimes, type FailureTimes, NO_FAILURE_TIMES } from "../../../domain/failure-times.ts";
import { revisionOf, versionIn } from "../../../domain/job-version.ts";
import type { JobSpec, JobView } from "../../../domain/job.ts";
import { FIELD_STATUSES } from "../../../domain/record.ts";
import { noteBorrowed } from "../../../ledger/borrowed.ts";
import { addFailure } from "../../../ledger/failures.ts";
import { goodAnswers } from "../../../ledger/fresh-notes.ts";
import {
  type FreshAnswer,
  type Job,
  newRetry,
  type PastRow,
  type Result,
  type Retry,
} from "../../../ledger/records.ts";
import { type EndedOutcome, endOf, lastResult, pastOf } from "../../../ledger/settle.ts";
import { type Transaction, want } from "../../../ledger/transaction.ts";
import type { ListedItem, LostJob, SettledLine } from "../../../ports/ledger-check.ts";
import { endedAtOf, linedUp, type LinedUp, linesOf } from "./catalog.ts";
import type { NewLedger } from "./open-rebuild.ts";

/** Counts while results are restored. */
export interface Tally {
  requests: number;
  bytes: number;
  costs: Job["costs"];
  failures: Job["failures"];
  failureTimes: FailureTimes;
  readonly fieldCounts: number[];
  /** Items that have not ended. */
  open: number;
  lost: number;
  withoutInput: number;
  isOutdated: boolean;
}

/** Every item with a place gets its known result, or is due. It also gets its parent, which may have got its place later. */
export const putResults = async ({ db, store }: NewLedger, lost: LostJob): Promise<Tally> => {
  const { spec } = lost.view;
  const tally: Tally = {
    requests: 0,
    bytes: 0,
    costs: {},
    failures: {},
    failureTimes: NO_FAILURE_TIMES,
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
  for (const line of lines) {
    const { attempt, outcome } = line;
    tally.requests += attempt.requests;
    tally.bytes += attempt.bytes;
    tally.costs = addTierCosts(tally.costs, attempt.proxied);
    if (!("failure" in outcome)) continue;
    const { failure } = outcome;
    const isFinal = outcome.state === "failed";
    tally.failures = addFailure(tally.failures, failure, key, { isFinal });
    const pair = [Number(isFinal), 1] as const;
    tally.failureTimes = addFailureTimes(tally.failureTimes, endedAtOf(line), { [failure.kind]: pair });
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

/** What an item has left for later jobs: only good responses. */
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

/** Jobs run in parallel: an earlier job may have the later response. */
const keepLatest = (tx: Transaction, answer: FreshAnswer): void => {
  const { key, scraper, owner, fetchedAt } = answer;
  if ((tx.known("fresh", key, scraper, owner, 0)?.fetchedAt ?? -Infinity) < fetchedAt)
    tx.put("fresh", answer);
};

/** The known state of an item. */
interface ItemEnd {
  /** If it has ended. */
  readonly result?: Result;
  /** If it must be fetched, and for any item that has failed before. */
  readonly retry?: Retry;
  /** The last attempt of an ended item. */
  readonly last?: SettledLine;
  /** It had ended, but objects of its result are missing. */
  readonly isLost: boolean;
}

const NO_INPUT: Failure = {
  kind: "invalid-input",
  detail: "its input is not in the archive that the ledger was rebuilt from; submit it again in a new job",
};

/** `lines` in order of time. The manifest's entry of an ended item is valid, unless the item was tried again after that. */
const itemEnd = (
  place: LinedUp,
  lines: readonly SettledLine[],
  listed: ListedItem | undefined,
  job: LostJob,
  dueAt: number,
): ItemEnd => {
  const { view, manifestAt = -Infinity } = job;
  const last = lines.at(-1);
  const past = pastAttempts(lines);
  const holds = listed !== undefined && (last === undefined || endedAtOf(last) <= manifestAt);
  const attempts = holds ? listed.attempts : past.attempts;
  const untried = { ...newRetry(place.queue, place.seq), dueAt };
  const tried = { ...untried, ...past, attempts };
  const ended = (result: Result, before: Retry): ItemEnd => ({
    result,
    ...(before.history.length > 0 && { retry: { ...before, state: "queued", dueAt: null, last: null } }),
    isLost: false,
  });
  if (holds && isEnded(listed, view))
    return { ...ended(listedEnd(place, listed, last, job), tried), ...(last && { last }) };
  const told = last && lastResult(last.worker, last, last.revision);
  const isLost = last !== undefined && hasEnded(last) && !isStored(last, job);
  if (last && hasEnded(last) && !isLost) {
    const own = { attempts, endedAt: endedAtOf(last), change: null };
    return { ...ended(endOf(place, last.outcome, told!, own), tried), last };
  }
  const retry: Retry = told && !isLost ? { ...tried, state: "waiting", last: told } : untried;
  if (place.input !== null) return { retry, isLost };
  // Without its input, an item cannot be fetched, but it must not disappear.
  const none = {
    failure: NO_INPUT,
    captures: [],
    records: null,
    attempt: null,
    revision: revisionOf(view.spec),
  };
  const own = { attempts: retry.attempts, endedAt: view.createdAt, change: null };
  return ended(endOf(place, { state: "failed", failure: NO_INPUT }, none, own), retry);
};

const ENDED: ReadonlySet<string> = new Set<EndedOutcome["state"]>(["done", "absent", "failed", "skipped"]);

/** Items that ended by a cancel or a used-up budget are not written one by one: their state follows from their job. */
const isEnded = ({ state, failure }: ListedItem, { budgetSpentAt }: JobView): boolean =>
  ENDED.has(state) && !(failure?.kind === "budget" && budgetSpentAt !== undefined);

const hasEnded = (line: SettledLine): line is SettledLine & { readonly outcome: EndedOutcome } =>
  ENDED.has(line.outcome.state);

/** Objects of other jobs may have been removed with them. */
const isStored = ({ captures, records }: SettledLine, { view, has }: LostJob): boolean =>
  [...captures, ...(records ? [records] : [])].every(
    ({ blob }) => !blob.startsWith(`jobs/${view.spec.id}/`) || has(blob),
  );

const listedEnd = (
  { queue, seq, scraper }: LinedUp,
  listed: ListedItem,
  last: SettledLine | undefined,
  { view, manifestAt }: LostJob,
): Result => {
  const { attempts, quality, failure, captures, records, skipped, change, version } = listed;
  const told = last && "failure" in last.outcome ? last.outcome.failure : undefined;
  const isSame = last?.records?.blob === records?.blob && last?.records?.offset === records?.offset;
  const isTold = told?.kind === failure?.kind && told?.detail === failure?.detail;
  return {
    queue,
    seq,
    state: listed.state as EndedOutcome["state"],
    attempts,
    // It was read again with another version of its scraper, and ended then.
    endedAt: last === undefined ? view.createdAt : isSame ? endedAtOf(last) : (manifestAt ?? endedAtOf(last)),
    quality: quality ?? null,
    failure: (isTold ? told : failure) ?? null,
    captures,
    records,
    skipped: skipped ?? null,
    change: change ?? null,
    attempt: last ? lastResult(last.worker, last, last.revision).attempt : null,
    revision: revisionWith(view.spec, scraper, version, last?.revision),
  };
};

/** The revision of a job in which the scraper had this version. */
const revisionWith = (
  spec: JobSpec,
  scraper: number,
  version: string | undefined,
  likely: number | undefined,
): number => {
  const now = revisionOf(spec);
  const all = Array.from({ length: now + 1 }, (_, revision) => now - revision);
  const candidates = likely === undefined ? all : [likely, ...all];
  return candidates.find((revision) => versionIn(spec, revision, scraper) === version) ?? now;
};

const pastAttempts = (lines: readonly SettledLine[]): Pick<Retry, "attempts" | "throttles" | "history"> => {
  let [attempts, throttles] = [0, 0];
  const history: PastRow[] = [];
  let hadEnded = false;
  for (const line of lines) {
    const { outcome, worker, revision } = line;
    // Queued again by `retry`, as if it had never been tried.
    if (hadEnded) [attempts, throttles] = [0, 0];
    if (outcome.state === "waiting" && !outcome.countsAttempt) throttles++;
    else attempts++;
    hadEnded = hasEnded(line);
    if ("failure" in outcome) history.push({ ...pastOf(worker, line, revision), failure: outcome.failure });
  }
  return { attempts, throttles, history };
};
