import type { Command } from "commander";
import { dataOptions, lazy, type ToAction } from "../options.ts";

const INIT_HELP = `
Examples:
  sluice init my-scrapers
  sluice init . --force           add the missing files to this folder`;

const NEW_HELP = `
The page is fetched once, within the limits of robots.txt and the lane's pace, and stored in the archive.

Examples:
  sluice new scraper travis --url https://tax.example.gov/parcel/0123456789
  sluice new scraper travis --url https://tax.example.gov/parcel/0123456789 --html saved.html`;

/** Start a project or a scraper: `init`, `new scraper`. */
export const register = (program: Command, toAction: ToAction): void => {
  program
    .command("init")
    .summary("Create a project")
    .description(
      "Create a project that runs right away: configuration, a scraper with a fixture, and a small site to try it on",
    )
    .argument("<dir>", "folder of the project; created if it does not exist")
    .option("--force", "add missing files to a folder that is not empty; never overwrites a file", false)
    .addHelpText("after", INIT_HELP)
    .action(toAction(lazy(async () => (await import("../actions/init.ts")).initCommand)));

  const scraper = program
    .command("new")
    .description("Draft a scraper from a page")
    .helpCommand(false)
    .command("scraper")
    .description(
      "Draft a scraper from one page of a site: fields, selectors and input. Each field is checked against that page.",
    )
    .argument("<name>", "name of the scraper, its folder and its file")
    .requiredOption("--url <url>", "URL of one page of the site")
    .option("--html <file>", "use this saved page; fetch nothing")
    .option("--input <name>", "name for the part of the URL that varies; `url` for the whole URL")
    .option("--dir <dir>", "where to write it (default: the first `scrapers` folder in sluice.config.ts)")
    .addHelpText("after", NEW_HELP);
  dataOptions(scraper).action(
    toAction(lazy(async () => (await import("../actions/new-scraper.ts")).newScraperCommand)),
  );
};
