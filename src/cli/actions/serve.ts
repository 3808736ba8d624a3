import { readFileSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import { type Controller, openController } from "../../compose-controller.ts";
import { openJobLog } from "../../worker/log.ts";
import { takeInheritedSettings } from "../../config/check-config.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { Log } from "../../worker/log.ts";
import { EXIT, UsageError } from "../exit.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { given } from "../options.ts";
import {
  DRAINING,
  type ProcessOptions,
  type ProcessRange,
  runWorkers,
  say,
  wideRights,
} from "../run-workers.ts";
import { noteChange } from "../service/audit-local.ts";
import { print } from "../terminal.ts";

export interface ServeOptions extends ProcessOptions {
  readonly host?: string;
  readonly port?: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly minFreeMb: number;
  /** False for `--no-key`. */
  readonly key: boolean;
  readonly workers?: ProcessRange;
}

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7070;
/** Workers that fail are started again, after longer and longer delays. */
const RESTART_MS = 1000;
const MAX_RESTART_MS = 60_000;
/** How long a stop waits for requests in progress. */
const CLOSE_MS = 10_000;

export const serveCommand = async (options: ServeOptions): Promise<number> => {
  const project = await loadConfig();
  takeInheritedSettings(project);
  const { location, logLevel } = options;
  const { data } = location;
  const host = options.host ?? project?.server?.host ?? DEFAULT_HOST;
  const port = options.port ?? project?.server?.port ?? DEFAULT_PORT;
  const tls = tlsFiles(options.tlsCert, options.tlsKey) ?? project?.server?.tls;
  const killed = new AbortController();
  using interrupts = listenForInterrupts(() => killed.abort(), options.drain);
  const log = openJobLog(data, "controller", logLevel);
  await using controller = await openController({
    location,
    project,
    log,
    minFreeBytes: options.minFreeMb * 1e6,
    ...(tls && { tls: readTls(tls) }),
    fixturesOf: async (source) => {
      const { fixtureStatus } = await import("../../devtools/test-fixtures.ts");
      return await fixtureStatus(source);
    },
  });
  const key = options.key ? await controller.makeFirstKey() : undefined;
  if (key !== undefined)
    await noteChange(location, { action: "createKey", target: "default", detail: { role: "admin" } });
  if (!(await controller.mayListen(host)))
    throw new UsageError(
      `${host}: without keys, the API listens only on loopback. Omit --no-key, or use --host ${DEFAULT_HOST}.`,
    );
  const url = await listen(controller, host, port).catch((error: unknown) => {
    // The key exists, and no later start could show it.
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
  const tasks = controller.runTasks(signal);
  const working = keepWorking(controller, options, {
    log,
    signal,
    killed: killed.signal,
    ...given({ allowTargets: project?.allowTargets }),
  });
  try {
    await aborted(signal);
    say(options, "draining", DRAINING);
    await Promise.race([
      controller.close(),
      delay(CLOSE_MS, undefined, { ref: false }),
      aborted(killed.signal),
    ]);
    await Promise.all([working, Promise.race([tasks, aborted(killed.signal)])]);
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
      throw new UsageError(
        `port ${port}: already in use. Choose another with --port N, or 0 for any free port.`,
      );
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new UsageError(`${host}: not an address of this machine. Choose another with --host ADDRESS.`);
    if (code === "EACCES")
      throw new UsageError(
        `port ${port}: no permission to listen on it. Choose one above 1023 with --port N.`,
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

/** A full disk or a locked ledger is temporary: the API stays up, and workers are started again. */
const keepWorking = async (
  { storage }: Controller,
  options: ServeOptions,
  { log, signal, killed, allowTargets }: Working,
): Promise<void> => {
  const { workers: processes, concurrency, logLevel, drain } = options;
  if (processes === undefined) return;
  for (let waitMs = RESTART_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_RESTART_MS)) {
    try {
      await runWorkers({
        storage,
        processes,
        drain,
        logLevel,
        log,
        onOutput: (line) => say(options, "output", line),
        signal,
        killed,
        ...given({ concurrency, allowTargets }),
      });
    } catch (error) {
      const { message } = error as Error;
      log.error("workers failed", { message, againInMs: waitMs });
      say(options, "workers-failed", `Workers failed: ${message} Starting them again in ${waitMs / 1000} s.`);
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** The URL goes to standard output, for programs that wait for it. The key is shown once and stored nowhere. */
const announce = (options: ServeOptions, url: string, key: string | undefined): void => {
  if (options.json) return print([JSON.stringify({ type: "listening", url, ...(key && { key }) })]);
  print([`Listening on ${url}`]);
  if (key === undefined) return;
  showKey(options, key);
  print(["Store it with this command, which asks for the key:", `  sluice login --server ${url}`]);
};

const showKey = ({ json }: ServeOptions, key: string): void =>
  print([json ? JSON.stringify({ type: "key", key }) : `Admin key, shown only once: ${key}`]);

const ALL = new Set(["0.0.0.0", "::", "[::]"]);

/** What others can reach, for a server that listens on more than loopback. */
export const exposureText = (host: string, url: string, isTls: boolean): string => {
  const { port } = new URL(url);
  const own = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);
  const where = ALL.has(host) ? `all addresses of this machine (${own.join(", ") || "only loopback"})` : host;
  const traffic = isTls
    ? "Traffic is encrypted (TLS)."
    : "Traffic is plain HTTP: others on the network can read keys and data. Use --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy with TLS.";
  return (
    `Other machines can reach the API: it listens on ${where}, port ${port}. Every request needs an API key, except /healthz, /readyz, /docs, /openapi.json and /problems. ` +
    traffic
  );
};

/** Paths of PEM files: the certificate with its chain, and its key. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface TlsContents {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Both or neither: a missing file must not silently mean plain HTTP. */
export const tlsFiles = (cert: string | undefined, key: string | undefined): TlsFiles | undefined => {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new UsageError(
    `${cert === undefined ? "--tls-cert" : "--tls-key"} is missing: TLS needs a certificate and its key. Use both options, or neither for plain HTTP.`,
  );
};

export const readTls = (files: TlsFiles): TlsContents => {
  const read = (file: string, option: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      throw new UsageError(
        `${file}: cannot read this file (${(error as NodeJS.ErrnoException).code}). Name a readable PEM file with ${option}.`,
      );
    }
  };
  const contents = { cert: read(files.cert, "--tls-cert"), key: read(files.key, "--tls-key") };
  try {
    createSecureContext(contents);
  } catch (error) {
    throw new UsageError(
      `${files.cert} and ${files.key}: not a certificate and its key in PEM format without a passphrase (${(error as Error).message}).`,
    );
  }
  return contents;
};

const LOOK_MS = 60_000;

/** Reports a renewed certificate. While only one of the two files has been replaced, it looks again later. */
export const watchTls = (
  files: TlsFiles,
  onRenewed: (contents: TlsContents) => void,
  signal: AbortSignal,
  everyMs = LOOK_MS,
): void => {
  const stampOf = (): string =>
    [files.cert, files.key].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs).join(" ");
  let known = stampOf();
  const timer = setInterval(() => {
    const stamp = stampOf();
    if (stamp === known) return;
    try {
      onRenewed(readTls(files));
      known = stamp;
    } catch {
      // Keep using the previous one.
    }
  }, everyMs).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
};
