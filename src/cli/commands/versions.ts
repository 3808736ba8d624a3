import { type Command, InvalidArgumentError } from "commander";
import { lazy, placeOptions, type PlaceOptions, type ToAction } from "../options.ts";

const HELP = `
A version of a scraper is stored by \`sluice deploy\`. If one is active, new jobs use it instead of the scraper's file.
VERSION is a version or its beginning; without one, the version deployed last.

Examples:
  sluice versions list county
  sluice versions gate county                          what would it change? Reads stored pages
  sluice versions activate county                      the same, then new jobs use it unless it loses values
  sluice versions activate county --accept "the site has no owners any more"
  sluice versions canary county                        run a share of the items first; their results decide
  sluice versions canary county --promote              decide yourself
  sluice versions rollback county --move               back to the previous version, including running jobs`;

export interface VersionOptions extends PlaceOptions {
  readonly accept?: string;
  readonly move: boolean;
}

export interface CanaryOptions extends VersionOptions {
  readonly share?: number;
  readonly tolerance?: number;
  readonly promote: boolean;
  readonly rollBack: boolean;
  readonly reason?: string;
}

const percent = (text: string): number => {
  const value = Number(text.replace(/\s*%$/, "")) / 100;
  if (!(value >= 0.001 && value <= 0.5))
    throw new InvalidArgumentError("Expected a percentage from 0.1 to 50.");
  return value;
};

const MOVE = "also move unfinished jobs, with their next claim (default: they keep their version)";

export const register = (program: Command, toAction: ToAction): void => {
  const versions = program
    .command("versions")
    .description("List, check, activate and roll back versions of scrapers")
    .helpCommand(false)
    .addHelpText("after", HELP);
  const add = (name: string, description: string, takesVersion: boolean): Command => {
    const command = versions
      .command(name)
      .description(description)
      .argument("<scraper>", "name of the scraper");
    return takesVersion
      ? command.argument("[version]", "the version (default: the one deployed last)")
      : command;
  };
  const actions = async () => await import("../actions/versions.ts");

  placeOptions(add("list", "List the stored versions of a scraper", false)).action(
    toAction(lazy(async () => (await actions()).listCommand)),
  );
  placeOptions(
    add("show", "Show a version: who deployed it, when, what differs, and the results of its checks", true),
  ).action(toAction(lazy(async () => (await actions()).showCommand)));
  placeOptions(add("gate", "Compare a version with the active one on stored pages", true)).action(
    toAction(lazy(async () => (await actions()).gateCommand)),
  );
  placeOptions(
    add("activate", "Let new jobs use a version, if it passes the gate: the comparison on stored pages", true)
      .option("--accept <why>", "activate it although it is refused; the reason is stored with it")
      .option("--move", MOVE, false),
  ).action(toAction(lazy(async () => (await actions()).activateCommand)));
  placeOptions(
    add("rollback", "Return to the version that was active before", false).option("--move", MOVE, false),
  ).action(toAction(lazy(async () => (await actions()).rollbackCommand)));
  placeOptions(
    add("canary", "Run some items with a version, and let the results decide", true)
      .option(
        "--share <percent>",
        "percentage of the items (default: 5, or 10 in jobs of fewer than 10,000 items)",
        percent,
      )
      .option("--tolerance <percent>", "how much worse a required field may be; 1 by default", percent)
      .option("--move", MOVE, false)
      .option("--promote", "end it: the version becomes active", false)
      .option("--roll-back", "end it: its items are read again with the active version", false)
      .option("--reason <text>", "why it is ended"),
  ).action(toAction(lazy(async () => (await actions()).canaryCommand)));
};
