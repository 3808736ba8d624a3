import { availableParallelism } from "node:os";
import type { Command } from "commander";
import type { DiffCommandOptions } from "./commands/diff.ts";
import type { ExtractCommandOptions } from "./commands/extract.ts";
import { dataOption, lookOptions } from "./common-options.ts";
import { JOB_HELP } from "./help-texts.ts";
import { processCount, wholeNumber } from "./option-values.ts";
import { sinceWhen } from "./since-option.ts";

const EXTRACT_HELP = `
Examples:
  sluice extract last                                  with the job's scraper as it is now
  sluice extract last --scraper new-county.ts
  sluice extract --all county --since 7d               every job of that scraper
  sluice extract last --use first                      back to the records of the run itself

Nothing is fetched, and no record is written over: the new ones stand beside the old.
Exit codes: 0 all done, 2 wrong usage, 3 some items failed, 5 interrupted, 6 storage. See docs/cli.md.`;

const DIFF_HELP = `
Examples:
  sluice diff last@first last                 the run's own records, and the current ones
  sluice diff k3f9 m2x7 --field marketValue   last week's job, and this week's

A set of records is JOB (the current one), JOB@first (of the run itself) or JOB@EXTRACTION.`;

/** Extraction again from stored pages, and what differs: `extract`, `diff`. */
export const addReuse = (program: Command, onEnd: (exitCode: number) => void): void => {
  program
    .command("extract")
    .summary("extract again from stored pages")
    .description("Extracts again from stored pages, with the scraper as it is now, and shows what differs.")
    .argument("[job]", JOB_HELP)
    .option("--all <scraper>", "all jobs of this scraper: its name, or the path of its file")
    .option("--since <when>", "with --all: only jobs begun since 2026-11-01, or 7d ago", sinceWhen(Date.now))
    .option("--scraper <file>", "extract with this scraper instead of the job's own")
    .option("--force", "make the new records current even where they lost what was there", false)
    .option("--use <id>", "extract nothing: make this set of records current, an extraction or first")
    .option("--cores <n>", "threads that extract", processCount, Math.min(64, availableParallelism()))
    .option("--examples <n>", "show N examples of each change", wholeNumber, 3)
    .addOption(dataOption())
    .option("--json", "progress and result as JSON, one object a line on stdout", false)
    .option("--quiet", "print nothing but errors", false)
    .addHelpText("after", EXTRACT_HELP)
    .action(async (job: string | undefined, options: ExtractCommandOptions) => {
      const { extractCommand } = await import("./commands/extract.ts");
      onEnd(await extractCommand(job, options));
    });

  const diff = program
    .command("diff")
    .summary("show what differs between two sets of records")
    .description("Shows what differs between the records of two jobs, or of two extractions.")
    .argument("<a>", "the older set of records: JOB, JOB@first or JOB@EXTRACTION")
    .argument("<b>", "the newer one")
    .option("--field <name>", "only this field; may be given more than once", gather)
    .option("--examples <n>", "show N examples of each change", wholeNumber, 3)
    .addHelpText("after", DIFF_HELP);
  lookOptions(diff).action(async (a: string, b: string, options: DiffCommandOptions) => {
    const { diffCommand } = await import("./commands/diff.ts");
    onEnd(await diffCommand(a, b, options));
  });
};

const gather = (name: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  name,
];
