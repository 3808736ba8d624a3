import type { Command } from "commander";
import { lazy, placeOptions, type ToAction } from "../options.ts";

const HELP = `
A bundle has the scraper's file, what it imports, and the npm packages that it needs. Jobs that are pinned to this version can run
on every machine, even after the file has changed. With --server, this needs the key of an operator.

Examples:
  sluice deploy county --server https://sluice.example.org
  sluice deploy --server https://sluice.example.org         all scrapers of the project`;

export const register = (program: Command, toAction: ToAction): void => {
  const deploy = program
    .command("deploy")
    .summary("Store scrapers with all of their code")
    .description(
      "Store scrapers with all of their code, so that they run on machines that do not have their files",
    )
    .argument("[scrapers...]", "names or paths; all scrapers of the project if none is given")
    .addHelpText("after", HELP);
  placeOptions(deploy).action(
    toAction(lazy(async () => (await import("../actions/deploy.ts")).deployCommand)),
  );
};
