import type { LaneState } from "../../domain/job.ts";
import type { LaneControl } from "../../ports/ledger.ts";
import { durationText } from "../duration-text.ts";
import { EXIT } from "../exit-codes.ts";
import { plainText } from "../fit-text.ts";
import { countText, rateText } from "../number-text.ts";
import type { PlaceOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { textTable } from "../text-table.ts";
import { UsageError } from "../usage-error.ts";

export const listLanesCommand = async (options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const table: LaneState[] = [];
  for await (const lane of verbs.lanes())
    if (options.json) print([JSON.stringify(lane)]);
    else table.push(lane);
  if (!options.json) print(laneTable(table, printWidth()));
  return EXIT.ok;
};

const laneTable = (lanes: readonly LaneState[], width: number): string[] => {
  if (lanes.length === 0) return ["No lanes yet. They come with the first items."];
  const number = (title: string) => ({ title, align: "right" as const });
  return textTable(
    [{ title: "lane" }, number("rate"), number("speed"), number("items"), number("in hand"), { title: "" }],
    lanes.map((lane) => [
      plainText(lane.lane),
      Number.isFinite(lane.perSecond) ? rateText(lane.perSecond) : "free",
      `${Math.round(lane.factor * 100)}%`,
      countText(lane.backlog),
      countText(lane.inFlight),
      noteOn(lane),
    ]),
    width,
  );
};

const noteOn = ({ isHeldByOperator, operatorPerSecond, holdMs, holdReason }: LaneState): string => {
  const notes = [
    ...(isHeldByOperator ? ["held by an operator"] : []),
    ...(operatorPerSecond === null ? [] : [`set to ${rateText(operatorPerSecond)}`]),
    ...(holdMs > 0 && !isHeldByOperator
      ? [`spared for ${durationText(holdMs)}${holdReason ? `: ${holdReason}` : ""}`]
      : []),
  ];
  return notes.join(", ");
};

export interface SetLaneOptions extends PlaceOptions {
  readonly rate?: number;
  /** What was set is taken back. */
  readonly clear: boolean;
}

export const setLaneCommand = async (lane: string, options: SetLaneOptions): Promise<number> => {
  const { rate, clear } = options;
  if ((rate === undefined) === !clear)
    throw new UsageError("give --rate N to set a lane's pace, or --clear to take it back.");
  return await steer(
    lane,
    options,
    { perSecond: rate ?? null },
    rate === undefined ? "pace taken back" : `at most ${rateText(rate)}`,
  );
};

export const holdLaneCommand = (lane: string, options: PlaceOptions): Promise<number> =>
  steer(lane, options, { isHeld: true }, "held. Nothing starts in it until `sluice lanes release`");

export const releaseLaneCommand = (lane: string, options: PlaceOptions): Promise<number> =>
  steer(lane, options, { isHeld: false }, "released");

export const resetLaneCommand = (lane: string, options: PlaceOptions): Promise<number> =>
  steer(lane, options, { isReset: true }, "reset: its learned speed, holds and bookings are forgotten");

const steer = async (lane: string, options: PlaceOptions, to: LaneControl, said: string): Promise<number> => {
  await using verbs = await openVerbs(options);
  await verbs.controlLane(lane, to);
  print([options.json ? JSON.stringify({ lane, ...to }) : `${plainText(lane)}: ${said}.`]);
  return EXIT.ok;
};
