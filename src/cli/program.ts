import { Command, Option } from "commander";
import { CHANGES } from "../domain/freshness.ts";
import { addJobs } from "./add-jobs.ts";
import { addOperating } from "./add-operating.ts";
import { addReuse } from "./add-reuse.ts";
import { addService } from "./add-service.ts";
import { addStarting } from "./add-starting.ts";
import { addUpkeep } from "./add-upkeep.ts";
import { addDevtools } from "./add-devtools.ts";
import type { ExportOptions } from "./commands/export.ts";
import {
  capOptions,
  dataOption,
  inputOptions,
  optionDescription,
  refuseMixedOutput,
  workingOptions,
} from "./common-options.ts";
import { fieldNames, fillValue } from "./fill-option.ts";
import { COMMAND_HELP, JOB_HELP, NEW_VERSION_HELP } from "./help-texts.ts";
import { namesOf, numberIn } from "./option-values.ts";
import type { ResumeOptions, RunOptions } from "./options.ts";

/**
 * The command line. A command's code is loaded when it is asked for: the first request must not wait for the others.
 * `onEnd` hears the exit code.
 */
export const buildProgram = (version: string, onEnd: (exitCode: number) => void): Command => {
  const program = new Command("sluice")
    .description(
      "Runs scrape jobs of a hundred to many million items: paced, durable, honest about every field.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ optionDescription })
    .addHelpText("after", COMMAND_HELP.sluice);

  program.commandsGroup("Jobs:");
  const run = program
    .command("run")
    .summary("run a scraper over inputs, to the end")
    .description("Runs a scraper over inputs, to the end, on this machine.")
    .argument("<scraper>", "its name in the project, a path, or a built-in: page")
    .addHelpText("after", COMMAND_HELP.run);
  inputOptions(run)
    .option("--limit <n>", "take only the first N inputs", numberIn("inputs"))
    .option(
      "--max-items <n>",
      "at most N items in all, those that are found on the way included",
      numberIn("maxItems"),
    )
    .option("--no-extract", "only collect and keep the pages; `sluice extract` makes records of them")
    .option("--rate <n>", "at most N requests a second in each lane, for this job", numberIn("perSecond"));
  workingOptions(run).action(async (scraper: string, options: RunOptions) => {
    refuseMixedOutput(options);
    const { runCommand } = await import("./commands/run.ts");
    onEnd(await runCommand(scraper, options));
  });

  const resume = program
    .command("resume")
    .summary("go on with a job that was stopped")
    .description(
      "Goes on with a job that was interrupted, held or killed, whose failed items were put back, or one of whose limits is raised.",
    )
    .argument("<job>", JOB_HELP)
    .option("--new-version", NEW_VERSION_HELP, false)
    .addHelpText("after", COMMAND_HELP.resume);
  workingOptions(capOptions(inputOptions(resume))).action(async (job: string, options: ResumeOptions) => {
    refuseMixedOutput(options);
    const { resumeCommand } = await import("./commands/resume.ts");
    onEnd(await resumeCommand(job, options));
  });

  addJobs(program, onEnd);

  program
    .command("export")
    .summary("write a job's results to a file")
    .description("Writes one row per record, or per item without one.")
    .argument("<job>", JOB_HELP)
    .option("--output <file>", "a .csv, .jsonl or .parquet file; without it, JSON lines on stdout")
    .option("--scraper <name>", "only rows of this one, where a job has several")
    .option("--extraction <id>", "which set of records: current, first (of the run itself), or an extraction")
    .addOption(
      new Option("--gaps <what>", "records without a value in a required field: keep them, or drop them")
        .choices(["keep", "drop"])
        .default("keep"),
    )
    .option(
      "--fill <name=value>",
      "what stands where this field has no value; again for each field",
      fillValue,
    )
    .option("--drop-without <names>", "leave out records without a value in one of these fields", fieldNames)
    .option(
      "--changes <changes>",
      `only items that are so since the last time: ${CHANGES.join(", ")}`,
      namesOf(CHANGES),
    )
    .option("--files <dir>", "write kept files there, as KEY-NAME.pdf and the like; rows list them in _files")
    .option("--manifest", "write the job's manifest again", false)
    .addOption(dataOption())
    .option("--json", "print JSON, one object a line; the results go to --output", false)
    .addHelpText("after", COMMAND_HELP.export)
    .action(async (job: string, options: ExportOptions) => {
      const { exportCommand } = await import("./commands/export.ts");
      onEnd(await exportCommand(job, options));
    });
  program.commandsGroup("Stored pages:");
  addReuse(program, onEnd);
  program.commandsGroup("Scrapers:");
  addStarting(program, onEnd);
  addDevtools(program, onEnd);
  program.commandsGroup("The service:");
  addService(program, onEnd);
  addOperating(program, onEnd);
  addUpkeep(program, onEnd);
  return program;
};
