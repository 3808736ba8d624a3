import type { Command } from "commander";
import { inputValues, wholeNumber } from "../option-values.ts";
import { dataOptions, lazy, type ToAction } from "../options.ts";

const HELP = `
Examples:
  sluice distill county-browser --input parcel=0100000001 --input parcel=0100000002 --absent parcel=9999999999 \\
      --from parcels.csv --output scrapers/county-http.scraper.ts

Runs the two inputs and the absent one in the browser, finds the plain requests whose responses have the fields, and
checks with more inputs that they give the same records. Each attempt sends requests to the site: --budget limits them.

Exit codes: 0 written, 2 wrong usage or input, 3 not possible (the message names the part of the request that nothing
explains, or the field that differs), 5 interrupted. See docs/distill.md.`;

/** Turn a browser scraper into plain requests. */
export const register = (program: Command, toAction: ToAction): void => {
  const command = program
    .command("distill")
    .summary("Turn a browser scraper into plain HTTP requests")
    .description(
      "Find the plain HTTP requests behind a browser scraper or a recording, verify them, and write a scraper",
    )
    .argument("<scraper>", "path of a browser scraper or recording, or its name in the project")
    .option("--input <value>", "an input that exists: JSON, name=value or a URL; at least two", inputValues)
    .option("--absent <value>", "an input that the site does not have; at least one", inputValues)
    .option("--from <file>", "take the inputs for the proof from this file")
    .option("--prove <n>", "number of additional inputs to compare", wholeNumber, 20)
    .option("--budget <n>", "maximum number of requests to find the smallest chain", wholeNumber, 100)
    .option("-o, --output <file>", "the scraper to write (default: NAME-http.scraper.ts beside it)")
    .option("--force", "replace an existing file", false)
    .addHelpText("after", HELP);
  dataOptions(command).action(
    toAction(lazy(async () => (await import("../actions/distill.ts")).distillCommand)),
  );
};
