import type { Command } from "commander";
import { inputValue, wholeNumber } from "../option-values.ts";
import { dataOptions, jsonOption, lazy, type ToAction } from "../options.ts";

const TRY_HELP = `
Examples:
  sluice try county.scraper.ts --input parcel=0100000001
  sluice try county --input '{"parcel":"0100000001"}'
  sluice try recipes --input https://recipes.example/pie
  sluice try county --from parcels.csv --line 17

Exit codes: 0 done or absent, 2 wrong usage or input, 3 failed, 5 interrupted. See docs/cli.md.`;

const CAPTURE_HELP = `
Examples:
  sluice capture county --input parcel=0100000001
  sluice capture county --input parcel=0100000001 --case no-exemptions
  sluice capture county --from-job last --key 0100000001      from stored pages; fetches nothing

The fixture is written to fixtures/CASE/ next to the scraper. See docs/fixtures.md.`;

const TEST_HELP = `
Examples:
  sluice test                         all scrapers of the project
  sluice test county --watch          while you edit
  sluice test county --update         accept the new values, after you have reviewed them

Exit codes: 0 all as expected, 2 wrong usage, 3 some values differ. See docs/fixtures.md.`;

const SCRAPER_HELP = "path of a scraper, or its name in the project";

/** Write and check scrapers: `try`, `capture`, `test`. */
export const register = (program: Command, toAction: ToAction): void => {
  const trial = program
    .command("try")
    .summary("Run one item and show each step")
    .description("Run one item against the site, once, and show each step, the stored pages and the record")
    .argument("<scraper>", SCRAPER_HELP)
    .addHelpText("after", TRY_HELP);
  dataOptions(itemOptions(trial)).action(
    toAction(lazy(async () => (await import("../actions/try.ts")).tryCommand)),
  );

  const capture = program
    .command("capture")
    .summary("Save the pages of an item as a test fixture")
    .description("Save the pages of an item, without secrets, and its records as a test fixture")
    .argument("<scraper>", SCRAPER_HELP)
    .addHelpText("after", CAPTURE_HELP);
  itemOptions(capture)
    .option("--from-job <job>", "use pages that this job has stored; fetch nothing")
    .option("--key <key>", "with --from-job: key of the item; optional if the job has only one")
    .option("--case <name>", "name of the fixture (default: made from the item's key)")
    .option("--force", "replace an existing fixture, and keep pages over 2 MB", false);
  dataOptions(capture).action(
    toAction(lazy(async () => (await import("../actions/capture.ts")).captureCommand)),
  );

  program
    .command("test")
    .summary("Test scrapers against their fixtures")
    .description("Test scrapers against their fixtures, and show each field that differs")
    .argument("[scrapers...]", "paths or names (default: all scrapers of the project)")
    .option("--update", "write the new values to expected.json, after showing the differences", false)
    .option("--watch", "run again whenever a scraper, one of its imports or a fixture changes", false)
    .option("--require-fixtures", "fail if a scraper has no fixture", false)
    .addOption(jsonOption())
    .addHelpText("after", TEST_HELP)
    .action(toAction(lazy(async () => (await import("../actions/test.ts")).testCommand)));
};

const itemOptions = (command: Command): Command =>
  command
    .option("--input <value>", "the item: JSON, name=value (repeatable), or a URL", inputValue)
    .option("--from <file>", "take the item from an input file: the first one, or the one at --line")
    .option("--line <n>", "line of that file where the item starts", wholeNumber);
