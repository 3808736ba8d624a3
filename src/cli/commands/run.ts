import type { Command } from "commander";
import { numberIn } from "../option-values.ts";
import {
  continueOptions,
  EXIT_CODES_HELP,
  inputOptions,
  JOB_HELP,
  newJobOptions,
  lazy,
  type ToAction,
  workingOptions,
} from "../options.ts";

const RUN_HELP = `
Examples:
  sluice run page --input urls.txt
  sluice run county.scraper.ts --input parcels.csv --output taxes.parquet --processes 2
  cut -d, -f3 all.csv | sluice run county.scraper.ts --input - --format csv --limit 100
  sluice run towns --input regions.csv --max-items 10000      crawl at most 10,000 items
  sluice run county --input parcels.csv --no-extract          fetch now, extract later
${EXIT_CODES_HELP}`;

const RESUME_HELP = `
Examples:
  sluice resume last
  sluice resume 20261115-203412-k3f9 --output taxes.csv
  sluice resume last --input parcels.csv      if it stopped before it had read all inputs
  sluice resume last --new-version            after you fix its scraper
${EXIT_CODES_HELP}`;

/** Run jobs in this process: `run`, `resume`. */
export const register = (program: Command, toAction: ToAction): void => {
  const run = program
    .command("run")
    .description("Run a scraper on a list of inputs, on this machine")
    .argument("<scraper>", "name in the project, path of a file, or the built-in `page`")
    .addHelpText("after", RUN_HELP);
  inputOptions(run).option("--limit <n>", "use only the first N inputs", numberIn("inputs"));
  workingOptions(newJobOptions(run)).action(
    toAction(lazy(async () => (await import("../actions/run.ts")).runCommand)),
  );

  const resume = program
    .command("resume")
    .summary("Continue a stopped job on this machine")
    .description(
      "Continue a job on this machine: one that was interrupted, killed or held, has failed items to retry, or gets a higher limit",
    )
    .argument("<job>", JOB_HELP)
    .addHelpText("after", RESUME_HELP);
  workingOptions(continueOptions(inputOptions(resume))).action(
    toAction(lazy(async () => (await import("../actions/resume.ts")).resumeCommand)),
  );
};
