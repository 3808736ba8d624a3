import { type Command, Option } from "commander";
import { FAILURE_KINDS } from "../domain/failure.ts";
import { CHANGES } from "../domain/freshness.ts";
import { ITEM_STATES } from "../domain/item.ts";
import type { ListItemsOptions } from "./commands/items.ts";
import type { ListJobsOptions, ResumeJobOptions, RetryOptions } from "./commands/jobs.ts";
import type { PruneOptions, RemoveOptions } from "./commands/remove.ts";
import type { ResultsOptions } from "./commands/results.ts";
import type { ShowItemOptions } from "./commands/show-item.ts";
import type { WatchOptions } from "./commands/watch-job.ts";
import { capOptions, placeOptions } from "./common-options.ts";
import { COMMAND_HELP, JOB_HELP, NEW_VERSION_HELP } from "./help-texts.ts";
import { duration, listOf, namesOf, wholeNumber } from "./option-values.ts";
import type { PlaceOptions } from "./options.ts";

type OnEnd = (exitCode: number) => void;

/** Looking at jobs and their items, and steering them, here or on a server: `jobs`, `items`. */
export const addJobs = (program: Command, onEnd: OnEnd): void => {
  const jobs = program
    .command("jobs")
    .summary("list, show, watch and steer jobs")
    .description("Lists, shows, watches and steers jobs.")
    .helpCommand(false)
    .addHelpText("after", COMMAND_HELP.jobs);
  addLooking(jobs, onEnd);
  addJobControl(jobs, onEnd);
  addRemoving(program, jobs, onEnd);

  const items = program
    .command("items")
    .summary("look at the items of a job")
    .description("Looks at the items of a job.")
    .helpCommand(false);
  const list = items
    .command("ls")
    .description("Lists a job's items.")
    .argument("<job>", JOB_HELP)
    .option("--state <state>", `only these: ${ITEM_STATES.join(", ")}`, namesOf(ITEM_STATES))
    .option("--kind <kind>", "only items that failed so", namesOf(FAILURE_KINDS))
    .option("--scraper <name>", "only items of this one, where a job has several")
    .option("--limit <n>", "list at most N", wholeNumber, 50)
    .addHelpText("after", COMMAND_HELP.items);
  placeOptions(list).action(async (job: string, options: ListItemsOptions) => {
    const { listItemsCommand } = await import("./commands/items.ts");
    onEnd(await listItemsCommand(job, options));
  });
  const show = items
    .command("show")
    .description(
      "Shows one item: its attempts, what was kept of it, and its records with the place of each field.",
    )
    .argument("<job>", JOB_HELP)
    .argument("<key>", "the item's key, as `items ls` has it")
    .option("--scraper <name>", "of this one, where items of several scrapers have the key")
    .option("--html", "print the stored page", false)
    .option("--open", "show the stored page in a browser, without running its scripts", false)
    .option("--capture <name|n>", "which one --html or --open shows")
    .addHelpText("after", COMMAND_HELP.showItem);
  placeOptions(show).action(async (job: string, key: string, options: ShowItemOptions) => {
    const { showItemCommand } = await import("./commands/show-item.ts");
    onEnd(await showItemCommand(job, key, options));
  });
};

const keepOption = (): Option =>
  new Option("--keep <what>", "remove only pages and files: records, manifest and counts stay").choices([
    "records",
  ]);

const addRemoving = (program: Command, jobs: Command, onEnd: OnEnd): void => {
  const remove = jobs
    .command("rm")
    .description("Removes jobs that have ended, with everything they have. There is no way back.")
    .argument("<job...>", JOB_HELP)
    .addOption(keepOption())
    .addHelpText("after", COMMAND_HELP.remove);
  placeOptions(remove).action(async (named: readonly string[], options: RemoveOptions) => {
    const { removeJobsCommand } = await import("./commands/remove.ts");
    onEnd(await removeJobsCommand(named, options));
  });

  const prune = program
    .command("prune")
    .summary("remove old jobs, or their pages")
    .description(
      "Removes jobs that ended long ago, or their pages: by age, or as their scrapers' `retention` says.",
    )
    .option("--older-than <duration>", "jobs that ended longer ago than this, such as 90d", duration)
    .addOption(keepOption())
    .option("--scraper <name>", "only jobs of this one")
    .option("--dry-run", "only say what would be removed", false)
    .addHelpText("after", COMMAND_HELP.prune);
  placeOptions(prune).action(async (options: PruneOptions) => {
    const { pruneCommand } = await import("./commands/remove.ts");
    onEnd(await pruneCommand(options));
  });
};

const addLooking = (jobs: Command, onEnd: OnEnd): void => {
  const list = jobs
    .command("ls")
    .description("Lists jobs, the newest first.")
    .option("--scraper <name>", "only jobs of this one: its name, or the name or path of its file")
    .option("--all", "also those of `sluice try` and `sluice capture`", false);
  placeOptions(list).action(async (options: ListJobsOptions) => {
    const { listJobsCommand } = await import("./commands/jobs.ts");
    onEnd(await listJobsCommand(options));
  });

  const show = jobs.command("show").description("Shows what came of a job.").argument("<job>", JOB_HELP);
  placeOptions(show).action(async (job: string, options: PlaceOptions) => {
    const { showJobCommand } = await import("./commands/jobs.ts");
    onEnd(await showJobCommand(job, options));
  });

  const watch = jobs
    .command("watch")
    .description("Shows how a job goes, until it has ended or waits for you.")
    .argument("<job>", JOB_HELP)
    .option("--quiet", "print nothing but errors", false)
    .addHelpText("after", COMMAND_HELP.watch);
  placeOptions(watch).action(async (job: string, options: WatchOptions) => {
    const { watchJobCommand } = await import("./commands/watch-job.ts");
    onEnd(await watchJobCommand(job, options));
  });

  const results = jobs
    .command("results")
    .description("Writes a job's records as they are now, also while it runs.")
    .argument("<job>", JOB_HELP)
    .option("--output <file>", "a .csv, .jsonl or .parquet file; without it, JSON lines on stdout")
    .option("--scraper <name>", "only rows of this one, where a job has several")
    .option("--extraction <id>", "which set of records: current, first (of the run itself), or an extraction")
    .addOption(
      new Option(
        "--gaps <what>",
        "records without a value in a required field: keep them, or drop them",
      ).choices(["keep", "drop"]),
    )
    .option(
      "--changes <changes>",
      `only items that are so since the last time: ${CHANGES.join(", ")}`,
      namesOf(CHANGES),
    )
    .addHelpText("after", COMMAND_HELP.results);
  placeOptions(results).action(async (job: string, options: ResultsOptions) => {
    const { resultsCommand } = await import("./commands/results.ts");
    onEnd(await resultsCommand(job, options));
  });
};

const addJobControl = (jobs: Command, onEnd: OnEnd): void => {
  const pause = jobs
    .command("pause")
    .description("Stops a job until it is resumed. Answers when no request of it starts any more.")
    .argument("<job>", JOB_HELP);
  placeOptions(pause).action(async (job: string, options: PlaceOptions) => {
    const { pauseJobCommand } = await import("./commands/jobs.ts");
    onEnd(await pauseJobCommand(job, options));
  });

  const resume = jobs
    .command("resume")
    .description(
      "Lets workers go on with a job that was paused or held, or one of whose limits is raised; `sluice resume` runs one here.",
    )
    .argument("<job>", JOB_HELP)
    .option("--new-version", NEW_VERSION_HELP, false);
  placeOptions(capOptions(resume)).action(async (job: string, options: ResumeJobOptions) => {
    const { resumeJobCommand } = await import("./commands/jobs.ts");
    onEnd(await resumeJobCommand(job, options));
  });

  const seal = jobs
    .command("seal")
    .description("Says that no more inputs come: a job whose upload broke off ends with those that it has.")
    .argument("<job>", JOB_HELP);
  placeOptions(seal).action(async (job: string, options: PlaceOptions) => {
    const { sealJobCommand } = await import("./commands/jobs.ts");
    onEnd(await sealJobCommand(job, options));
  });

  const retry = jobs
    .command("retry")
    .description(
      "Puts failed items back, as if they had never been tried. Workers run them, or `sluice resume` here.",
    )
    .argument("<job>", JOB_HELP)
    .option("--kind <kind>", "only items that failed so", namesOf(FAILURE_KINDS))
    .option("--key <key>", "only these items, by their keys", listOf);
  placeOptions(retry).action(async (job: string, options: RetryOptions) => {
    const { retryJobCommand } = await import("./commands/jobs.ts");
    onEnd(await retryJobCommand(job, options));
  });

  const cancel = jobs
    .command("cancel")
    .description("Ends a job for good. What was collected is kept.")
    .argument("<job>", JOB_HELP);
  placeOptions(cancel).action(async (job: string, options: PlaceOptions) => {
    const { cancelJobCommand } = await import("./commands/jobs.ts");
    onEnd(await cancelJobCommand(job, options));
  });
};
