import type { Command } from "commander";
import { wholeNumber } from "../option-values.ts";
import { lazy, placeOptions, type ToAction } from "../options.ts";

const HELP = `
Examples:
  sluice drift county                                show open findings and the last runs
  sluice drift county --all                          include accepted findings
  sluice drift county --accept 20261115-203412-k3f9.1 --reason "the site no longer has taxes of new parcels"

Exit code 4: there are open findings that hold a release.`;

export const register = (program: Command, toAction: ToAction): void => {
  const drift = program
    .command("drift")
    .description("Show how the runs of a scraper differ from earlier ones")
    .argument("<scraper>", "name of the scraper")
    .option("--all", "include findings that were accepted", false)
    .option("--limit <n>", "at most N runs and findings", wholeNumber, 10)
    .option("--accept <finding>", "accept a finding: its run becomes part of the baseline")
    .option("--reason <text>", "why it is accepted")
    .addHelpText("after", HELP);
  placeOptions(drift).action(toAction(lazy(async () => (await import("../actions/drift.ts")).driftCommand)));
};
