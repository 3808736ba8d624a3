import { UsageError } from "./exit.ts";
import { isController, type StorageLocation } from "../ports/storage.ts";
import { relative, resolve } from "node:path";
import { type Command, Help, Option } from "commander";
import { DEFAULT_DATA } from "../config/define-config.ts";
import type { JobCaps, JobSpec } from "../domain/job.ts";
import { INPUT_FORMATS, type InputFormat } from "../inputs/input-format.ts";
import { LOG_KEEP, LOG_LEVELS, LOG_MAX_MB, type LogLevel } from "../worker/log.ts";
import { durationIn, listOf, numberIn, processCount } from "./option-values.ts";
import { shellWord } from "./text.ts";

/** Makes a Commander action of a function that returns the exit code. */
export type ToAction = <Args extends readonly unknown[]>(
  run: (...args: Args) => Promise<number>,
) => (...args: Args) => Promise<void>;

/** An action whose code is loaded only when it runs, to keep the start of the program fast. */
export const lazy =
  <Args extends readonly unknown[]>(load: () => Promise<(...args: Args) => Promise<number>>) =>
  async (...args: Args): Promise<number> =>
    await (
      await load()
    )(...args);

export const JOB_HELP = "job ID, a unique part of it, or `last` (the newest job that has items)";

export const EXIT_CODES_HELP = `
Exit codes: 0 all items done or absent, 1 unexpected error, 2 wrong usage or input, 3 some items failed
or some inputs were rejected or capped, 4 held by the breaker, 5 interrupted, 6 storage error. See docs/cli.md.`;

/** Options of commands that work on local storage. */
export interface DataOptions {
  /** From `--data`, `--ledger`, `--blobs`, their environment variables and the configuration. */
  readonly location: StorageLocation;
  readonly json: boolean;
}

/** Options of commands that work on a server, when one is named, and on a data folder otherwise. */
export interface PlaceOptions extends DataOptions {
  readonly server?: string;
  /** How long the server may stay silent, in milliseconds. */
  readonly timeout?: number;
}

/** Options of commands that run a job in this process. */
export interface WorkingOptions extends DataOptions {
  /** Inputs: a path, or `-` for stdin. */
  readonly input?: string;
  readonly format?: InputFormat;
  readonly output?: string;
  readonly processes: number;
  readonly logLevel: LogLevel;
  readonly quiet: boolean;
}

/** Hides the default of switches, which is always off. */
export const optionDescription = (option: Option): string =>
  new Help().optionDescription(option).replace(" (default: false)", "");

/** When neither flag nor environment sets them, `takeConfig` takes them from the configuration. */
export const storageOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--data <dir>", "folder with the logs and, by default, the ledger and the archive")
        .env("SLUICE_DATA")
        .default(DEFAULT_DATA, `\`data\` in sluice.config.ts, else ${DEFAULT_DATA}`),
    )
    .addOption(
      new Option(
        "--ledger <url>",
        "URL of the ledger: sqlite:FILE, postgres://HOST/DATABASE or, for `sluice worker`, that of a server",
      ).env("SLUICE_LEDGER"),
    )
    .addOption(
      new Option("--blobs <url>", "URL of the archive: file:FOLDER or s3://BUCKET/PREFIX").env(
        "SLUICE_BLOBS",
      ),
    );

export const jsonOption = (): Option =>
  new Option("--json", "print JSON, one object per line").default(false);

export const quietOption = (): Option => new Option("--quiet", "print only errors").default(false);

export const dataOptions = (command: Command): Command => storageOptions(command).addOption(jsonOption());

export const placeOptions = (command: Command): Command =>
  dataOptions(command)
    .addOption(new Option("--server <url>", "use this server instead of a data folder").env("SLUICE_SERVER"))
    .addOption(timeoutOption());

export const timeoutOption = (): Option =>
  new Option("--timeout <duration>", "give up when the server sends nothing for this long; 0 waits forever")
    .env("SLUICE_TIMEOUT")
    .argParser(durationIn("idleMs"))
    .default(120_000, "2m");

export const inputOptions = (command: Command): Command =>
  command
    .option("--input <file>", "input file: CSV, NDJSON, JSON or a list of URLs, also gzipped; - for stdin")
    .addOption(
      new Option("--format <format>", "input format, if the file name does not show it").choices(
        INPUT_FORMATS,
      ),
    );

/** Options that set the limits and the pace of a new job. */
export const newJobOptions = (command: Command): Command =>
  command
    .option("--max-items <n>", "at most N items, including those found while crawling", numberIn("maxItems"))
    .option("--no-extract", "only fetch and store the pages; `sluice extract` extracts records later")
    .option("--rate <n>", "at most N requests per second in each lane, for this job", numberIn("perSecond"))
    .option("--proxies <tiers>", "use only these proxy tiers of the scraper, separated by commas", listOf)
    .option("--max-requests <n>", "fail the remaining items after N requests", numberIn("requests"))
    .option("--max-bytes <n>", "fail the remaining items after N bytes", numberIn("bytes"))
    .option("--max-cost <n>", "fail the remaining items after proxies have cost N", numberIn("cost"))
    .option("--pause-over-budget", "pause the job instead of failing the remaining items", false);

export interface BudgetOptions {
  readonly maxRequests?: number;
  readonly maxBytes?: number;
  readonly maxCost?: number;
  readonly pauseOverBudget?: boolean;
}

/** Nothing without a limit. */
export const budgetOf = (options: BudgetOptions): Partial<Pick<JobSpec, "budget">> => {
  const { maxRequests, maxBytes, maxCost, pauseOverBudget } = options;
  const limits = given({ requests: maxRequests, bytes: maxBytes, cost: maxCost });
  if (Object.keys(limits).length > 0)
    return { budget: { ...limits, ...(pauseOverBudget && { onSpent: "pause" }) } };
  if (pauseOverBudget)
    throw new UsageError("--pause-over-budget needs a budget: --max-requests, --max-bytes or --max-cost.");
  return {};
};

/** Options of commands that continue a job. */
export const continueOptions = (command: Command): Command =>
  command
    .option(
      "--new-version",
      "continue with the current version of the scraper, after re-reading the stored pages with it",
      false,
    )
    .option(
      "--max-items <n>",
      "raise the limit on items, including those found while crawling",
      numberIn("maxItems"),
    )
    .option("--max-depth <n>", "raise the limit on steps from scraper to scraper", numberIn("maxDepth"))
    .option("--max-chain <n>", "raise the limit on consecutive next pages", numberIn("maxChain"))
    .option("--max-requests <n>", "raise the budget of requests", numberIn("requests"))
    .option("--max-bytes <n>", "raise the budget of bytes", numberIn("bytes"))
    .option("--max-cost <n>", "raise the budget of money for proxies", numberIn("cost"));

/** The options that were given: those with a value. */
export const given = <Options extends object>(
  options: Options,
): { [Name in keyof Options]?: Exclude<Options[Name], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;

export interface CapOptions extends Omit<JobCaps, "budget"> {
  readonly maxRequests?: number;
  readonly maxBytes?: number;
  readonly maxCost?: number;
}

/** The limits that were given, if any. */
export const capsOf = (options: CapOptions): JobCaps | undefined => {
  const { maxItems, maxDepth, maxChain, maxRequests, maxBytes, maxCost } = options;
  const budget = given({ requests: maxRequests, bytes: maxBytes, cost: maxCost });
  const caps = {
    ...given({ maxItems, maxDepth, maxChain }),
    ...(Object.keys(budget).length > 0 && { budget }),
  };
  return Object.keys(caps).length > 0 ? caps : undefined;
};

/** Options of commands that write a log. The limits reach the worker processes through the environment. */
export const logOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--log-level <level>", "level of detail in the log file")
        .choices(LOG_LEVELS)
        .default("info"),
    )
    .addOption(
      new Option("--log-max-mb <n>", "rotate the log file at this size, in megabytes")
        .env(LOG_MAX_MB.variable)
        .argParser(numberIn("logMb"))
        .default(LOG_MAX_MB.usual),
    )
    .addOption(
      new Option("--log-keep <n>", "number of rotated log files to keep")
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
  storageOptions(logOptions(command))
    .option(
      "--output <file>",
      "write the results to a .csv, .jsonl or .parquet file when the job ends; - for stdout",
    )
    .option("--processes <n>", "number of worker processes", processCount, 1)
    .option("--json", "print progress and report as JSON, one object per line", false)
    .addOption(quietOption());

interface StorageFlags {
  readonly data: string;
  readonly ledger?: string;
  readonly blobs?: string;
  readonly server?: string;
}

/** Before a command runs, finds its storage: flags, then environment, then `sluice.config.ts`, then the default. */
export const takeConfig = (program: Command): void => {
  program.hook("preAction", async (_program, command) => {
    const source = (name: keyof StorageFlags): string | undefined => command.getOptionValueSource(name);
    if (source("data") === undefined) return;
    const [{ loadConfig }, { takeInheritedSettings }, { storageLocation }] = await Promise.all([
      import("../config/load-config.ts"),
      import("../config/check-config.ts"),
      import("../config/storage-location.ts"),
    ]);
    const project = await loadConfig();
    takeInheritedSettings(project);
    const flags = command.opts<StorageFlags>();
    const isDefault = source("data") === "default";
    const data = isDefault && project ? shortPath(project.data) : flags.data;
    const ledger = flags.ledger ?? project?.ledger;
    const isWorker = command.name() === "worker";
    if (ledger !== undefined && isController(ledger) && !isWorker && flags.server === undefined)
      throw new UsageError(
        `The ledger is ${ledger}, which only \`sluice worker\` can use directly. Use --server with commands that have it, or give a ledger file with --ledger sqlite:FILE.`,
      );
    const location = storageLocation({ data, ledger, blobs: flags.blobs ?? project?.blobs });
    command.setOptionValueWithSource("location", location, "config");
    usualData = source("data") === "cli" ? undefined : data;
    urlFlags = (["ledger", "blobs"] as const)
      .filter((name) => source(name) === "cli")
      .map((name) => ` --${name} ${shellWord(flags[name]!)}`)
      .join("");
  });
};

const shortPath = (path: string): string =>
  path === resolve(DEFAULT_DATA) ? DEFAULT_DATA : relative(process.cwd(), path) || ".";

/** The data folder of a command without `--data`; undefined when this command was given the option. */
let usualData: string | undefined = DEFAULT_DATA;

/** ` --ledger URL --blobs URL`, as this command was given them. */
let urlFlags = "";

/** ` --data DIR` and the like for a suggested command, where it would otherwise use another storage. */
export const dataFlag = ({ data }: Pick<StorageLocation, "data">): string =>
  (data === usualData ? "" : ` --data ${shellWord(data)}`) + urlFlags;
