import type { Call, CallOf, Slots, Violation } from "./history.ts";
import { canPrecede, type HistoryIndex, isBefore } from "./history-index.ts";

/** A lane asks for no longer pause than this, whatever a site says. */
const LONGEST_HOLD_MS = 3_600_000;
/** What rounding of times of day makes. */
const ROUNDING_MS = 0.01;

/** Slots that may lie at the same moment; the other half of the burst is for those that are used late. */
const atOnce = (burst: number): number => Math.max(1, Math.floor(burst / 2));

/** A slot that is out, at a time between two: the ledger counts delays from its own now. */
interface Slot {
  readonly worker: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly intervalMs: number;
  readonly burst: number;
}

/** Per lane, the slots that were granted and not returned are never closer together than the interval that the lane had at least. */
export function* checkSlots(index: HistoryIndex, slackMs: number): Generator<Violation> {
  const calls = index.of("claim", "pulse", "controlLane");
  const lanes = new Set(
    calls.flatMap((call) => (call.verb === "controlLane" ? [] : call.slots.map(({ lane }) => lane))),
  );
  const byLane = new Map([...lanes].map((lane) => [lane, [[]] as Slot[][]]));
  for (const call of calls) {
    if (call.verb === "controlLane") {
      // What was booked before is forgotten.
      if (call.isReset) byLane.get(call.lane)?.push([]);
      continue;
    }
    if (call.verb === "pulse")
      for (const slots of call.returned) takeBack(byLane.get(slots.lane)?.at(-1), call, slots);
    for (const { lane, delaysMs } of call.slots) {
      const rhythm = rhythmOf(index, call, lane);
      const { worker, beginMs, endMs } = call;
      const slots = delaysMs.map((delay) => ({
        worker,
        fromMs: beginMs + delay,
        toMs: endMs + delay,
        ...rhythm,
      }));
      byLane
        .get(lane)!
        .at(-1)!
        .push(...slots);
      yield* checkHolds(index, call, lane, slots, slackMs);
    }
    if (call.verb === "claim") yield* checkFirstSlots(call);
  }
  for (const [lane, epochs] of byLane) for (const slots of epochs) yield* checkRhythm(lane, slots, slackMs);
}

const takeBack = (
  slots: Slot[] | undefined,
  { worker, beginMs }: CallOf<"pulse">,
  { delaysMs }: Slots,
): void => {
  for (const delay of delaysMs) {
    const at = beginMs + delay;
    const distance = ({ fromMs, toMs }: Slot): number => Math.max(fromMs - at, at - toMs, 0);
    const own = (slots ?? []).filter((slot) => slot.worker === worker);
    if (slots && own.length > 0)
      slots.splice(slots.indexOf(own.reduce((a, b) => (distance(b) < distance(a) ? b : a))), 1);
  }
};

/** The fastest that the lane can have been: as its jobs' scrapers and its operator allow. What was learned, and robots.txt, only slow it. */
const rhythmOf = (
  index: HistoryIndex,
  call: CallOf<"claim" | "pulse">,
  lane: string,
): { readonly intervalMs: number; readonly burst: number } => {
  const paceOf = (job: string, scraper: number) =>
    index.ofJob(job, "pinVersions", "changeVersions").length === 0
      ? index.jobs.get(job)?.paces[scraper]
      : undefined;
  // A hop goes by the pace of the lane that it leads to, whose jobs the call does not name.
  const paces =
    call.verb === "claim"
      ? call.items.filter((item) => item.lane === lane).map(({ job, scraper }) => paceOf(job, scraper))
      : [...index.jobs.values()].flatMap(({ job, paces: all }) =>
          all.map((_, scraper) => paceOf(job, scraper)),
        );
  const rates = paces.map((pace) => pace?.perSecond ?? Infinity);
  const perSecond = call.verb === "claim" ? Math.min(...rates) : Math.max(...rates);
  const operator = index
    .of("controlLane")
    .filter(
      (control) => control.lane === lane && control.perSecond !== undefined && canPrecede(control, call),
    );
  const last = operator.at(-1);
  const isSure =
    last?.answer === "known" &&
    isBefore(last, call) &&
    operator.every((one) => one === last || isBefore(one, last));
  const allowed = isSure ? Math.min(perSecond, last.perSecond ?? Infinity) : perSecond;
  return { intervalMs: 1000 / allowed, burst: Math.max(1, ...paces.map((pace) => pace?.burst ?? 1)) };
};

function* checkRhythm(lane: string, unsorted: readonly Slot[], slackMs: number): Generator<Violation> {
  const slots = unsorted.toSorted((a, b) => a.fromMs - b.fromMs);
  const leadMs = Math.max(0, ...slots.map(({ intervalMs, burst }) => (atOnce(burst) - 1) * intervalMs));
  // By the algorithm of `slots.ts`: from any slot to any later one it takes at least the intervals between them, less the burst.
  let [dueMs, latestMs] = [-Infinity, -Infinity];
  for (const [at, slot] of slots.entries()) {
    latestMs = Math.max(latestMs, slot.toMs);
    const intervalMs = Math.min(slot.intervalMs, slots[at - 1]?.intervalMs ?? 0);
    dueMs = Math.max(dueMs + intervalMs, slot.fromMs);
    const earlyMs = dueMs - leadMs - latestMs;
    if (earlyMs > ROUNDING_MS + slackMs)
      yield { law: "pace", what: `${lane}: a slot at ${slot.toMs} is ${earlyMs} ms too early` };
  }
}

function* checkHolds(
  index: HistoryIndex,
  call: Call,
  lane: string,
  slots: readonly Slot[],
  slackMs: number,
): Generator<Violation> {
  for (const report of index.of("pulse"))
    for (const hold of report.holds) {
      if (hold.lane !== lane || report.answer !== "known" || !isBefore(report, call)) continue;
      const untilMs = report.beginMs + Math.min(hold.forMs, LONGEST_HOLD_MS);
      const early = slots.find(({ toMs }) => toMs < untilMs - ROUNDING_MS - slackMs);
      const isLifted = index
        .of("controlLane")
        .some((control) => control.lane === lane && control.end > report.begin && canPrecede(control, call));
      if (early && !isLifted)
        yield {
          law: "pace",
          what: `${lane}: a slot at ${early.toMs}, but the site asked to wait until ${untilMs}`,
        };
    }
}

function* checkFirstSlots({
  worker,
  room,
  items,
  slots,
  unpaced,
  end,
}: CallOf<"claim">): Generator<Violation> {
  if (items.length > room)
    yield {
      law: "one holder",
      what: `${worker} had room for ${room} and was given ${items.length} at ${end}`,
    };
  for (const [lane, here] of Map.groupBy(items, (item) => item.lane)) {
    const count = slots.filter((one) => one.lane === lane).reduce((sum, one) => sum + one.delaysMs.length, 0);
    if (!unpaced.includes(lane) && count < here.length)
      yield {
        law: "pace",
        what: `${worker} was given ${here.length} items in ${lane} with ${count} slots at ${end}`,
      };
  }
}
