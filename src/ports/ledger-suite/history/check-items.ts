import type { Violation } from "./history.ts";
import { canPrecede, type End, type Grant, type HistoryIndex, isBefore, isFinal } from "./history-index.ts";

/** One holder, one end, attempts that count up, and reads that show the end. */
export function* checkItems(index: HistoryIndex): Generator<Violation> {
  for (const grants of index.grants.values()) {
    yield* checkHolders(index, grants);
    for (const grant of grants) yield* checkAttempt(index, grant);
  }
  for (const ends of index.ends.values()) yield* checkEnds(index, ends);
  yield* checkReads(index);
}

function* checkHolders(index: HistoryIndex, grants: readonly Grant[]): Generator<Violation> {
  for (const [at, grant] of grants.entries()) {
    const { item, worker, lease, call } = grant;
    const before = grants[at - 1];
    const what = `${worker} was given ${item} (lease ${lease}) at ${call.end}`;
    if (before) {
      const isFollowing = canFollow(index, before, grant) || canFollow(index, grant, before);
      if (!isFollowing || before.lease === lease)
        yield { law: "one holder", what: `${what}, while ${before.worker} had it (lease ${before.lease})` };
    }
    const end = index.ends
      .get(item)
      ?.find((one) => isAccepted(one) && isFinal(one) && isBefore(one.call, call));
    if (end && !index.canReopen(grant.job, end.call, call))
      yield { law: "final state", what: `${what}, which had ended as ${end.state} at ${end.call.end}` };
  }
}

const canFollow = (index: HistoryIndex, first: Grant, second: Grant): boolean =>
  canPrecede(first.call, second.call) && index.canRelease(first, second.call);

const isAccepted = ({ fate }: End): boolean => fate === "accepted";

function* checkEnds(index: HistoryIndex, ends: readonly End[]): Generator<Violation> {
  const grants = index.grants.get(ends[0]!.item) ?? [];
  for (const [at, end] of ends.entries()) {
    const { item, lease, worker, state, call } = end;
    const what = `the settle of ${item} as ${state} by ${worker} (lease ${lease}) at ${call.begin}`;
    const grant = grants.find((one) => one.lease === lease);
    const others = ends.filter((other, i) => i !== at && other.lease === lease && other.fate !== "refused");
    if (end.fate === "refused") {
      const isHeld = grant && isBefore(grant.call, call) && !index.canLose(grant, call);
      if (isHeld && !others.some((other) => canPrecede(other.call, call)))
        yield { law: "one end", what: `${what} was refused, though it held the item` };
    }
    if (end.fate !== "accepted") continue;
    const earlier = others.filter((other) => canPrecede(other.call, call));
    // Sent again because the answer was lost: the same end, not another one.
    if (earlier.some((other) => other.state === state && other.worker === worker)) continue;
    const second = earlier.find(isAccepted);
    if (second) yield { law: "one end", what: `${what} was accepted after that as ${second.state}` };
    if (!grant) {
      if (!index.hasUnheardClaims(worker))
        yield { law: "one holder", what: `${what} was accepted, but it never had this lease` };
      continue;
    }
    const taken = grants.find(
      (one) => one !== grant && isBefore(grant.call, one.call) && isBefore(one.call, call),
    );
    if (taken || index.isLost(grant, call))
      yield { law: "one holder", what: `${what} was accepted after the lease was lost` };
  }
}

function* checkAttempt(index: HistoryIndex, grant: Grant): Generator<Violation> {
  const { item, job, attempt, call } = grant;
  const counted = (index.ends.get(item) ?? []).filter((end) => end.countsAttempt && end.fate !== "refused");
  const most = 1 + leasesOf(counted.filter((end) => canPrecede(end.call, call)));
  const resets = index.ofJob(job, "retryItems", "amendItems").filter((reset) => canPrecede(reset, call));
  const least =
    1 +
    leasesOf(
      counted.filter(
        (end) =>
          isAccepted(end) && isBefore(end.call, call) && resets.every((reset) => isBefore(reset, end.call)),
      ),
    );
  const cap = index.jobs.get(job)?.maxAttempts ?? Infinity;
  if (attempt < least || attempt > Math.min(most, cap))
    yield {
      law: "attempts",
      what: `${item} was given as attempt ${attempt}; its settles allow ${least} to ${most}, its job ${cap}`,
    };
}

/** A settle that was sent twice counts once. */
export const leasesOf = (ends: readonly End[]): number =>
  new Set(ends.map(({ item, lease }) => `${item} ${lease}`)).size;

function* checkReads(index: HistoryIndex): Generator<Violation> {
  for (const call of index.of("listItems")) {
    if (call.answer !== "known") continue;
    for (const { item, state } of call.items) {
      const ends = (index.ends.get(item) ?? []).filter(({ fate }) => fate !== "refused");
      const what = `${item} of ${call.job} is listed as ${state} at ${call.begin}`;
      const end = ends.find((one) => isAccepted(one) && isFinal(one) && isBefore(one.call, call));
      if (end && end.state !== state && !index.canReopen(call.job, end.call, call))
        yield { law: "final state", what: `${what}, but was settled as ${end.state}` };
      const canBe = ends.some((one) => one.state === state && canPrecede(one.call, call));
      const isMade = state === "done" || state === "absent";
      if (isMade && !canBe && index.ofJob(call.job, "amendItems").length === 0)
        yield { law: "final state", what: `${what}, but nobody settled it so` };
      const holder = index.grants.get(item)?.findLast((grant) => isBefore(grant.call, call));
      if (holder && state !== "leased" && !index.canRelease(holder, call))
        yield { law: "one holder", what: `${what}, while ${holder.worker} has it` };
    }
  }
}
