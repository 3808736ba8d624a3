import { BOTTOM, chooseTier, climb, type LadderState } from "../domain/proxy-ladder.ts";
import type { PulseReport, TierReply, TierReport } from "../ports/ledger.ts";
import type { LaneLadder } from "../domain/job.ts";
import { laneNamed } from "./lane-pace.ts";
import type { Lane } from "./records.ts";
import { wakeLane } from "./shares.ts";
import type { Transaction } from "./transaction.ts";

/** Maximum number of ladders that a lane remembers. */
const MOST_LADDERS = 20;
/** Maximum length of a proxy's message. */
const LONGEST_DETAIL = 300;

const keyOf = (ladder: readonly string[]): string => ladder.join(",");

/** A tier may be called `constructor`. */
const stateOf = ({ tiers }: Lane, key: string): LadderState =>
  (Object.hasOwn(tiers, key) ? tiers[key] : undefined) ?? BOTTOM;

/** If nothing is known yet, good items on the first tier change nothing. */
const isNews = ({ at, blocked, outages }: LadderState, { sign }: TierReport): boolean =>
  sign.result !== "good" || at > 0 || blocked.length > 0 || Object.keys(outages).length > 0;

/** Moves the lane's ladder according to the result of an item, and holds the lane while no tier works. */
export const noteTier = (tx: Transaction, worker: string, report: TierReport): void => {
  const { ladder, sign } = report;
  const lane = laneNamed(tx, report.lane);
  const key = keyOf(ladder);
  const before = stateOf(lane, key);
  if (!isNews(before, report)) return;
  const detail = sign.detail?.slice(0, LONGEST_DETAIL);
  const told = detail === undefined ? sign : { ...sign, detail };
  const after = climb(before, told, ladder, worker, tx.now);
  if (after === before) return;
  const others = Object.entries(lane.tiers).filter(([name]) => name !== key);
  tx.patch("lane", lane, {
    tiers: Object.fromEntries([...others.slice(1 - MOST_LADDERS), [key, after]]),
  });
  const isHeld = holdOrRelease(tx, lane, ladder, before, after);
  if (after.at !== before.at)
    tellJobs(tx, "lane.tier", {
      lane: lane.name,
      from: ladder[before.at],
      to: ladder[after.at],
      why: after.why,
    });
  const outage = after.outages[sign.at];
  if (outage && outage.until > tx.now && outage.until !== before.outages[sign.at]?.until)
    tellJobs(tx, "proxy.down", {
      lane: lane.name,
      tier: ladder[sign.at],
      why: outage.why,
      ...(isHeld && { isHeld }),
    });
};

const holdOrRelease = (
  tx: Transaction,
  lane: Lane,
  ladder: readonly string[],
  before: LadderState,
  after: LadderState,
): boolean => {
  const choice = chooseTier(after, ladder, "", tx.now);
  if ("why" in choice) {
    if (choice.heldUntil > lane.holdUntil)
      tx.patch("lane", lane, { holdUntil: choice.heldUntil, holdReason: choice.why });
    return true;
  }
  const last = chooseTier(before, ladder, "", tx.now);
  if ("why" in last && lane.holdReason === last.why) {
    tx.patch("lane", lane, { holdUntil: 0, holdReason: null });
    wakeLane(tx, lane.id, tx.now);
  }
  return false;
};

/** All workers with items in the lane. */
const tellJobs = (
  tx: Transaction,
  type: "lane.tier" | "proxy.down",
  facts: Readonly<Record<string, unknown>> & { readonly lane: string },
): void => {
  for (const { jobId, open } of tx.list("queuesInLane", facts.lane).toSorted((a, b) => a.job - b.job))
    if (open > 0) tx.tell(type, jobId, facts);
};

/** The ladders that the worker has reported, each once. */
export const tierReplies = (tx: Transaction, { tiers = [] }: PulseReport): TierReply[] =>
  [...new Map(tiers.map((one) => [`${one.lane} ${keyOf(one.ladder)}`, one])).values()].map(
    ({ lane, ladder }) => ({
      lane,
      ladder,
      state: stateOf(laneNamed(tx, lane), keyOf(ladder)),
      now: tx.now,
    }),
  );

/** Everything that is known about some lanes. */
export const knownTiers = (lanes: Iterable<Lane>, now: number): TierReply[] =>
  [...lanes].flatMap(({ name, tiers }) =>
    Object.entries(tiers).map(([key, state]) => ({ lane: name, ladder: key.split(","), state, now })),
  );

/** As shown to people. */
export const laneLadders = (tiers: Lane["tiers"], now: number): LaneLadder[] =>
  Object.entries(tiers).map(([key, state]) => {
    const ladder = key.split(",");
    const choice = chooseTier(state, ladder, "", now);
    return {
      ladder,
      tier: ladder[state.at] ?? "",
      ...(state.why !== null && { why: state.why, sinceAt: state.since }),
      outages: Object.entries(state.outages)
        .filter(([, { until }]) => until > now)
        .map(([at, { why, until }]) => ({ tier: ladder[Number(at)] ?? "", why, untilAt: until })),
      ...("why" in choice && { held: choice.why }),
    };
  });
