import type { Command } from "commander";
import { inputValue } from "../option-values.ts";
import { jsonOption, lazy, type ToAction } from "../options.ts";

const CHECK_HELP = `
Examples:
  sluice recording check search.json
  sluice recording check search.json --bind parcel=0012345678
  sluice recording check tests.side --which "find a parcel"
  sluice recording check actions.json --adapter our-extension.adapter.json`;

const IMPORT_HELP = `
Without --scraper, the recording is written as JSON that Chrome's Recorder can open. With it, a scraper is written: NAME.scraper.yaml, and
NAME.recording.json beside it.

Examples:
  sluice recording import tests.side --which "find a parcel" -o search.json
  sluice recording import search.json --scraper county --bind parcel=0012345678`;

/** Recorded flows: `recording check`, `recording import`. */
export const register = (program: Command, toAction: ToAction): void => {
  const recording = program
    .command("recording")
    .description("Check and import recordings of Chrome's Recorder, Selenium IDE, Playwright and others")
    .helpCommand(false);

  sourceOptions(
    recording
      .command("check")
      .description("Show the steps of a recording in words, its inputs, and what is wrong with it"),
  )
    .addOption(jsonOption())
    .addHelpText("after", CHECK_HELP)
    .action(toAction(lazy(async () => (await import("../actions/recording.ts")).checkCommand)));

  sourceOptions(
    recording
      .command("import")
      .description("Write a recording as JSON for Chrome's Recorder, or as the start of a scraper"),
  )
    .option(
      "-o, --output <file>",
      "file to write (default: standard output; with --scraper, NAME.scraper.yaml)",
    )
    .option("--scraper <name>", "write a scraper with this name")
    .option("--force", "replace existing files", false)
    .addHelpText("after", IMPORT_HELP)
    .action(toAction(lazy(async () => (await import("../actions/recording.ts")).importCommand)));
};

const sourceOptions = (command: Command): Command =>
  command
    .argument("<file>", "the recording; the format is detected from its content")
    .option("--adapter <file>", "adapter for another format, as JSON")
    .option("--which <name>", "name of the recording, if the file has several")
    .option("--bind <name=value>", "the recorded value that is an input (repeatable)", inputValue);
