import type { Command } from "commander";
import type { InitOptions } from "./commands/init.ts";
import type { NewScraperOptions } from "./commands/new-scraper.ts";
import { dataOption } from "./common-options.ts";
import { takeConfig } from "./take-config.ts";

const INIT_HELP = `
Examples:
  sluice init my-scrapers
  sluice init . --force           add what is missing to this folder`;

const NEW_HELP = `
The page is fetched once, as robots.txt and the pace of the data folder allow, and kept in the archive.

Examples:
  sluice new scraper travis --url https://tax.example.gov/parcel/0123456789
  sluice new scraper travis --url https://tax.example.gov/parcel/0123456789 --html saved.html`;

/** `init` and `new scraper`, and the configuration that `init` writes. */
export const addStarting = (program: Command, onEnd: (exitCode: number) => void): void => {
  takeConfig(program);

  program
    .command("init")
    .summary("make a new project")
    .description(
      "Makes a project that runs at once: configuration, a scraper with its fixture, a site to run it on.",
    )
    .argument("<dir>", "the project's folder; made where it is not there")
    .option("--force", "add the missing files to a folder that is not empty; none is overwritten", false)
    .addHelpText("after", INIT_HELP)
    .action(async (folder: string, options: InitOptions) => {
      const { initCommand } = await import("./commands/init.ts");
      onEnd(await initCommand(folder, options));
    });

  program
    .command("new")
    .summary("draft a scraper from a page")
    .description("Makes something new.")
    .helpCommand(false)
    .command("scraper")
    .description(
      "Drafts a scraper from a page of its site: fields, selectors, input. Every field is verified on that page.",
    )
    .argument("<name>", "of the scraper, and of its folder and file")
    .requiredOption("--url <url>", "address of one page of the site")
    .option("--html <file>", "draft from this saved page; nothing is fetched")
    .option("--input <name>", "what the changing part of the URL is called; url for the whole URL")
    .option("--dir <dir>", "where to put it; by default the first folder of `scrapers` in sluice.config.ts")
    .addOption(dataOption())
    .option("--json", "print JSON, one object a line", false)
    .addHelpText("after", NEW_HELP)
    .action(async (name: string, options: NewScraperOptions) => {
      const { newScraperCommand } = await import("./commands/new-scraper.ts");
      onEnd(await newScraperCommand(name, options));
    });
};
