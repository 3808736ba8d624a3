import type { Command } from "commander";
import { jsonOption, lazy, type ToAction } from "../options.ts";

const HELP = `
Exits with code 2 if something is missing.

Examples:
  sluice doctor
  SLUICE_BROWSER=/opt/chrome/chrome sluice doctor`;

export const register = (program: Command, toAction: ToAction): void => {
  program
    .command("doctor")
    .summary("Check this installation")
    .description(
      "Show what browser scrapers need, what was found and how, and how to install what is missing",
    )
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(toAction(lazy(async () => (await import("../actions/doctor.ts")).doctorCommand)));
};
