import type { Command } from "commander";
import type { Scale, Worker } from "../../client.ts";
import { EXIT } from "../exit.ts";
import { placeOptions, type PlaceOptions, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { countText, durationText, textTable } from "../text.ts";

export const register = (program: Command, toAction: ToAction): void => {
  placeOptions(
    program.command("workers").description("List running workers and their items in flight"),
  ).action(
    toAction(async (options: PlaceOptions) => {
      await using verbs = await openVerbs(options);
      const workers = await verbs.workers();
      print(
        options.json ? workers.map((worker) => JSON.stringify(worker)) : workerTable(workers, printWidth()),
      );
      return EXIT.ok;
    }),
  );

  placeOptions(
    program
      .command("scale")
      .description("Show how many workers would be useful now")
      .addHelpText("after", SCALE_HELP),
  ).action(
    toAction(async (options: PlaceOptions) => {
      await using verbs = await openVerbs(options);
      const scale = await verbs.scale();
      print(options.json ? [JSON.stringify(scale)] : scaleTable(scale, printWidth()));
      return EXIT.ok;
    }),
  );
};

const SCALE_HELP = `
The number follows from the rates of the lanes, the items that can run now, and the measured time of an item. More workers would be idle.
Autoscalers read the same number from GET /v1/scale; \`sluice worker --min 0 --max 8\` follows it automatically. See docs/many-machines.md.`;

const scaleTable = ({ workers, kinds }: Scale, width: number): string[] => [
  ...textTable(
    ["kind", { right: "workers" }, { right: "lanes" }, { right: "at once" }, { right: "items" }],
    Object.entries(kinds).map(([kind, one]) => [
      kind,
      ...[one.workers, one.lanes, one.busy, one.items].map((count) => countText(count)),
    ]),
    width,
  ),
  `${countText(workers)} useful ${workers === 1 ? "worker" : "workers"} if each takes both kinds.`,
];

const workerTable = (workers: readonly Worker[], width: number): string[] => {
  if (workers.length === 0)
    return ["No workers. Start one with `sluice worker` or `sluice serve --workers 1`."];
  return textTable(
    ["worker", "host", { right: "in flight" }, { right: "limit" }, { right: "lease" }, ""],
    workers.map(({ name, host, items, concurrency, leaseMs, isAlone, isDraining, lanes, kinds }) => [
      name,
      host ?? "",
      countText(items),
      concurrency === undefined ? "" : countText(concurrency),
      durationText(leaseMs),
      [
        ...(isDraining ? ["draining"] : []),
        ...(isAlone ? ["runs suspect items alone"] : []),
        ...(lanes ? [`lanes: ${lanes.join(", ")}`] : []),
        ...(kinds ? [`kinds: ${kinds.join(", ")}`] : []),
      ].join(", "),
    ]),
    width,
  );
};
