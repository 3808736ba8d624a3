import { setTimeout as delay } from "node:timers/promises";
import { type Controller, openController, openJobLog } from "../../compose.ts";
import { takeLanePolicy } from "../../config/check-config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { storageLocation } from "../../config/storage-location.ts";
import type { Log, LogLevel } from "../../worker/log.ts";
import { EXIT } from "../exit-codes.ts";
import { exposureText } from "../exposure.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { print } from "../print.ts";
import { runWorkers } from "../run-workers.ts";
import { noteChange } from "../service/audit-local.ts";
import { readTls, tlsFiles, watchTls } from "../tls-files.ts";
import { UsageError } from "../usage-error.ts";
import { wideRights } from "../wide-rights.ts";

export interface ServeOptions {
  readonly data: string;
  readonly host?: string;
  readonly port?: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly minFreeMb: number;
  /** False for `--no-key`. */
  readonly key: boolean;
  readonly workers?: number;
  readonly concurrency?: number;
  /** In milliseconds. */
  readonly drain: number;
  readonly logLevel: LogLevel;
  readonly json: boolean;
  readonly quiet: boolean;
}

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7070;
/** Workers that cannot work are started again, later and later. */
const RESTART_MS = 1000;
const MAX_RESTART_MS = 60_000;
/** A stop does not wait longer for requests that are being answered. */
const CLOSE_MS = 10_000;

/** The API, the duties and, if asked for, workers, until it is told to stop. */
export const serveCommand = async (options: ServeOptions): Promise<number> => {
  const project = await loadConfig();
  takeLanePolicy(project);
  const { data, logLevel } = options;
  const host = options.host ?? project?.server?.host ?? DEFAULT_HOST;
  const port = options.port ?? project?.server?.port ?? DEFAULT_PORT;
  const tls = tlsFiles(options.tlsCert, options.tlsKey) ?? project?.server?.tls;
  const killed = new AbortController();
  using interrupts = listenForInterrupts(() => killed.abort(), options.drain);
  const log = openJobLog(data, "controller", logLevel);
  await using controller = await openController({
    location: storageLocation({ data }),
    project,
    log,
    minFreeBytes: options.minFreeMb * 1e6,
    ...(tls && { tls: readTls(tls) }),
    fixturesOf: async (source) => {
      const { fixtureStatus } = await import("../../devtools/fixture-status.ts");
      return await fixtureStatus(source);
    },
  });
  const key = options.key ? await controller.makeFirstKey() : undefined;
  if (key !== undefined)
    await noteChange(data, { action: "createKey", target: "default", detail: { role: "admin" } });
  if (!(await controller.mayListen(host)))
    throw new UsageError(
      `${host}: without keys the API listens on this machine only. Leave --no-key out, or listen on ${DEFAULT_HOST}.`,
    );
  const url = await listen(controller, host, port).catch((error: unknown) => {
    // It is made, and no later start could show it.
    if (key !== undefined) showKey(options, key);
    throw error;
  });
  announce(options, url, key);
  if (controller.isExposed(host)) say(options, "exposed", exposureText(host, url, tls !== undefined));
  const wide = wideRights(data);
  if (wide !== undefined) say(options, "wide-rights", wide);
  log.info("listening", { url });
  const over = new AbortController();
  const signal = AbortSignal.any([interrupts.signal, over.signal]);
  if (tls) watchTls(tls, (renewed) => controller.renewTls(renewed), signal);
  const duties = controller.runTasks(signal);
  const working = keepWorking(controller, options, {
    log,
    signal,
    killed: killed.signal,
    ...(project?.allowTargets && { allowTargets: project.allowTargets }),
  });
  try {
    await aborted(signal);
    say(options, "draining", "Stopping: finishing what is in hand. Interrupt again to stop at once.");
    await Promise.race([
      controller.close(),
      delay(CLOSE_MS, undefined, { ref: false }),
      aborted(killed.signal),
    ]);
    await Promise.all([working, Promise.race([duties, aborted(killed.signal)])]);
  } finally {
    over.abort();
  }
  log.info("stopped", { url });
  return killed.signal.aborted ? EXIT.interrupted : EXIT.ok;
};

const listen = async (controller: Controller, host: string, port: number): Promise<string> => {
  try {
    return await controller.listen(host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new UsageError(`port ${port}: somebody else listens there. Choose another with --port N, or 0.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new UsageError(`${host}: this machine has no such address. Choose another with --host ADDRESS.`);
    if (code === "EACCES")
      throw new UsageError(
        `port ${port}: no permission to listen there. Choose one above 1023 with --port N.`,
      );
    throw error;
  }
};

interface Working {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly killed: AbortSignal;
  readonly allowTargets?: readonly string[];
}

/** A full disk or a locked ledger passes: the API stays, and workers come back when they can. */
const keepWorking = async (
  { storage }: Controller,
  options: ServeOptions,
  { log, signal, killed, allowTargets }: Working,
): Promise<void> => {
  const { workers: processes, concurrency, logLevel } = options;
  if (processes === undefined) return;
  for (let waitMs = RESTART_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_RESTART_MS)) {
    try {
      await runWorkers({
        storage,
        processes,
        logLevel,
        log,
        say: (line) => say(options, "output", line),
        signal,
        killed,
        ...(concurrency !== undefined && { concurrency }),
        ...(allowTargets && { allowTargets }),
      });
    } catch (error) {
      const { message } = error as Error;
      log.error("workers failed", { message, againInMs: waitMs });
      say(options, "workers-failed", `Workers cannot work: ${message} Trying again in ${waitMs / 1000} s.`);
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** The URL goes to standard output, for programs that wait for it. The key is shown this once, and kept nowhere. */
const announce = (options: ServeOptions, url: string, key: string | undefined): void => {
  if (options.json) return print([JSON.stringify({ type: "listening", url, ...(key && { key }) })]);
  print([`Sluice listens on ${url}`]);
  if (key === undefined) return;
  showKey(options, key);
  print(["Keep it with this command, which asks for the key:", `  sluice login --server ${url}`]);
};

const showKey = ({ json }: ServeOptions, key: string): void =>
  print([json ? JSON.stringify({ type: "key", key }) : `Admin key, shown this once: ${key}`]);

const say = ({ json, quiet }: ServeOptions, type: string, text: string): void => {
  if (json) print([JSON.stringify({ type, text })]);
  else if (!quiet) process.stderr.write(`${text}\n`);
};
