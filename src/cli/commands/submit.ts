import { accessSync, constants } from "node:fs";
import type { JobOptions } from "../../pipeline/submit.ts";
import type { InputFormat } from "../../inputs/input-format.ts";
import { isReadOnce } from "../../inputs/open-inputs.ts";
import type { JobView } from "../../domain/job.ts";
import { withCommandName } from "../command-name.ts";
import { EXIT } from "../exit-codes.ts";
import { fitText, plainText } from "../fit-text.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { jobJson } from "../job-json.ts";
import { counted, countText } from "../number-text.ts";
import type { PlaceOptions } from "../options.ts";
import { print } from "../print.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { shellWord } from "../shell-word.ts";
import { UsageError } from "../usage-error.ts";

export interface SubmitOptions extends PlaceOptions {
  readonly input?: string;
  readonly format?: InputFormat;
  readonly job?: string;
  readonly rate?: number;
  readonly maxItems?: number;
  /** False for `--no-extract`. */
  readonly extract: boolean;
  readonly priority?: number;
  readonly maxAttempts?: number;
  /** Milliseconds since 1970. */
  readonly deadline?: number;
  readonly maxRequests?: number;
  readonly maxBytes?: number;
  readonly maxAge?: number;
  readonly onlyChanged: boolean;
  readonly label?: Readonly<Record<string, string>>;
  readonly webhook?: string;
  readonly progressEvery?: number;
}

const SAY_MS = 5000;

/** Starts a job and leaves it to workers: those of the server, or of the data folder. */
export const submitCommand = async (scraper: string | undefined, options: SubmitOptions): Promise<number> => {
  const { input, format, job, rate, maxItems, extract, json } = options;
  if (input === undefined)
    throw new UsageError("no inputs given. Name a file with --input FILE, or pipe them in with --input -");
  if (scraper === undefined && job === undefined)
    throw new UsageError("no scraper given. Name it, or a job whose inputs are to go on with --job ID.");
  checkInput(input);
  await using verbs = await openVerbs(options, { makes: true });
  const known = job === undefined ? undefined : await verbs.findJob(job);
  if (known?.isSealed)
    throw new UsageError(`${known.spec.id}: it has all of its inputs. Leave --job out to start another.`);
  const say = (text: string) => void (json || process.stderr.write(`${withCommandName(text)}\n`));
  let saidAt = performance.now();
  let started = "";
  using interrupts = listenForInterrupts(() => process.exit(EXIT.interrupted));
  // What was taken is taken: nothing is to be finished here.
  interrupts.signal.addEventListener("abort", () => {
    say(
      started === ""
        ? `Interrupted. If there is a job already, \`sluice jobs ls${verbs.flag}\` shows it.`
        : `${started}: interrupted. ${restText(started, input, verbs.flag)}`,
    );
    process.exit(EXIT.interrupted);
  });
  const submitted = verbs.submit({
    scraper: scraper ?? known!.spec.source,
    input,
    extracts: extract,
    options: jobOptionsOf(options),
    ...(format && { format }),
    ...(known && { job: known.spec.id }),
    ...(rate !== undefined && { perSecond: rate }),
    ...(maxItems !== undefined && { maxItems }),
    onJob: (id) => void (started = id),
    onBreak: (reason) => say(`${started}: the upload broke off: ${reason} Going on where it stopped.`),
    onProgress: (received) => {
      if (performance.now() - saidAt < SAY_MS) return;
      saidAt = performance.now();
      say(`${started}: ${counted(received, "input")} taken`);
    },
  });
  const { view } = await submitted.catch(async (error: unknown) => {
    // A server that cannot be reached has not been able to end the job either.
    const left = started === "" ? undefined : await verbs.findJob(started).catch(() => ({ isSealed: false }));
    if (left?.isSealed === false) say(`${started}: ${restText(started, input, verbs.flag)}`);
    throw error;
  });
  const { id } = view.spec;
  // The id stands alone: `JOB=$(sluice submit …)` takes it.
  print([json ? JSON.stringify(jobJson(view)) : id]);
  for (const line of summary(view)) say(line);
  const isEmpty = view.counts.accepted === 0;
  if (!isEmpty) say(`  sluice jobs watch ${id}${verbs.flag}`);
  // A server has its own, and only operators may ask for them.
  if (!isEmpty && options.server === undefined && (await verbs.workers()).length === 0)
    say(
      `No worker is there to run it. Start one with \`sluice worker${verbs.flag}\`, or run it here with \`sluice resume ${id}${verbs.flag}\`.`,
    );
  if (options.input === "-") process.stdin.destroy(); // an open pipe would keep the process
  return view.counts.rejected + view.counts.capped > 0 ? EXIT.someFailed : EXIT.ok;
};

/** Ways out for a job that is left without the rest of its inputs. */
const restText = (job: string, input: string, flag: string): string =>
  "The job waits for the rest of its inputs. Send them all again (what it has is folded):\n" +
  `  sluice submit --job ${job} --input ${isReadOnce(input) ? "FILE" : shellWord(input)}${flag}\n` +
  `or let it end with those that it has:\n  sluice jobs seal ${job}${flag}\n` +
  `or end the job:\n  sluice jobs cancel ${job}${flag}`;

/** Looked at before there is a job: one without inputs would wait for them. */
const checkInput = (input: string): void => {
  if (input === "-") return;
  try {
    accessSync(input, constants.R_OK);
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
    const what = isGone ? "there is no such file" : "it cannot be read";
    throw new UsageError(`${input}: ${what}. Check the path, or use - for stdin.`);
  }
};

const SHOWN_REJECTS = 3;
const WIDTH = 100;

const summary = ({ spec, counts, rejects }: JobView): string[] => {
  const parts = [
    counted(counts.accepted, "item"),
    ...(counts.folded > 0 ? [`${countText(counts.folded)} folded into items with the same key`] : []),
    ...(counts.rejected > 0 ? [`${countText(counts.rejected)} rejected`] : []),
    ...(counts.capped > 0 ? [`${countText(counts.capped)} capped`] : []),
  ];
  const examples = rejects
    .slice(0, SHOWN_REJECTS)
    .map(({ line, problem }) => fitText(`  line ${line}: ${plainText(problem)}`, WIDTH));
  const emptiness =
    counts.accepted > 0
      ? []
      : counts.rejected > 0
        ? [`  No input fits the scraper ${spec.scraper}: the job is empty, and nothing runs.`]
        : ["  There were no inputs: the job is empty, and nothing runs."];
  return [`  ${parts.join(", ")}`, ...emptiness, ...examples];
};

const jobOptionsOf = (options: SubmitOptions): JobOptions => {
  const { priority, maxAttempts, deadline, maxRequests, maxBytes, maxAge, onlyChanged } = options;
  const { label, webhook, progressEvery } = options;
  const budget = {
    ...(maxRequests !== undefined && { requests: maxRequests }),
    ...(maxBytes !== undefined && { bytes: maxBytes }),
  };
  const freshness = {
    ...(maxAge !== undefined && { maxAgeMs: maxAge }),
    ...(onlyChanged && { onlyChanged }),
  };
  return {
    ...(priority !== undefined && { priority }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(deadline !== undefined && { deadlineAt: deadline }),
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(Object.keys(freshness).length > 0 && { freshness }),
    ...(label && { labels: label }),
    ...(webhook !== undefined && { webhook }),
    ...(progressEvery !== undefined && { progressMs: progressEvery }),
  };
};
