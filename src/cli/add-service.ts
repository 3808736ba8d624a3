import { type Command, Option } from "commander";
import { COLLECTOR_KINDS } from "../domain/job-version.ts";
import type { ServeOptions } from "./commands/serve.ts";
import type { WorkerOptions } from "./commands/worker.ts";
import type { LoginOptions } from "./commands/login.ts";
import type { SubmitOptions } from "./commands/submit.ts";
import { dataOption, inputOptions, logOptions, placeOptions, timeoutOption } from "./common-options.ts";
import { DRAIN_MS } from "./interrupts.ts";
import {
  durationIn,
  labelValue,
  listOf,
  momentFrom,
  namesOf,
  portNumber,
  numberIn,
  processCount,
} from "./option-values.ts";

const SERVE_HELP = `
The first start makes the client \`default\` and an admin key, and prints the key once. \`sluice login\` keeps it.

Examples:
  sluice serve --workers 2                        API, duties and two worker processes
  sluice serve --host 0.0.0.0 --port 7070         workers elsewhere: \`sluice worker\`
  sluice submit county --input parcels.csv --server http://127.0.0.1:7070`;

const WORKER_HELP = `
A worker is stopped with SIGTERM, SIGHUP or Ctrl-C: it finishes what it has in hand, for up to --drain. Ended at once, it loses nothing: its items go back.

Examples:
  sluice worker --processes 2
  sluice worker --lanes tax.example.gov,maps.example.gov --concurrency 20
  sluice worker --ledger https://sluice.example.org --key-file worker.key    on another machine, see docs/many-machines.md`;

const LOGIN_HELP = `
SLUICE_KEY in the environment goes before the key that is kept.

Examples:
  sluice login --server http://127.0.0.1:7070
  sluice login --server https://sluice.example.org < key.txt`;

const SUBMIT_HELP = `
The job is left to workers, and its id is printed. An upload that breaks off goes on where it stopped; after an interrupt, name the job.

Examples:
  sluice submit county --input parcels.csv --server http://127.0.0.1:7070 --label team=tax
  sluice submit county --input parcels.csv.gz --priority 5 --deadline 12h --max-requests 100000
  sluice submit --job last --input parcels.csv`;

/** The processes of the service, and the ways to it: `serve`, `worker`, `login`, `submit`. */
export const addService = (program: Command, onEnd: (exitCode: number) => void): void => {
  const serve = program
    .command("serve")
    .summary("run the controller: API, duties, and workers if asked for")
    .description(
      "Runs the controller: the REST API, the duties in the background and, if asked for, workers.",
    )
    .addOption(new Option("--host <host>", "address to listen on").env("SLUICE_HOST"))
    .addOption(
      new Option("--port <n>", "port to listen on; 0 for a free one")
        .env("SLUICE_PORT")
        .argParser(portNumber),
    )
    .addOption(new Option("--tls-cert <file>", "certificate in PEM form, for HTTPS").env("SLUICE_TLS_CERT"))
    .addOption(new Option("--tls-key <file>", "its key in PEM form").env("SLUICE_TLS_KEY"))
    .option("--no-key", "make no admin key on the first start: then the API listens on this machine only")
    .addOption(
      new Option("--min-free-mb <n>", "not ready (/readyz) with less free space for the data folder")
        .env("SLUICE_MIN_FREE_MB")
        .argParser(numberIn("freeMb"))
        .default(100),
    )
    .option("--workers <n>", "worker processes on this machine", processCount)
    .option("--concurrency <n>", "items in hand at once, of each process", numberIn("concurrency"))
    .addHelpText("after", SERVE_HELP);
  processOptions(serve).action(async (options: ServeOptions) => {
    const { serveCommand } = await import("./commands/serve.ts");
    onEnd(await serveCommand(options));
  });

  const worker = program
    .command("worker")
    .summary("work for all jobs of a data folder, or of a controller")
    .description("Takes items of all jobs of a data folder, or of a controller, until it is stopped.")
    .addOption(
      new Option(
        "--ledger <url>",
        "work for the controller at this address (`ledger` of sluice.config.ts)",
      ).env("SLUICE_LEDGER"),
    )
    .addOption(
      new Option(
        "--key-file <file>",
        "file with a key of the role worker, for --ledger; SLUICE_KEY when left out",
      ).env("SLUICE_KEY_FILE"),
    )
    .option("--processes <n>", "worker processes", processCount, 1)
    .option("--concurrency <n>", "items in hand at once, of each process", numberIn("concurrency"))
    .option("--lanes <names>", "only items of these lanes", listOf)
    .option(
      "--kinds <kinds>",
      `only jobs that need no other kinds than these: ${COLLECTOR_KINDS.join(", ")}`,
      namesOf(COLLECTOR_KINDS),
    )
    .addHelpText("after", WORKER_HELP);
  processOptions(worker).action(async (options: WorkerOptions) => {
    const { workerCommand } = await import("./commands/worker.ts");
    onEnd(await workerCommand(options));
  });

  addSubmitting(program, onEnd);
};

const addSubmitting = (program: Command, onEnd: (exitCode: number) => void): void => {
  program
    .command("login")
    .summary("keep a server's API key")
    .description("Keeps a server's API key in your own configuration. It is asked for, or read from a pipe.")
    .addOption(new Option("--server <url>", "the server, such as http://127.0.0.1:7070").env("SLUICE_SERVER"))
    .addOption(timeoutOption())
    .option("--json", "print JSON, one object a line", false)
    .addHelpText("after", LOGIN_HELP)
    .action(async (options: LoginOptions) => {
      const { loginCommand } = await import("./commands/login.ts");
      onEnd(await loginCommand(options));
    });

  const submit = program
    .command("submit")
    .summary("start a job and leave it to workers")
    .description("Starts a job and leaves it to workers: of a server, or of the data folder.")
    .argument("[scraper]", "its name in the project or on the server; a path too, without --server");
  inputOptions(submit)
    .option("--job <job>", "go on with the inputs of this job instead of starting one")
    .option(
      "--max-items <n>",
      "at most N items in all, those that are found on the way included",
      numberIn("maxItems"),
    )
    .option("--no-extract", "only collect and keep the pages")
    .option("--rate <n>", "at most N requests a second in each lane, for this job", numberIn("perSecond"))
    .option("--priority <n>", "among your jobs in a lane, higher comes first", numberIn("priority"))
    .option("--max-attempts <n>", "try no item more often", numberIn("maxAttempts"))
    .option(
      "--deadline <when>",
      "cancel what has not ended then: a moment, or a while such as 12h",
      momentFrom(Date.now),
    )
    .option("--max-requests <n>", "what comes after so many requests fails", numberIn("requests"))
    .option("--max-bytes <n>", "what comes after so many bytes fails", numberIn("bytes"))
    .option(
      "--max-age <while>",
      "a page fetched so recently is good enough; 0 always fetches",
      durationIn("maxAgeMs"),
    )
    .option("--only-changed", "skip items that are as they were the last time", false)
    .option("--label <name=value>", "a name of your own to find it by; again for each", labelValue)
    .option("--webhook <url>", "told of its events")
    .option("--progress-every <while>", "tell webhooks of its progress so often", durationIn("progressMs"))
    .addHelpText("after", SUBMIT_HELP);
  placeOptions(submit).action(async (scraper: string | undefined, options: SubmitOptions) => {
    const { submitCommand } = await import("./commands/submit.ts");
    onEnd(await submitCommand(scraper, options));
  });
};

const processOptions = (command: Command): Command =>
  logOptions(command)
    .addOption(dataOption())
    .addOption(
      new Option("--drain <time>", "how long a stop waits for what is in hand")
        .argParser(durationIn("drainMs"))
        .default(DRAIN_MS, "8s"),
    )
    .option("--json", "print JSON, one object a line", false)
    .option("--quiet", "print nothing but errors", false);
