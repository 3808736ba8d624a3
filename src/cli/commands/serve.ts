import { type Command, Option } from "commander";
import { COLLECTOR_KINDS } from "../../domain/job-version.ts";
import { DRAIN_MS } from "../interrupts.ts";
import {
  durationIn,
  listOf,
  namesOf,
  leastProcesses,
  numberIn,
  portNumber,
  processCount,
  processRange,
} from "../option-values.ts";
import { dataOptions, logOptions, quietOption, lazy, type ToAction } from "../options.ts";

const SERVE_HELP = `
The first start creates the client \`default\` with an admin key, and prints the key once. Store it with \`sluice login\`.

Examples:
  sluice serve --workers 2                        API, background tasks and two worker processes
  sluice serve --host 0.0.0.0 --port 7070         start the workers elsewhere with \`sluice worker\`
  sluice submit county --input parcels.csv --server http://127.0.0.1:7070`;

const WORKER_HELP = `
Stop a worker with SIGTERM, SIGHUP or Ctrl-C: it finishes its items in flight, for at most --drain. If it is killed instead, no item is lost:
other workers run its items again.

Examples:
  sluice worker --processes 2
  sluice worker --min 0 --max 8                    as many as are useful, see \`sluice scale\`
  sluice worker --lanes tax.example.gov,maps.example.gov --concurrency 20
  sluice worker --ledger https://sluice.example.org --key-file worker.key    on another machine, see docs/many-machines.md`;

/** Long-running processes: `serve`, `worker`. */
export const register = (program: Command, toAction: ToAction): void => {
  const serve = program
    .command("serve")
    .description("Run the server: REST API, background tasks and, with --workers, workers")
    .addOption(new Option("--host <host>", "address to listen on").env("SLUICE_HOST"))
    .addOption(
      new Option("--port <n>", "port to listen on; 0 for any free port")
        .env("SLUICE_PORT")
        .argParser(portNumber),
    )
    .addOption(new Option("--tls-cert <file>", "certificate in PEM format, for HTTPS").env("SLUICE_TLS_CERT"))
    .addOption(
      new Option("--tls-key <file>", "private key of the certificate, in PEM format").env("SLUICE_TLS_KEY"),
    )
    .option(
      "--no-key",
      "do not create an admin key on the first start; the API then listens on loopback only",
    )
    .addOption(
      new Option("--min-free-mb <n>", "make /readyz fail if less disk space than this is free")
        .env("SLUICE_MIN_FREE_MB")
        .argParser(numberIn("freeMb"))
        .default(100),
    )
    .option(
      "--workers <n>",
      "number of worker processes on this machine, or a range such as 0-8 for as many as are useful",
      processRange,
    )
    .option("--concurrency <n>", "items in flight per worker process", numberIn("concurrency"))
    .addHelpText("after", SERVE_HELP);
  processOptions(serve).action(
    toAction(lazy(async () => (await import("../actions/serve.ts")).serveCommand)),
  );

  const worker = program
    .command("worker")
    .description("Run workers for all jobs of a data folder or a server, until stopped")
    .addOption(
      new Option(
        "--key-file <file>",
        "for --ledger: file with a key of role worker; default is SLUICE_KEY",
      ).env("SLUICE_KEY_FILE"),
    )
    .addOption(
      new Option("--processes <n>", "number of worker processes")
        .argParser(processCount)
        .default(1)
        .conflicts(["min", "max"]),
    )
    .option("--min <n>", "run at least N processes, and more if they are useful", leastProcesses)
    .option("--max <n>", "run at most N processes; default is the number of cores", processCount)
    .option("--concurrency <n>", "items in flight per process", numberIn("concurrency"))
    .option("--lanes <names>", "only items of these lanes", listOf)
    .option(
      "--kinds <kinds>",
      `only jobs whose scrapers are all of these kinds: ${COLLECTOR_KINDS.join(", ")}`,
      namesOf(COLLECTOR_KINDS),
    )
    .addHelpText("after", WORKER_HELP);
  processOptions(worker).action(
    toAction(lazy(async () => (await import("../actions/worker.ts")).workerCommand)),
  );
};

const processOptions = (command: Command): Command =>
  dataOptions(
    logOptions(command).addOption(
      new Option("--drain <duration>", "how long to wait for items in flight when stopping")
        .argParser(durationIn("drainMs"))
        .default(DRAIN_MS, "8s"),
    ),
  ).addOption(quietOption());
