import type { Worker } from "../../client.ts";
import { durationText } from "../duration-text.ts";
import { EXIT } from "../exit-codes.ts";
import { countText } from "../number-text.ts";
import type { PlaceOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { textTable } from "../text-table.ts";

export const listWorkersCommand = async (options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const workers = await verbs.workers();
  print(options.json ? workers.map((worker) => JSON.stringify(worker)) : workerTable(workers, printWidth()));
  return EXIT.ok;
};

const workerTable = (workers: readonly Worker[], width: number): string[] => {
  if (workers.length === 0)
    return ["No workers. Start one with `sluice worker`, or `sluice serve --workers 1`."];
  return textTable(
    [
      { title: "worker" },
      { title: "host" },
      { title: "in hand", align: "right" },
      { title: "at most", align: "right" },
      { title: "lease", align: "right" },
      { title: "" },
    ],
    workers.map(({ name, host, items, concurrency, leaseMs, isAlone, isDraining, lanes, kinds }) => [
      name,
      host ?? "",
      countText(items),
      concurrency === undefined ? "" : countText(concurrency),
      durationText(leaseMs),
      [
        ...(isDraining ? ["draining"] : []),
        ...(isAlone ? ["runs suspects alone"] : []),
        ...(lanes ? [`lanes: ${lanes.join(", ")}`] : []),
        ...(kinds ? [`kinds: ${kinds.join(", ")}`] : []),
      ].join(", "),
    ]),
    width,
  );
};
