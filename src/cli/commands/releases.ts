import { type Command, Option } from "commander";
import { wholeNumber } from "../option-values.ts";
import { lazy, placeOptions, type ToAction } from "../options.ts";

const DATASETS_HELP = `
Examples:
  sluice datasets ls
  sluice datasets show taxes
  sluice datasets set taxes --file taxes.json        its sources, fields and rules; see docs/releases.md`;

const RELEASES_HELP = `
Examples:
  sluice releases write taxes --publish              write, audit and publish in one step
  sluice releases write taxes                        only the files: readers do not see them
  sluice releases audit taxes 17
  sluice releases publish taxes 17
  sluice releases publish taxes 17 --reason "the county confirmed it"     publish it although the audit holds it
  sluice releases diff taxes                         the current release, and the one before
  sluice releases get taxes data.csv --output taxes.csv
  sluice releases rollback taxes

Exit code 4: the release is held, and the last good one stays current.`;

const DATASET_HELP = "name of the dataset";
const RELEASE_HELP = "number of the release";

/** `datasets` and `releases`. */
export const register = (program: Command, toAction: ToAction): void => {
  const datasets = program
    .command("datasets")
    .description("List, show and define datasets")
    .helpCommand(false)
    .addHelpText("after", DATASETS_HELP);
  const actions = () => import("../actions/releases.ts");
  placeOptions(datasets.command("ls").description("List the datasets by name")).action(
    toAction(lazy(async () => (await actions()).listDatasets)),
  );
  placeOptions(
    datasets
      .command("show")
      .description("Show the definition of a dataset")
      .argument("<dataset>", DATASET_HELP),
  ).action(toAction(lazy(async () => (await actions()).showDataset)));
  placeOptions(
    datasets
      .command("set")
      .description("Create or change a dataset; existing releases do not change")
      .argument("<dataset>", DATASET_HELP)
      .requiredOption("--file <file>", "JSON file with its sources, fields, gaps and rules"),
  ).action(toAction(lazy(async () => (await actions()).setDataset)));

  const releases = program
    .command("releases")
    .description("Write, audit, publish, compare and roll back releases of a dataset")
    .helpCommand(false)
    .addHelpText("after", RELEASES_HELP);
  const add = (name: string, description: string): Command =>
    releases.command(name).description(description).argument("<dataset>", DATASET_HELP);
  placeOptions(
    add("ls", "List the releases of a dataset, newest first").option(
      "--limit <n>",
      "at most N",
      wholeNumber,
      20,
    ),
  ).action(toAction(lazy(async () => (await actions()).listReleases)));
  placeOptions(
    add("show", "Show a release: its files, counts and checks").argument(
      "[release]",
      RELEASE_HELP,
      wholeNumber,
    ),
  ).action(toAction(lazy(async () => (await actions()).showRelease)));
  placeOptions(
    add("write", "Write a release of the sources' current records")
      .addOption(
        new Option("--job <source=job>", "read this source from this job; repeatable").argParser(
          (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
        ),
      )
      .option("--publish", "audit it, and publish it if it passes", false),
  ).action(toAction(lazy(async () => (await actions()).writeRelease)));
  placeOptions(
    add("audit", "Audit a release: it passes, or is held").argument("<release>", RELEASE_HELP, wholeNumber),
  ).action(toAction(lazy(async () => (await actions()).auditRelease)));
  placeOptions(
    add("publish", "Make a release the current one")
      .argument("<release>", RELEASE_HELP, wholeNumber)
      .option("--reason <text>", "why, if its audit holds it"),
  ).action(toAction(lazy(async () => (await actions()).publishRelease)));
  placeOptions(
    add("rollback", "Make an earlier release current again").option(
      "--to <release>",
      "number of the release (default: the previous one)",
      wholeNumber,
    ),
  ).action(toAction(lazy(async () => (await actions()).rollbackRelease)));
  placeOptions(
    add("diff", "Compare two releases by key (default: the current and the previous one)")
      .argument("[before]", RELEASE_HELP, wholeNumber)
      .argument("[after]", RELEASE_HELP, wholeNumber)
      .option("--examples <n>", "show N examples of each change", wholeNumber, 3),
  ).action(toAction(lazy(async () => (await actions()).diffReleases)));
  placeOptions(
    add("get", "Download a file of the current release")
      .argument("<file>", "data.parquet, data.csv, data.jsonl, schema.json or manifest.json")
      .option("--release <n>", "download from this release instead", wholeNumber)
      .option("--output <file>", "output file (default: standard output)"),
  ).action(toAction(lazy(async () => (await actions()).getFile)));
};
