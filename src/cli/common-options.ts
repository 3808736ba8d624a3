import { Help, Option, type Command } from "commander";
import { LOG_LEVELS } from "../worker/log.ts";
import { LOG_KEEP, LOG_MAX_MB } from "../worker/rotate-log.ts";
import { INPUT_FORMATS } from "../inputs/input-format.ts";
import { durationIn, numberIn, processCount } from "./option-values.ts";
import { type CapOptions, DEFAULT_DATA, type ResumeOptions } from "./options.ts";
import { UsageError } from "./usage-error.ts";

/** That a switch is off unless given needs no saying. */
export const optionDescription = (option: Option): string =>
  new Help().optionDescription(option).replace(" (default: false)", "");

export const refuseMixedOutput = ({ json, output }: Pick<ResumeOptions, "json" | "output">): void => {
  if (json && output === "-")
    throw new UsageError(
      "--json and --output - both write to stdout. Write the results to a file, or leave --json out.",
    );
};

/** Where neither flag nor environment says, `takeConfig` puts the configuration's word in place of the default. */
export const dataOption = (): Option =>
  new Option("--data <dir>", "folder of the ledger, the archive and the logs")
    .env("SLUICE_DATA")
    .default(DEFAULT_DATA, `\`data\` of sluice.config.ts, else ${DEFAULT_DATA}`);

export const lookOptions = (command: Command): Command =>
  command.addOption(dataOption()).option("--json", "print JSON, one object a line", false);

/** For what can be asked of a data folder and of a server alike. */
export const placeOptions = (command: Command): Command =>
  lookOptions(command)
    .addOption(new Option("--server <url>", "ask this server instead of a data folder").env("SLUICE_SERVER"))
    .addOption(timeoutOption());

export const timeoutOption = (): Option =>
  new Option("--timeout <time>", "give up when the server lets nothing move for so long; 0 never does")
    .env("SLUICE_TIMEOUT")
    .argParser(durationIn("idleMs"))
    .default(120_000, "2m");

export const inputOptions = (command: Command): Command =>
  command
    .option("--input <file>", "inputs: a CSV, NDJSON, JSON or URL list file, also gzipped; - for stdin")
    .addOption(
      new Option("--format <format>", "of the inputs, where the name does not tell").choices(INPUT_FORMATS),
    );

/** For commands that let a job go on. */
export const capOptions = (command: Command): Command =>
  command
    .option(
      "--max-items <n>",
      "raise the most items that the job may have, found ones included",
      numberIn("maxItems"),
    )
    .option(
      "--max-depth <n>",
      "raise how many steps from scraper to scraper are followed",
      numberIn("maxDepth"),
    )
    .option("--max-chain <n>", "raise how many next pages in a row are followed", numberIn("maxChain"));

/** Those of them that were given. */
export const capsOf = ({ maxItems, maxDepth, maxChain }: CapOptions): CapOptions | undefined => {
  const caps = {
    ...(maxItems !== undefined && { maxItems }),
    ...(maxDepth !== undefined && { maxDepth }),
    ...(maxChain !== undefined && { maxChain }),
  };
  return Object.keys(caps).length > 0 ? caps : undefined;
};

/** Of commands that write a log. Its limits reach the worker processes through the environment. */
export const logOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--log-level <level>", "what goes into the log file").choices(LOG_LEVELS).default("info"),
    )
    .addOption(
      new Option("--log-max-mb <n>", "set a log file aside when it has so many megabytes")
        .env(LOG_MAX_MB.variable)
        .argParser(numberIn("logMb"))
        .default(LOG_MAX_MB.usual),
    )
    .addOption(
      new Option("--log-keep <n>", "keep so many log files that were set aside")
        .env(LOG_KEEP.variable)
        .argParser(numberIn("logFiles"))
        .default(LOG_KEEP.usual),
    )
    .hook("preAction", (_program, own) => {
      const { logMaxMb, logKeep } = own.opts<{ readonly logMaxMb: number; readonly logKeep: number }>();
      process.env[LOG_MAX_MB.variable] = String(logMaxMb);
      process.env[LOG_KEEP.variable] = String(logKeep);
    });

export const workingOptions = (command: Command): Command =>
  logOptions(command)
    .option(
      "--output <file>",
      "write the results to a .csv, .jsonl or .parquet file at the end; - for stdout",
    )
    .addOption(dataOption())
    .option("--processes <n>", "worker processes", processCount, 1)
    .option("--json", "progress and report as JSON, one object a line on stdout", false)
    .option("--quiet", "print nothing but errors", false);
