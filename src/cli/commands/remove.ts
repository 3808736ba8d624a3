import type { Removal, RemovedCounts } from "../../domain/removal.ts";
import type { PruneFilter } from "../../retention/plan-prune.ts";
import { durationText } from "../duration-text.ts";
import { EXIT } from "../exit-codes.ts";
import { bytesText, counted, countText } from "../number-text.ts";
import type { PlaceOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { RemovedJobError, removalJson, removalText } from "../removed-job.ts";
import { openVerbs } from "../service/open-verbs.ts";
import type { PrunedPart, Verbs } from "../service/verbs.ts";
import { textTable } from "../text-table.ts";
import { UsageError } from "../usage-error.ts";

export interface RemoveOptions extends PlaceOptions {
  /** Records, manifest and counts stay. */
  readonly keep?: "records";
}

export interface PruneOptions extends RemoveOptions {
  readonly olderThan?: number;
  readonly scraper?: string;
  readonly dryRun: boolean;
}

export const removeJobsCommand = async (
  named: readonly string[],
  { json, keep, ...place }: RemoveOptions,
): Promise<number> => {
  await using verbs = await openVerbs({ ...place, json });
  // All names are looked up first: with one that is wrong, nothing is removed.
  const jobs: (string | Removal)[] = [];
  for (const name of named) jobs.push(await idOrRemoval(verbs, name));
  for (const job of jobs) {
    const id = typeof job === "string" ? job : job.job;
    if (typeof job === "string") await verbs.markRemoval(id, keep === undefined ? "job" : "pages");
    tell(await verbs.finishRemoval(id, progressLine()), json);
  }
  await verbs.finishOthers(ignore);
  return EXIT.ok;
};

const idOrRemoval = async (verbs: Verbs, named: string): Promise<string | Removal> => {
  try {
    return (await verbs.findJob(named)).spec.id;
  } catch (error) {
    if (error instanceof RemovedJobError) return error.removal;
    throw error;
  }
};

const ignore = (): void => {};

const tell = (removal: Removal, json: boolean): void =>
  print([json ? JSON.stringify(removalJson(removal)) : `${removal.job}: ${removalText(removal)}`]);

export const pruneCommand = async (options: PruneOptions): Promise<number> => {
  const { olderThan, keep, scraper, dryRun, json, ...place } = options;
  if (keep !== undefined && olderThan === undefined)
    throw new UsageError(
      "--keep records goes with --older-than: without it, the settings of each scraper say what is kept.",
    );
  const wish: PruneFilter = {
    ...(olderThan !== undefined && { olderThanMs: olderThan }),
    ...(keep && { keepsRecords: true }),
    ...(scraper !== undefined && { scraper }),
  };
  await using verbs = await openVerbs({ ...place, json });
  const parts = await verbs.prune(wish, dryRun);
  if (dryRun) {
    print(json ? parts.map((part) => JSON.stringify(partJson(part))) : dryTable(parts, wish));
    return EXIT.ok;
  }
  const total = new Total();
  const note = (removal: Removal): void => {
    total.add(removal);
    if (json) tell(removal, json);
  };
  for (const { job } of parts) note(await verbs.finishRemoval(job, progressLine()));
  // What an earlier removal left in the middle, here or elsewhere.
  await verbs.finishOthers(note);
  print(json ? [JSON.stringify({ total: total.json })] : total.lines(wish));
  return EXIT.ok;
};

const LONG_MS = 2000;

/** One line now and then where it takes long, beside what is printed. */
const progressLine = (): ((removal: Removal) => void) => {
  let toldAt = performance.now();
  return ({ job, removed: { items, bytes } }) => {
    if (performance.now() - toldAt < LONG_MS) return;
    toldAt = performance.now();
    process.stderr.write(`${job}: ${counted(items, "item")} and ${bytesText(bytes)} removed so far\n`);
  };
};

const partJson = ({ endedAt, ...part }: PrunedPart) => ({
  ...part,
  endedAt: new Date(endedAt).toISOString(),
  isDryRun: true,
});

const nothing = (wish: PruneFilter): string =>
  wish.olderThanMs === undefined
    ? "Nothing is due by the `retention` of any scraper. `--older-than 90d` removes by age."
    : "No job is that old.";

const dryTable = (parts: readonly PrunedPart[], wish: PruneFilter): string[] => {
  if (parts.length === 0) return [nothing(wish)];
  const sum = parts.reduce((bytes, part) => bytes + (part.bytes ?? 0), 0);
  const table = textTable(
    [
      { title: "job" },
      { title: "ended" },
      { title: "removed" },
      { title: "items", align: "right" },
      { title: "stored", align: "right" },
      { title: "scraper" },
    ],
    parts.map(({ job, endedAt, what, items, bytes = 0, scraper }) => [
      job,
      `${durationText(Date.now() - endedAt)} ago`,
      what === "job" ? "everything" : "pages",
      countText(items),
      bytesText(bytes),
      scraper,
    ]),
    printWidth(),
  );
  return [
    ...table,
    "",
    `Nothing was removed: without --dry-run, up to ${bytesText(sum)} of ${counted(parts.length, "job")} would be. What items of other jobs point to stays.`,
  ];
};

class Total {
  #jobs = 0;
  #pages = 0;
  #removed: RemovedCounts = { items: 0, captures: 0, bytes: 0 };
  #kept = { objects: 0, bytes: 0 };

  add({ what, removed, kept }: Removal): void {
    if (what === "job") this.#jobs++;
    else this.#pages++;
    const { items, captures, bytes } = this.#removed;
    this.#removed = {
      items: items + removed.items,
      captures: captures + removed.captures,
      bytes: bytes + removed.bytes,
    };
    this.#kept = { objects: this.#kept.objects + kept.objects, bytes: this.#kept.bytes + kept.bytes };
  }

  get json() {
    return { jobs: this.#jobs, pagesOf: this.#pages, removed: this.#removed, kept: this.#kept };
  }

  lines(wish: PruneFilter): string[] {
    if (this.#jobs + this.#pages === 0) return [nothing(wish)];
    const { items, captures, bytes } = this.#removed;
    const what = [
      ...(this.#jobs > 0 ? [counted(this.#jobs, "job")] : []),
      ...(this.#pages > 0 ? [`the pages of ${counted(this.#pages, "job")}`] : []),
    ];
    return [
      `Removed ${what.join(" and ")}: ${counted(items, "item")}, ${counted(captures, "capture")}, ${bytesText(bytes)}.`,
      ...(this.#kept.objects > 0
        ? [
            `${counted(this.#kept.objects, "object")} (${bytesText(this.#kept.bytes)}) stay until the jobs have gone whose items point there.`,
          ]
        : []),
    ];
  }
}
