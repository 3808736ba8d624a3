import type { Command } from "commander";
import type { LaneState } from "../../domain/job.ts";
import type { LaneControl } from "../../ports/ledger.ts";
import { EXIT, UsageError } from "../exit.ts";
import { numberIn } from "../option-values.ts";
import { placeOptions, type PlaceOptions, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { countText, durationText, plainText, rateText, textTable } from "../text.ts";

const HELP = `
Examples:
  sluice lanes ls
  sluice lanes set tax.example.gov --rate 0.5      at most one request every two seconds, over all jobs
  sluice lanes set 'address:*' --rate 10           the same for each IP address, whatever the host name
  sluice lanes hold tax.example.gov                start no requests
  sluice lanes release tax.example.gov             also ends a pause that the site asked for
  sluice lanes reset tax.example.gov               forget its learned speed, holds and reserved slots`;

const LANE_HELP = "name of the lane, as shown by `lanes ls`";

interface SetLaneOptions extends PlaceOptions {
  readonly rate?: number;
  readonly clear: boolean;
}

export const register = (program: Command, toAction: ToAction): void => {
  const lanes = program
    .command("lanes")
    .description("List lanes, set their rate, hold, release and reset them")
    .helpCommand(false)
    .addHelpText("after", HELP);
  placeOptions(lanes.command("ls").description("List the lanes by name")).action(toAction(listLanes));

  const set = lanes
    .command("set")
    .description("Limit the rate of a lane, over all jobs")
    .argument("<lane>", LANE_HELP)
    .option("--rate <n>", "at most N requests per second", numberIn("perSecond"))
    .option("--clear", "remove the limit", false);
  placeOptions(set).action(toAction(setLane));

  const control = (name: string, description: string, to: LaneControl, said: string): void => {
    placeOptions(lanes.command(name).description(description).argument("<lane>", LANE_HELP)).action(
      toAction((lane: string, options: PlaceOptions) => controlLane(lane, options, to, said)),
    );
  };
  control(
    "hold",
    "Hold a lane: start no requests in it",
    { isHeld: true },
    "held. It starts no requests until `sluice lanes release`",
  );
  control(
    "release",
    "Release a lane that an operator holds, or that a site's Retry-After has paused",
    { isHeld: false },
    "released",
  );
  control(
    "reset",
    "Forget a lane's learned speed, Crawl-delay, holds and reserved slots. A rate set by an operator stays.",
    { isReset: true },
    "reset. Its learned speed, holds and reserved slots are forgotten",
  );
};

const listLanes = async (options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const table: LaneState[] = [];
  for await (const lane of verbs.lanes())
    if (options.json) print([JSON.stringify(lane)]);
    else table.push(lane);
  if (!options.json) print(laneTable(table, printWidth()));
  return EXIT.ok;
};

const laneTable = (lanes: readonly LaneState[], width: number): string[] => {
  if (lanes.length === 0) return ["No lanes yet. The first items create them."];
  return textTable(
    [
      "lane",
      { right: "rate" },
      { right: "used" },
      { right: "speed" },
      { right: "items" },
      { right: "in flight" },
      "",
    ],
    lanes.map((lane) => [
      plainText(lane.lane),
      rateText(lane.perSecond),
      rateText(lane.usedPerSecond),
      `${Math.round(lane.factor * 100)}%`,
      countText(lane.backlog),
      countText(lane.inFlight),
      noteOn(lane),
    ]),
    width,
  );
};

const noteOn = ({ isHeldByOperator, operatorPerSecond, holdMs, holdReason, ladders }: LaneState): string =>
  [
    ...(isHeldByOperator ? ["held by an operator"] : []),
    ...(operatorPerSecond === null ? [] : [`set to ${rateText(operatorPerSecond)}`]),
    ...(holdMs > 0 && !isHeldByOperator
      ? [`paused for ${durationText(holdMs)}${holdReason ? `: ${holdReason}` : ""}`]
      : []),
    ...(ladders ?? []).flatMap(({ tier, why, held }) =>
      why === undefined || held !== undefined ? [] : [`on ${tier}: ${plainText(why)}`],
    ),
  ].join(", ");

const setLane = async (lane: string, options: SetLaneOptions): Promise<number> => {
  const { rate, clear } = options;
  if ((rate === undefined) === !clear)
    throw new UsageError("use --rate N to limit the lane's rate, or --clear to remove the limit.");
  const said = rate === undefined ? "limit removed" : `at most ${rateText(rate)}`;
  return await controlLane(lane, options, { perSecond: rate ?? null }, said);
};

const controlLane = async (
  lane: string,
  options: PlaceOptions,
  to: LaneControl,
  said: string,
): Promise<number> => {
  await using verbs = await openVerbs(options);
  await verbs.controlLane(lane, to);
  print([options.json ? JSON.stringify({ lane, ...to }) : `${plainText(lane)}: ${said}.`]);
  return EXIT.ok;
};
