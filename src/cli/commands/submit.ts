import { accessSync, constants } from "node:fs";
import type { Command } from "commander";
import type { JobView } from "../../domain/job.ts";
import type { InputsFrom } from "../../domain/inputs-from.ts";
import type { InputFormat } from "../../inputs/input-format.ts";
import type { JobOptions } from "../../pipeline/submit.ts";
import { EXIT, UsageError } from "../exit.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { durationIn, inputSet, labelValue, momentFrom, numberIn } from "../option-values.ts";
import {
  type BudgetOptions,
  budgetOf,
  given,
  inputOptions,
  newJobOptions,
  placeOptions,
  type PlaceOptions,
  type ToAction,
} from "../options.ts";
import { jobJson } from "../render/job-json.ts";
import { paceNote } from "../service/submission.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, throttled, withCommandName } from "../terminal.ts";
import { counted, countText, fitText, plainText, shellWord } from "../text.ts";

const HELP = `
Prints the job ID and returns; workers run the job. If the upload breaks, it continues where it stopped. After an interrupt, continue it
with --job.

Examples:
  sluice submit county --input parcels.csv --server http://127.0.0.1:7070 --label team=tax
  sluice submit county --input parcels.csv.gz --priority 5 --deadline 12h --max-requests 100000
  sluice submit county --input-set parcels@3
  sluice submit --job last --input parcels.csv`;

interface SubmitOptions extends PlaceOptions, BudgetOptions {
  readonly input?: string;
  readonly inputSet?: Extract<InputsFrom, { readonly set: string }>;
  readonly format?: InputFormat;
  readonly job?: string;
  readonly rate?: number;
  readonly maxItems?: number;
  readonly proxies?: readonly string[];
  /** False for `--no-extract`. */
  readonly extract: boolean;
  readonly priority?: number;
  readonly maxAttempts?: number;
  /** Milliseconds since 1970. */
  readonly deadline?: number;
  readonly maxAge?: number;
  readonly onlyChanged: boolean;
  readonly label?: Readonly<Record<string, string>>;
  readonly webhook?: string;
  readonly progressEvery?: number;
}

export const register = (program: Command, toAction: ToAction): void => {
  const submit = program
    .command("submit")
    .summary("Start a job for workers to run")
    .description("Start a job for the workers of a server or of a data folder")
    .argument("[scraper]", "name in the project or on the server; without --server, also a path");
  newJobOptions(inputOptions(submit))
    .option(
      "--input-set <name[@version]>",
      "inputs of an input set in place of --input, its newest version by default",
      inputSet,
    )
    .option("--job <job>", "continue the upload of this job instead of starting one")
    .option("--priority <n>", "order among your jobs in a lane; higher runs first", numberIn("priority"))
    .option("--max-attempts <n>", "try each item at most N times", numberIn("maxAttempts"))
    .option(
      "--deadline <when>",
      "cancel unfinished items at this time, or after a duration such as 12h",
      momentFrom(Date.now),
    )
    .option(
      "--max-age <duration>",
      "reuse pages fetched within this time; 0 always fetches",
      durationIn("maxAgeMs"),
    )
    .option("--only-changed", "skip items that have not changed since the previous run", false)
    .option("--label <name=value>", "label to find the job by; repeatable", labelValue)
    .option("--webhook <url>", "send the job's events to this URL")
    .option("--progress-every <duration>", "send progress events at this interval", durationIn("progressMs"))
    .addHelpText("after", HELP);
  placeOptions(submit).action(toAction(submitJob));
};

const SAY_MS = 5000;

const submitJob = async (scraper: string | undefined, options: SubmitOptions): Promise<number> => {
  const { input: file, inputSet: inputsFrom, format, job, rate, maxItems, extract, json } = options;
  if (file === undefined && !inputsFrom)
    throw new UsageError(
      "no inputs. Name a file with --input FILE, read stdin with --input -, or name an input set with --input-set.",
    );
  if (inputsFrom && (file !== undefined || format !== undefined || job !== undefined))
    throw new UsageError("--input-set starts a new job: omit --input, --format and --job.");
  const input = file ?? "";
  if (scraper === undefined && job === undefined)
    throw new UsageError("no scraper. Name one, or continue the upload of a job with --job ID.");
  if (!inputsFrom) checkInput(input);
  const { isReadOnce } = await import("../../inputs/open-inputs.ts");
  await using verbs = await openVerbs(options, { makes: true });
  const known = job === undefined ? undefined : await verbs.findJob(job);
  if (known?.isSealed)
    throw new UsageError(
      `${known.spec.id}: the job already has all of its inputs. Omit --job to start another.`,
    );
  const say = (text: string) => void (json || process.stderr.write(`${withCommandName(text)}\n`));
  let started = "";
  const sayRest = (what: string) =>
    say(
      inputsFrom
        ? `${started}: ${what}A controller loads the rest of its inputs (\`sluice serve\`), or cancel it:\n  sluice jobs cancel ${started}${verbs.flag}`
        : `${started}: ${what}${restText(started, isReadOnce(input) ? "FILE" : shellWord(input), verbs.flag)}`,
    );
  using interrupts = listenForInterrupts(() => process.exit(EXIT.interrupted));
  // Accepted inputs are stored already: there is nothing to finish.
  interrupts.signal.addEventListener("abort", () => {
    if (started === "")
      say(`Interrupted. If the job was created already, \`sluice jobs ls${verbs.flag}\` shows it.`);
    else sayRest("interrupted. ");
    process.exit(EXIT.interrupted);
  });
  const submitted = verbs.submit({
    scraper: scraper ?? known!.spec.source,
    input,
    extracts: extract,
    options: jobOptionsOf(options),
    ...given({ format, job: known?.spec.id, perSecond: rate, maxItems, inputsFrom }),
    onJob: (id) => void (started = id),
    onBreak: (reason) => say(`${started}: the upload broke: ${reason} Continuing where it stopped.`),
    onProgress: throttled(SAY_MS, (received) => say(`${started}: ${counted(received, "input")} sent`)),
  });
  const { view } = await submitted.catch(async (error: unknown) => {
    // A server that cannot be reached has not ended the job either.
    const left = started === "" ? undefined : await verbs.findJob(started).catch(() => ({ isSealed: false }));
    if (left?.isSealed === false) sayRest("");
    throw error;
  });
  const { id } = view.spec;
  // Only the ID on stdout, for `JOB=$(sluice submit …)`.
  print([json ? JSON.stringify(jobJson(view)) : id]);
  for (const line of summary(view)) say(line);
  const note = known ? undefined : paceNote(rate, { ...view.spec, perSecond: view.spec.pace.perSecond });
  if (note !== undefined) say(`  ${note}`);
  const isEmpty = view.isSealed && view.counts.accepted === 0;
  if (!isEmpty) say(`  sluice jobs watch ${id}${verbs.flag}`);
  // A server has its own workers, and only operators may list them.
  if (!isEmpty && options.server === undefined && (await verbs.workers()).length === 0)
    say(
      `No worker is running. Start one with \`sluice worker${verbs.flag}\`, or run the job here with \`sluice resume ${id}${verbs.flag}\`.`,
    );
  if (options.input === "-") process.stdin.destroy(); // an open pipe would keep the process alive
  return view.counts.rejected + view.counts.capped > 0 ? EXIT.someFailed : EXIT.ok;
};

/** What to do with a job that is missing some of its inputs. */
const restText = (job: string, input: string, flag: string): string =>
  "The job waits for the rest of its inputs. Send them all again (duplicates are ignored):\n" +
  `  sluice submit --job ${job} --input ${input}${flag}\n` +
  `or finish it with the inputs that it has:\n  sluice jobs seal ${job}${flag}\n` +
  `or cancel it:\n  sluice jobs cancel ${job}${flag}`;

/** Checked before the job exists: a job without inputs would wait for them. */
const checkInput = (input: string): void => {
  if (input === "-") return;
  try {
    accessSync(input, constants.R_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT";
    throw new UsageError(
      isMissing
        ? `${input}: the file does not exist. Check the path, or use - for stdin.`
        : `${input}: it cannot be read (${code}). Check that it is a file, and its permissions.`,
    );
  }
};

const SHOWN_REJECTS = 3;
const WIDTH = 100;

const summary = ({ spec, counts, rejects, isSealed }: JobView): string[] => {
  if (!isSealed) return ["  The server loads its inputs."];
  const parts = [
    counted(counts.accepted, "item"),
    ...(counts.folded > 0 ? [counted(counts.folded, "duplicate")] : []),
    ...(counts.rejected > 0 ? [`${countText(counts.rejected)} rejected`] : []),
    ...(counts.capped > 0 ? [`${countText(counts.capped)} capped`] : []),
  ];
  const examples = rejects
    .slice(0, SHOWN_REJECTS)
    .map(({ line, problem }) => fitText(`  line ${line}: ${plainText(problem)}`, WIDTH));
  const reason =
    counts.rejected > 0 ? `no input is valid for scraper ${spec.scraper}` : "there were no inputs";
  return [
    `  ${parts.join(", ")}`,
    ...(counts.accepted > 0 ? [] : [`  The job is empty: ${reason}.`]),
    ...examples,
  ];
};

const jobOptionsOf = (options: SubmitOptions): JobOptions => {
  const { priority, maxAttempts, deadline, maxAge, onlyChanged } = options;
  const { label, webhook, progressEvery } = options;
  const freshness = { ...given({ maxAgeMs: maxAge }), ...(onlyChanged && { onlyChanged }) };
  return {
    ...given({ priority, maxAttempts, deadlineAt: deadline }),
    ...budgetOf(options),
    ...(Object.keys(freshness).length > 0 && { freshness }),
    ...given({ proxies: options.proxies && [...options.proxies] }),
    ...given({ labels: label, webhook, progressMs: progressEvery }),
  };
};
