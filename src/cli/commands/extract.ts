import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { listOf, processCount, sinceWhen, wholeNumber } from "../option-values.ts";
import { storageOptions, dataOptions, JOB_HELP, quietOption, lazy, type ToAction } from "../options.ts";

const EXTRACT_HELP = `
Examples:
  sluice extract last                                  with the current version of the job's scraper
  sluice extract last --scraper new-county.ts
  sluice extract --all county --since 7d               all jobs of this scraper
  sluice extract last --use first                      back to the records of the original run

Nothing is fetched, and no record is overwritten: earlier records stay available.
Exit codes: 0 success, 2 wrong usage, 3 some items failed, 5 interrupted, 6 storage error. See docs/cli.md.`;

const DIFF_HELP = `
Examples:
  sluice diff last@first last                 the records of the run, and the current ones
  sluice diff k3f9 m2x7 --field marketValue   last week's job, and this week's

Name a set of records as JOB (the current one), JOB@first (of the original run) or JOB@EXTRACTION.`;

/** Work with stored pages: `extract`, `diff`. */
export const register = (program: Command, toAction: ToAction): void => {
  const extract = program
    .command("extract")
    .summary("Extract again from stored pages")
    .description("Extract again from stored pages with the current scraper, and show what changed")
    .argument("[job]", JOB_HELP)
    .option("--all <scraper>", "all jobs of this scraper: its name, or the path of its file")
    .option(
      "--since <when>",
      "with --all: only jobs created since a date (2026-11-01) or within an age (7d)",
      sinceWhen(Date.now),
    )
    .option("--scraper <file>", "use this scraper instead of the job's own")
    .option(
      "--force",
      "make the new records current even if nothing was extracted or pages could not be read",
      false,
    )
    .option("--use <id>", "extract nothing; make this extraction, or first, current")
    .option("--cores <n>", "number of threads", processCount, Math.min(64, availableParallelism()))
    .option("--examples <n>", "show N examples of each change", wholeNumber, 3)
    .option("--json", "print progress and result as JSON, one object per line", false)
    .addOption(quietOption())
    .addHelpText("after", EXTRACT_HELP);
  storageOptions(extract).action(
    toAction(lazy(async () => (await import("../actions/extract.ts")).extractCommand)),
  );

  const diff = program
    .command("diff")
    .summary("Compare two sets of records")
    .description("Compare the records of two jobs, or of two extractions")
    .argument("<a>", "the older set of records: JOB, JOB@first or JOB@EXTRACTION")
    .argument("<b>", "the newer set")
    .option("--field <name>", "only this field; repeatable", listOf)
    .option("--examples <n>", "show N examples of each change", wholeNumber, 3)
    .addHelpText("after", DIFF_HELP);
  dataOptions(diff).action(toAction(lazy(async () => (await import("../actions/extract.ts")).diffCommand)));
};
