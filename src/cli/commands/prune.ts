import { type Command, Option } from "commander";
import type { Removal } from "../../domain/removal.ts";
import type { PruneFilter } from "../../retention/plan-prune.ts";
import { EXIT, UsageError } from "../exit.ts";
import { RemovedJobError, removalJson, removalText } from "../find-job.ts";
import { duration } from "../option-values.ts";
import { given, JOB_HELP, placeOptions, type PlaceOptions, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import type { PrunedPart, Verbs } from "../service/verbs.ts";
import { print, printWidth, throttled } from "../terminal.ts";
import { bytesText, counted, countText, durationText, textTable } from "../text.ts";

const REMOVE_HELP = `
Data that items of other jobs refer to stays until those jobs are removed too. If interrupted, the next \`jobs rm\` or \`prune\`,
or \`sluice serve\`, finishes the removal.

Examples:
  sluice jobs rm 20261115-203412-k3f9
  sluice jobs rm k3f9 zzzz --keep records                     only their pages`;

const PRUNE_HELP = `
Without --older-than, each scraper's \`retention: { pages: "90d", records: "2y" }\` decides. Unfinished jobs always stay.

Examples:
  sluice prune --older-than 90d --keep records --dry-run      show what would be removed
  sluice prune --older-than 1y --scraper county
  sluice prune                                                what is due by the scrapers' \`retention\``;

interface RemoveOptions extends PlaceOptions {
  readonly keep?: "records";
}

interface PruneOptions extends RemoveOptions {
  readonly olderThan?: number;
  readonly scraper?: string;
  readonly dryRun: boolean;
}

export const register = (program: Command, toAction: ToAction): void => {
  const prune = program
    .command("prune")
    .summary("Remove old jobs, or their pages")
    .description("Remove old jobs, or only their pages: by age, or by the `retention` of their scrapers")
    .option("--older-than <duration>", "jobs that ended longer ago than this, for example 90d", duration)
    .addOption(keepOption())
    .option("--scraper <name>", "only jobs of this scraper")
    .option("--dry-run", "only show what would be removed", false)
    .addHelpText("after", PRUNE_HELP);
  placeOptions(prune).action(toAction(pruneJobs));
};

/** `jobs rm`. */
export const registerRemove = (jobs: Command, toAction: ToAction): void => {
  const remove = jobs
    .command("rm")
    .description("Remove finished jobs and all of their data. This cannot be undone.")
    .argument("<job...>", JOB_HELP)
    .addOption(keepOption())
    .addHelpText("after", REMOVE_HELP);
  placeOptions(remove).action(toAction(removeJobs));
};

const keepOption = (): Option =>
  new Option("--keep <what>", "remove only pages and files; keep records, manifest and counts").choices([
    "records",
  ]);

const removeJobs = async (named: readonly string[], options: RemoveOptions): Promise<number> => {
  const { json, keep } = options;
  await using verbs = await openVerbs(options);
  // Find all jobs first: if one name is wrong, nothing is removed.
  const jobs: (string | Removal)[] = [];
  for (const name of named) jobs.push(await idOrRemoval(verbs, name));
  for (const job of jobs) {
    const id = typeof job === "string" ? job : job.job;
    if (typeof job === "string") await verbs.markRemoval(id, keep === undefined ? "job" : "pages");
    const removal = await verbs.finishRemoval(id, progressLine());
    print([json ? JSON.stringify(removalJson(removal)) : `${removal.job}: ${removalText(removal)}`]);
  }
  await verbs.finishOthers(() => undefined);
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

const pruneJobs = async (options: PruneOptions): Promise<number> => {
  const { olderThan, keep, scraper, dryRun, json } = options;
  if (keep !== undefined && olderThan === undefined)
    throw new UsageError(
      "--keep records needs --older-than. Without it, each scraper's `retention` decides what is kept.",
    );
  const wish: PruneFilter = {
    ...given({ olderThanMs: olderThan, scraper }),
    ...(keep && { keepsRecords: true }),
  };
  await using verbs = await openVerbs(options);
  const parts = await verbs.prune(wish, dryRun);
  if (dryRun) {
    print(json ? parts.map((part) => JSON.stringify(partJson(part))) : dryTable(parts, wish));
    return EXIT.ok;
  }
  const removals: Removal[] = [];
  const note = (removal: Removal): void => {
    removals.push(removal);
    if (json) print([JSON.stringify(removalJson(removal))]);
  };
  for (const { job } of parts) note(await verbs.finishRemoval(job, progressLine()));
  // Removals that were interrupted earlier.
  await verbs.finishOthers(note);
  const total = totalOf(removals);
  print(json ? [JSON.stringify({ total })] : totalLines(total, wish));
  return EXIT.ok;
};

const LONG_MS = 2000;

/** Reports a long removal on stderr. */
const progressLine = (): ((removal: Removal) => void) =>
  throttled(LONG_MS, ({ job, removed: { items, bytes } }: Removal) => {
    process.stderr.write(`${job}: ${counted(items, "item")} and ${bytesText(bytes)} removed so far\n`);
  });

const partJson = ({ endedAt, ...part }: PrunedPart) => ({
  ...part,
  endedAt: new Date(endedAt).toISOString(),
  isDryRun: true,
});

const nothing = (wish: PruneFilter): string =>
  wish.olderThanMs === undefined
    ? "Nothing is due by the `retention` of any scraper. Use --older-than 90d to remove by age."
    : "No job is that old.";

const dryTable = (parts: readonly PrunedPart[], wish: PruneFilter): string[] => {
  if (parts.length === 0) return [nothing(wish)];
  const sum = parts.reduce((bytes, part) => bytes + (part.bytes ?? 0), 0);
  return [
    ...textTable(
      ["job", "ended", "removes", { right: "items" }, { right: "stored" }, "scraper"],
      parts.map(({ job, endedAt, what, items, bytes = 0, scraper }) => [
        job,
        `${durationText(Date.now() - endedAt)} ago`,
        what === "job" ? "everything" : "pages",
        countText(items),
        bytesText(bytes),
        scraper,
      ]),
      printWidth(),
    ),
    "",
    `Dry run: nothing was removed. Without --dry-run, this removes up to ${bytesText(sum)} of ${counted(parts.length, "job")}. Data that items of other jobs refer to stays.`,
  ];
};

interface Total {
  readonly jobs: number;
  /** Jobs of which only the pages were removed. */
  readonly pagesOf: number;
  readonly removed: Removal["removed"];
  readonly kept: Removal["kept"];
}

const totalOf = (removals: readonly Removal[]): Total => {
  const sum = (count: (removal: Removal) => number): number =>
    removals.reduce((total, removal) => total + count(removal), 0);
  return {
    jobs: sum(({ what }) => Number(what === "job")),
    pagesOf: sum(({ what }) => Number(what !== "job")),
    removed: {
      items: sum(({ removed }) => removed.items),
      captures: sum(({ removed }) => removed.captures),
      bytes: sum(({ removed }) => removed.bytes),
    },
    kept: { objects: sum(({ kept }) => kept.objects), bytes: sum(({ kept }) => kept.bytes) },
  };
};

const totalLines = ({ jobs, pagesOf, removed, kept }: Total, wish: PruneFilter): string[] => {
  if (jobs + pagesOf === 0) return [nothing(wish)];
  const what = [
    ...(jobs > 0 ? [counted(jobs, "job")] : []),
    ...(pagesOf > 0 ? [`the pages of ${counted(pagesOf, "job")}`] : []),
  ];
  return [
    `Removed ${what.join(" and ")}: ${counted(removed.items, "item")}, ${counted(removed.captures, "capture")}, ${bytesText(removed.bytes)}.`,
    ...(kept.objects > 0
      ? [
          `${counted(kept.objects, "object")} (${bytesText(kept.bytes)}) kept: items of other jobs refer to them.`,
        ]
      : []),
  ];
};
