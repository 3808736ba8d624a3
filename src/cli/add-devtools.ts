import type { Command } from "commander";
import type { CaptureOptions } from "./commands/capture.ts";
import type { TestCommandOptions } from "./commands/test.ts";
import type { TryOptions } from "./commands/try.ts";
import { dataOption } from "./common-options.ts";
import { inputValue } from "./input-option.ts";
import { wholeNumber } from "./option-values.ts";
import { WORKSHOP_HELP } from "./devtools-help.ts";

const SCRAPER_HELP = "path of a scraper, or its name in the project";

/** The loop in which scrapers are written: `try`, `capture`, `test`. */
export const addDevtools = (program: Command, onEnd: (exitCode: number) => void): void => {
  const attempt = program
    .command("try")
    .summary("run one item against the site and show every step")
    .description(
      "Runs one item against the site, once, and shows each step, what was kept and the judged record.",
    )
    .argument("<scraper>", SCRAPER_HELP)
    .addHelpText("after", WORKSHOP_HELP.try);
  itemOptions(attempt)
    .addOption(dataOption())
    .option("--json", "print JSON, one object a line", false)
    .action(async (scraper: string, options: TryOptions) => {
      const { tryCommand } = await import("./commands/try.ts");
      onEnd(await tryCommand(scraper, options));
    });

  const capture = program
    .command("capture")
    .summary("save the pages of a real item as a fixture")
    .description(
      "Saves the pages of a real item, without secrets, and the records found on them, as a fixture.",
    )
    .argument("<scraper>", SCRAPER_HELP)
    .addHelpText("after", WORKSHOP_HELP.capture);
  itemOptions(capture)
    .option("--from-job <job>", "take the pages that this job has stored; nothing is fetched")
    .option("--key <key>", "of the item in that job; may be left out where it has one item")
    .option("--case <name>", "name of the fixture; made from the item's key unless given")
    .option("--force", "replace a fixture of that name, and keep pages over 2 MB", false)
    .addOption(dataOption())
    .option("--json", "print JSON, one object a line", false)
    .action(async (scraper: string, options: CaptureOptions) => {
      const { captureCommand } = await import("./commands/capture.ts");
      onEnd(await captureCommand(scraper, options));
    });

  program
    .command("test")
    .summary("run scrapers over their fixtures")
    .description("Runs scrapers over their fixtures, and shows field by field what came out differently.")
    .argument("[scrapers...]", "paths or names; all of the project unless given")
    .option("--update", "write what comes out now into expected.json, after showing the difference", false)
    .option("--watch", "run again whenever a scraper, one of its imports or a fixture changes", false)
    .option("--require-fixtures", "a scraper without a fixture is a failure", false)
    .option("--json", "print JSON, one object a line", false)
    .addHelpText("after", WORKSHOP_HELP.test)
    .action(async (scrapers: string[], options: TestCommandOptions) => {
      const { testCommand } = await import("./commands/test.ts");
      onEnd(await testCommand(scrapers, options));
    });
};

const itemOptions = (command: Command): Command =>
  command
    .option("--input <value>", "the item: JSON, name=value (again for each property), or a URL", inputValue)
    .option("--from <file>", "take the item from a file of inputs, the first one unless --line is given")
    .option("--line <n>", "the line of that file on which the item begins", wholeNumber);
