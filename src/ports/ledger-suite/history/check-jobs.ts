import type { Call, CallOf, Violation } from "./history.ts";
import { canPrecede, type End, type Grant, type HistoryIndex, isBefore } from "./history-index.ts";
import { leasesOf } from "./check-items.ts";

type Read = CallOf<"readJob">;

/** The counts of a job: every input has one result, every accepted one is in one state, and the numbers follow from the calls. */
export function* checkJobs(index: HistoryIndex): Generator<Violation> {
  const reads = index.of("readJob").filter(({ answer }) => answer === "known");
  for (const [job, own] of Map.groupBy(reads, (read) => read.job)) {
    // The job of an item is unknown until a response has shown the item: it may count for any job.
    const ends = [...index.ends.values()]
      .flat()
      .map((end) => (index.jobOfQueue.has(end.queue) ? end : { ...end, fate: "unknown" as const }))
      .filter(({ queue }) => (index.jobOfQueue.get(queue) ?? job) === job);
    const grants = [...index.grants.values()].flat().filter((grant) => grant.job === job);
    for (const [at, read] of own.entries()) {
      if (index.ofJob(job, "remove").some((call) => canPrecede(call, read))) continue;
      if (!read.counts) {
        const isThere = index.jobs.get(job);
        if (isThere?.answer === "known" && isBefore(isThere, read))
          yield { law: "conservation", what: `${job} is not there at ${read.begin}` };
        continue;
      }
      yield* checkSums(read);
      yield* checkForward(
        index,
        own.slice(0, at).findLast((one) => isBefore(one, read)),
        read,
      );
      for (const { name, is, least, most } of countersOf(index, read, ends, grants))
        if (is < least || is > most)
          yield {
            law: "conservation",
            what: `${job}: ${name} is ${is} at ${read.begin}; the calls allow ${least} to ${most}`,
          };
    }
  }
}

function* checkSums({ job, counts, begin }: Read): Generator<Violation> {
  const { received, accepted, folded, rejected, capped, states } = counts!;
  const inStates = Object.values(states).reduce((a, b) => a + b);
  if (received !== accepted + folded + rejected + capped || accepted !== inStates)
    yield { law: "conservation", what: `${job} does not add up at ${begin}: ${JSON.stringify(counts)}` };
}

/** Counts never fall, and ended items stay ended unless they are retried. */
function* checkForward(index: HistoryIndex, before: Read | undefined, read: Read): Generator<Violation> {
  if (!before?.counts) return;
  const isReopened = index.canReopen(read.job, before, read);
  const earlier = risingOf(before, isReopened);
  for (const [name, count] of Object.entries(risingOf(read, isReopened)))
    if (count < earlier[name]!)
      yield {
        law: "conservation",
        what: `${read.job}: ${name} went back from ${earlier[name]} to ${count} at ${read.begin}`,
      };
}

const risingOf = ({ counts, requests, bytes }: Read, isReopened: boolean): Record<string, number> => {
  const { received, accepted, folded, rejected, states } = counts!;
  const { done, absent, failed, skipped, cancelled } = states;
  const ended = isReopened ? {} : { done, absent, failed, skipped, cancelled };
  return { received, accepted, folded, rejected, requests, bytes, ...ended };
};

interface Counter {
  readonly name: string;
  readonly is: number;
  readonly least: number;
  readonly most: number;
}

const countersOf = (
  index: HistoryIndex,
  read: Read,
  ends: readonly End[],
  grants: readonly Grant[],
): readonly Counter[] => {
  const { job, counts, requests, bytes } = read;
  const { received, states } = counts!;
  const may = ends.filter(({ call }) => canPrecede(call, read));
  const sure = onePerLease(may.filter(({ fate, call }) => fate === "accepted" && isBefore(call, read)));
  const taken = onePerLease(may.filter(({ fate }) => fate !== "refused"));
  const isAmended = index.ofJob(job, "amendItems").some((call) => canPrecede(call, read));
  const loads = index.ofJob(job, "addItems").filter((call) => canPrecede(call, read));
  const tried = sure.filter(({ state }) => state !== "returned");
  const given = loads.filter((call) => call.answer === "known" && isBefore(call, read));
  // The cost of a lost worker was reported in its pulses.
  const lost = index
    .of("pulse")
    .filter((call) => canPrecede(call, read))
    .flatMap(({ unsettled }) => unsettled.filter(({ queue }) => index.jobOfQueue.get(queue) === job));
  const untouched = sure.filter(({ call }) => !index.canReopen(job, call, read));
  const inState = (all: readonly End[], state: string): number =>
    leasesOf(all.filter((end) => end.state === state));
  const made = (state: "done" | "absent"): Counter => ({
    name: state,
    is: states[state],
    least: inState(untouched, state),
    most: isAmended ? Infinity : inState(taken, state),
  });
  return [
    {
      name: "received",
      is: received,
      least: sumOf(given, "inputs") + sumOf(tried, "inputs"),
      // Some inputs that a refused settle has found may have come before it.
      most: isAmended ? Infinity : sumOf(loads, "inputs") + sumOf(may, "inputs"),
    },
    {
      name: "requests",
      is: requests,
      least: sumOf(tried, "requests"),
      most: sumOf(taken, "requests") + sumOf(lost, "requests"),
    },
    {
      name: "bytes",
      is: bytes,
      least: sumOf(tried, "bytes"),
      most: sumOf(taken, "bytes") + sumOf(lost, "bytes"),
    },
    made("done"),
    made("absent"),
    { name: "failed", is: states.failed, least: inState(untouched, "failed"), most: Infinity },
    { name: "skipped", is: states.skipped, least: inState(untouched, "skipped"), most: Infinity },
    leasedOf(index, read, grants, sure),
  ];
};

/** Leased items: at least those that no worker can have released, at most those that some worker may still have. */
const leasedOf = (
  index: HistoryIndex,
  read: Read,
  grants: readonly Grant[],
  sure: readonly End[],
): Counter => {
  const released = new Set(sure.map(({ item, lease }) => `${item} ${lease}`));
  const isOut = (grant: Grant): boolean =>
    canPrecede(grant.call, read) &&
    !released.has(`${grant.item} ${grant.lease}`) &&
    !index.isLost(grant, read);
  const isHeld = (grant: Grant): boolean => isBefore(grant.call, read) && !index.canRelease(grant, read);
  const itemsOf = (some: readonly Grant[]): number => new Set(some.map(({ item }) => item)).size;
  return {
    name: "leased",
    is: read.counts!.states.leased,
    least: itemsOf(grants.filter(isHeld)),
    most: index.hasUnheardClaims() ? Infinity : itemsOf(grants.filter(isOut)),
  };
};

/** The first of each: one that is sent again changes nothing. */
const onePerLease = (ends: readonly End[]): readonly End[] => [
  ...new Map(ends.toReversed().map((end) => [`${end.item} ${end.lease}`, end])).values(),
];

const sumOf = <K extends string>(all: readonly { readonly [key in K]: number }[], name: K): number =>
  all.reduce((sum, one) => sum + one[name], 0);

/** After a stop was answered, nothing of the job or lane is claimed until it is resumed. */
export function* checkStops(index: HistoryIndex): Generator<Violation> {
  const isStopped = (stops: readonly Call[], lifts: readonly Call[], call: Call): boolean =>
    stops.some(
      (stop) =>
        stop.answer === "known" &&
        isBefore(stop, call) &&
        !lifts.some((lift) => lift.end > stop.begin && canPrecede(lift, call)),
    );
  const isJobStopped = (job: string | undefined, call: Call): boolean =>
    job !== undefined &&
    (isStopped(index.ofJob(job, "cancel"), [], call) ||
      isStopped(
        index.ofJob(job, "pause"),
        index.ofJob(job, "resume", "retryItems", "raiseCaps", "amendItems"),
        call,
      ));
  const controls = index.of("controlLane");
  const isLaneHeld = (lane: string, call: Call): boolean => {
    const own = controls.filter((one) => one.lane === lane);
    const holds = own.filter(({ isHeld }) => isHeld === true);
    return isStopped(
      holds,
      own.filter((one) => one.isHeld !== true && (one.isHeld === false || one.isReset)),
      call,
    );
  };
  for (const call of index.of("claim", "pulse")) {
    const what = `${call.worker}, at ${call.end}`;
    if (call.verb === "claim")
      for (const { item, job, lane } of call.items) {
        if (isJobStopped(job, call))
          yield { law: "stop means stop", what: `${what}: ${item} of ${job}, which was stopped` };
        if (isLaneHeld(lane, call))
          yield { law: "stop means stop", what: `${what}: ${item} in ${lane}, which is held` };
      }
    else
      for (const { lane } of call.slots) {
        const wishes = call.wishes.filter((wish) => wish.lane === lane);
        if (
          wishes.every(({ queue }) => isJobStopped(index.jobOfQueue.get(queue), call)) ||
          isLaneHeld(lane, call)
        )
          yield { law: "stop means stop", what: `${what}: slots in ${lane} for what was stopped` };
      }
  }
}
