import { type Command, Option } from "commander";
import { CHANGES, type Change } from "../../domain/freshness.ts";
import { EXIT } from "../exit.ts";
import { fillValue, listOf, namesOf } from "../option-values.ts";
import {
  storageOptions,
  given,
  JOB_HELP,
  placeOptions,
  type PlaceOptions,
  lazy,
  type ToAction,
} from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";

const EXPORT_HELP = `
Examples:
  sluice export last --output taxes.csv
  sluice export last --output taxes.csv --files bills         also copy the files, as bills/0100000001-bill.pdf
  sluice export last | jq -c 'select(._quality == "partial")'
  sluice export last --gaps drop --output complete.csv        only records with all required values
  sluice export last --fill tax=0 --drop-without owner --output taxes.csv
  sluice export last --extraction first --output before.csv   the records of the original run
  sluice export last --manifest`;

const RESULTS_HELP = `
Like \`sluice export\`, but works with a server too.

Examples:
  sluice jobs results last --output taxes.parquet
  sluice jobs results last --gaps drop --server http://127.0.0.1:7070 | jq -c .owner`;

export const register = (program: Command, toAction: ToAction): void => {
  const exporting = program
    .command("export")
    .summary("Write the results of a job to a file")
    .description("Write the results of a job: one row per record, or per item that has none")
    .argument("<job>", JOB_HELP)
    .addHelpText("after", EXPORT_HELP);
  storageOptions(resultOptions(exporting, gapsOption().default("keep")))
    .option("--fill <name=value>", "value to write where this field has none; repeatable", fillValue)
    .option("--drop-without <names>", "omit records without a value in one of these fields", listOf)
    .option("--files <dir>", "copy stored files to this folder, as KEY-NAME.pdf; rows list them in _files")
    .option("--manifest", "write the job's manifest again", false)
    .option("--json", "print a summary as JSON; the results go to --output", false)
    .action(toAction(lazy(async () => (await import("../actions/export.ts")).exportCommand)));
};

interface ResultsOptions extends PlaceOptions {
  readonly output?: string;
  readonly scraper?: string;
  readonly extraction?: string;
  readonly gaps?: "keep" | "drop";
  readonly changes?: readonly Change[];
}

/** `jobs results`, the same for a server. */
export const registerResults = (jobs: Command, toAction: ToAction): void => {
  const results = jobs
    .command("results")
    .description("Write the current records of a job, even while it runs")
    .argument("<job>", JOB_HELP)
    .addHelpText("after", RESULTS_HELP);
  placeOptions(resultOptions(results, gapsOption())).action(
    toAction(async (named: string, options: ResultsOptions) => {
      const { output, json, scraper, extraction, gaps, changes } = options;
      await using verbs = await openVerbs(options);
      const { id } = (await verbs.findJob(named)).spec;
      await verbs.writeResults(id, output, given({ scraper, extraction, gaps, changes }));
      if (output !== undefined && output !== "-") {
        if (json) process.stdout.write(`${JSON.stringify({ job: id, output })}\n`);
        else process.stderr.write(`${id}: results written to ${output}\n`);
      }
      return EXIT.ok;
    }),
  );
};

const gapsOption = (): Option =>
  new Option("--gaps <what>", "records without a value in a required field: keep or drop them").choices([
    "keep",
    "drop",
  ]);

const resultOptions = (command: Command, gaps: Option): Command =>
  command
    .option("--output <file>", "write to a .csv, .jsonl or .parquet file; without it, JSON lines on stdout")
    .option("--scraper <name>", "only rows of this scraper, if the job has several")
    .option("--extraction <id>", "which records: current, first (of the original run), or an extraction ID")
    .addOption(gaps)
    .option(
      "--changes <changes>",
      `only items with this change since the previous run: ${CHANGES.join(", ")}`,
      namesOf(CHANGES),
    );
