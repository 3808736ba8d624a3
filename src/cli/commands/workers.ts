import type { Command } from "commander";
import type { Worker } from "../../client.ts";
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
};

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
