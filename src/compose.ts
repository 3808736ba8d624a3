import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { extname, join } from "node:path";
import { finished } from "node:stream/promises";
import type { Server as TlsServer } from "node:tls";
import { journaled, journaledRegistry } from "./archive/journaled-ledger.ts";
import { maxRetryAfterMs } from "./config/check-config.ts";
import { ownLoader } from "./config/find-scrapers.ts";
import type { Project } from "./config/load-config.ts";
import type { ControllerContext } from "./api/controller-context.ts";
import type { ScraperCatalog } from "./services/scraper-catalog.ts";
import type { LaneOf } from "./pipeline/plan.ts";
import type { CollectorKind } from "./domain/job-version.ts";
import { laneName } from "./domain/lane-name.ts";
import type { Blobs } from "./ports/blobs.ts";
import type { Collector } from "./ports/collector.ts";
import type { LedgerCheck, LedgerRebuild } from "./ports/ledger-check.ts";
import { type JobLedger, type Ledger, LedgerError } from "./ports/ledger.ts";
import type { Registry } from "./ports/registry.ts";
import { jobLoader, retentionNow } from "./scrapers/load-pinned.ts";
import type { ControllerPlace } from "./worker/controller-place.ts";
import { openJobLog, removeJobLog } from "./worker/job-log.ts";
import { type Log, type LogLevel, logWith } from "./worker/log.ts";
import { isGone, thisProcess } from "./worker/this-process.ts";

export { openJobLog } from "./worker/job-log.ts";

export const SOFTWARE = "sluice/0.1.0";
const ROBOT_NAME = "sluice";
/** In a data folder: jobs, items, clients. */
export const LEDGER_FILE = "sluice.db";

/** What is opened by everybody who works on a data folder. */
export interface Storage extends AsyncDisposable {
  readonly data: string;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  /** Where ledger and archive are; in the data folder when left out. */
  readonly controller?: ControllerPlace;
}

/**
 * Loads what `work` will need, while nothing else is to be done. All of it is loaded on demand: a command that only reads, or a parent that
 * only watches, starts without it.
 */
export const preload = async (): Promise<void> => {
  await Promise.all([
    import("./backends/sqlite/open.ts"),
    import("./backends/files/open-files.ts"),
    import("./collectors/http/http-session.ts"),
    import("./collectors/http/transport.ts"),
    import("./worker/worker.ts"),
    import("./archive/packer.ts"),
  ]);
};

interface StorageOptions {
  /** This process keeps slot timers: the ledger's housekeeping is left to others. */
  readonly isPacing?: boolean;
  /** It answers others: what takes long in the ledger's housekeeping is done on a thread. */
  readonly isServing?: boolean;
  /** Of the ledger; little is enough for one that only reads through it once. */
  readonly cacheMb?: number;
}

export const openStorage = async (
  data: string,
  { isPacing = false, isServing = false, cacheMb }: StorageOptions = {},
): Promise<Storage> => {
  refuseRestoring(data);
  const { openSqlite } = await import("./backends/sqlite/open.ts");
  const maxHoldMs = maxRetryAfterMs();
  const ledger = await openSqlite(join(data, LEDGER_FILE), {
    checkpoints: !isPacing && !isServing,
    hasCheckpointThread: isServing,
    cacheMb: cacheMb ?? (isPacing ? 16 : 64),
    ...(maxHoldMs !== undefined && { maxHoldMs }),
  });
  const blobs = await openBlobs(data);
  return { data, ledger: journaled(ledger, blobs), blobs, [Symbol.asyncDispose]: () => ledger.close() };
};

interface RemoteStorageOptions {
  readonly controller: ControllerPlace;
  /** Aborted: waits for no answer any more. */
  readonly signal?: AbortSignal;
  /** The controller has answered before: it is waited for as long as later. */
  readonly isKnown?: boolean;
  readonly log: Log;
}

/** With the ledger and the archive of a controller on another machine. The data folder has only the logs. */
export const openRemoteStorage = async (
  data: string,
  { controller, signal, isKnown, log }: RemoteStorageOptions,
): Promise<Storage> => {
  const { openRemote } = await import("./backends/remote/open-remote.ts");
  const { ledger, blobs } = await openRemote({
    ...controller,
    version: SOFTWARE,
    log,
    ...(signal && { signal }),
    ...(isKnown && { firstPatienceMs: Infinity }),
  });
  return { data, ledger, blobs, controller, [Symbol.asyncDispose]: () => ledger.close() };
};

/** A look at a data folder's ledger that changes nothing, for `sluice fsck`. */
export const lookAtLedger = async (file: string): Promise<() => LedgerCheck> => {
  const { checkLedger } = await import("./backends/sqlite/check-ledger.ts");
  return () => checkLedger(file);
};

/** A ledger by its file, for the parts of `sluice fsck` and `sluice backup` that read it as a service does. */
export const openLedger = async (file: string): Promise<Ledger> => {
  const { openSqlite } = await import("./backends/sqlite/open.ts");
  return await openSqlite(file, { cacheMb: 8 });
};

export const copyLedger = async (from: string, to: string): Promise<void> => {
  const { copyLedger: copy } = await import("./backends/sqlite/copy-ledger.ts");
  await copy(from, to);
};

export const repairCounters = async (data: string, job: string): Promise<void> => {
  const { repairCounters: repair } = await import("./backends/sqlite/count-items.ts");
  await repair(join(data, LEDGER_FILE), job);
};

/** There while `sluice restore` writes the folder. */
export const RESTORING_FILE = "restore.json";
/** The new ledger while `sluice rebuild` writes it. */
export const REBUILD_FILE = "rebuild.db";

/** Half a restored folder is none: a service that began in it would start with an empty ledger. */
const refuseRestoring = (data: string): void => {
  const refuse = (what: string, verb: string): never => {
    throw new LedgerError(
      "unavailable",
      `${data}: ${what}, or that was broken off. Run \`sluice ${verb}\` again to finish it.`,
    );
  };
  if (existsSync(join(data, RESTORING_FILE))) refuse("it is being restored from a backup", "restore");
  if (existsSync(join(data, REBUILD_FILE))) refuse("its ledger is being rebuilt", "rebuild");
};

/** The archive of a data folder alone, for a thread that only reads stored pages. */
export const openBlobs = (data: string): Promise<Blobs> => openBlobFolder(join(data, "blobs"));

export const openBlobFolder = async (folder: string): Promise<Blobs> => {
  const { openFiles } = await import("./backends/files/open-files.ts");
  return await openFiles(folder);
};

const require = createRequire(import.meta.url);

/** The list of public suffixes is large: it is loaded when the first host name needs it. */
const registrableDomain = (host: string): string | null =>
  (require("tldts") as typeof import("tldts")).getDomain(host, { allowPrivateDomains: true });

export const laneOf: LaneOf = (url) => laneName(url, registrableDomain);

/** As the supervisor names its workers: host and process tell whether it is still alive. */
const workerName = (): string => `${hostname()}-${process.pid}-worker`;

const openCollector = async (allowTargets: readonly string[] = []): Promise<Collector> => {
  const { openHttpSession } = await import("./collectors/http/http-session.ts");
  const { createTransport } = await import("./collectors/http/transport.ts");
  const transport = createTransport({ guard: { allow: allowTargets } });
  return {
    open: (options) => openHttpSession({ ...options, transport, userAgent: SOFTWARE }),
    close: () => transport.close(),
  };
};

/** Somebody else may have ended it meanwhile. */
const holdJob = async (ledger: JobLedger, job: string, reason: string): Promise<void> => {
  try {
    await ledger.controlJob(job, "pause", { cause: "scraper", reason });
  } catch (error) {
    if (!(error instanceof LedgerError && error.code === "job-ended")) throw error;
  }
};

interface WorkOptions {
  readonly data: string;
  /** Where ledger and archive are; in the data folder when left out. */
  readonly controller?: ControllerPlace;
  /** The items of these; of all jobs when left out, as a service's workers take them. */
  readonly jobs?: readonly string[];
  readonly lanes?: readonly string[];
  /** Of jobs that need no other kind; of all when left out. */
  readonly kinds?: readonly CollectorKind[];
  /** Items in hand at once. */
  readonly capacity?: number;
  readonly name?: string;
  readonly isAlone?: boolean;
  readonly logLevel: LogLevel;
  readonly signal: AbortSignal;
  readonly onSuspects?: (count: number) => void;
  /** Host names, addresses and networks inside that jobs of clients may ask, beside public ones and the scrapers' own sites. */
  readonly allowTargets?: readonly string[];
  /** Puts somebody between the worker and the site, to look on. */
  readonly watch?: (collector: Collector) => Collector;
}

/** A worker with everything it needs, until the signal or, alone, until nothing is left to do. */
export const work = async (options: WorkOptions): Promise<void> => {
  const { data, controller, jobs, lanes, kinds, capacity, isAlone, signal, onSuspects } = options;
  const { runWorker } = await import("./worker/worker.ts");
  const { startPacker } = await import("./archive/packer.ts");
  const log = openJobLog(data, jobs?.[0] ?? "worker", options.logLevel);
  await using storage = controller
    ? await openRemoteStorage(data, {
        controller,
        isKnown: true,
        log: logWith(log, { worker: options.name }),
      })
    : await openStorage(data, { isPacing: true });
  await using packer = startPacker();
  const opened = await openCollector(options.allowTargets);
  const collector = options.watch?.(opened) ?? opened;
  try {
    await runWorker({
      name: options.name ?? workerName(),
      ledger: storage.ledger,
      blobs: storage.blobs,
      packer,
      collector,
      laneOf,
      robotName: ROBOT_NAME,
      software: SOFTWARE,
      loadJob: controller ? ownLoader(storage.ledger) : jobLoader(storage.ledger),
      card: { ...thisProcess(), version: SOFTWARE },
      ...(jobs ? { jobs } : { holdJob: (job, reason) => holdJob(storage.ledger, job, reason) }),
      ...(lanes && { lanes }),
      ...(kinds && { kinds }),
      ...(capacity !== undefined && { capacity }),
      log,
      signal,
      ...(isAlone && { isAlone }),
      ...(onSuspects && { onSuspects }),
    });
  } finally {
    await collector.close();
  }
};

/** Clients, keys and deliveries of a data folder. */
export const openRegistry = async (data: string, options: RegistryOptions = {}): Promise<Registry> =>
  journaledRegistry(await openRegistryFile(join(data, LEDGER_FILE), options), await openBlobs(data));

interface RegistryOptions {
  /** False where a thread of the same process does them. */
  readonly checkpoints?: boolean;
}

export const openRegistryFile = async (file: string, options: RegistryOptions = {}): Promise<Registry> => {
  const { openRegistry: open } = await import("./backends/sqlite/registry/open.ts");
  return await open(file, options);
};

export const openRebuild = async (file: string): Promise<LedgerRebuild> => {
  const { openRebuild: open } = await import("./backends/sqlite/rebuild/open-rebuild.ts");
  return await open(file);
};

/** A certificate and its key, in PEM form. */
type TlsPair = NonNullable<ControllerContext["tls"]>;

interface ControllerOptions {
  readonly data: string;
  /** Where its scrapers are; without one there are only the built-ins. */
  readonly project: Project | undefined;
  readonly log: Log;
  /** Plain HTTP unless given. */
  readonly tls?: TlsPair;
  /** The service is not ready where less is free on the disk of the data folder. */
  readonly minFreeBytes: number;
  /** How a scraper fares with its fixtures, by where it is loaded from. The API does not tell without it. */
  readonly fixturesOf?: ScraperCatalog["fixturesOf"];
}

/** The API and the tasks of one process, on a ledger that others may share. */
export interface Controller extends AsyncDisposable {
  readonly storage: Storage;
  /** Answers the URL. */
  listen(host: string, port: number): Promise<string>;
  /** For connections from now on. */
  renewTls(tls: TlsPair): void;
  /** Answers no more; resolves when what was being answered is. */
  close(): Promise<void>;
  /** Until the signal; what goes wrong in one of them is logged, and tried again. */
  runTasks(signal: AbortSignal): Promise<void>;
  /** On the first start; undefined on later ones. */
  makeFirstKey(): Promise<string | undefined>;
  /** Without keys on this machine only. */
  mayListen(host: string): Promise<boolean>;
  /** Whether others than programs of this machine can reach it there. */
  isExposed(host: string): boolean;
}

/** Also where no more files can be made. */
const isDiskFull = async (data: string, minFreeBytes: number): Promise<boolean> => {
  const { bavail, bsize, files, ffree } = await statfs(data);
  return bavail * bsize < minFreeBytes || (files > 0 && ffree === 0);
};

export const openController = async ({
  data,
  project,
  log,
  tls,
  minFreeBytes,
  fixturesOf,
}: ControllerOptions): Promise<Controller> => {
  const storage = await openStorage(data, { isServing: true });
  const registry = await openRegistry(data, { checkpoints: false });
  const { buildServer } = await import("./api/server.ts");
  const { openCatalog } = await import("./services/scraper-catalog.ts");
  const { makeFirstKey } = await import("./services/clients.ts");
  const { isLoopback, mayListen } = await import("./api/may-listen.ts");
  const { runTasks } = await import("./api/run-tasks.ts");
  const { webhookSender } = await import("./channels/webhook/webhook-sender.ts");
  const { checkTarget, guardedDispatcher } = await import("./collectors/http/guarded-agent.ts");
  const allow = project?.allowTargets ?? [];
  const dispatcher = guardedDispatcher({ allow });
  const sender = webhookSender({ dispatcher });
  const { openChannels } = await import("./channels/open-channels.ts");
  const channels = openChannels(project?.alerts?.channels ?? [], process.env);
  const rules = project?.alerts?.rules;
  const { ledger, blobs } = storage;
  for (const card of await registry.listClients()) await ledger.setShare(card.name, card);
  const { openMetrics } = await import("./api/metrics.ts");
  const metrics = openMetrics({ ledger, registry, version: SOFTWARE });
  const { startReads } = await import("./api/reading/reads.ts");
  const thread = new URL(`./read-thread${extname(import.meta.filename)}`, import.meta.url);
  const reads = { exports: startReads(thread, data), pages: startReads(thread, data) };
  const shared = { ledger, registry, blobs, log, reads, retentionOf: retentionNow };
  const server = await buildServer({
    ...shared,
    scrapers: openCatalog(project, fixturesOf && { fixturesOf }),
    laneOf,
    metrics: () => metrics.text(),
    whyNotCall: (url) => checkTarget(url, { allow }),
    version: SOFTWARE,
    isDiskFull: () => isDiskFull(data, minFreeBytes),
    ...(tls && { tls }),
  });
  metrics.watch(server);
  const holder = `${hostname()}-${process.pid}-controller`;
  const removeLog = (job: string): Promise<void> => removeJobLog(data, job);
  const keepManifest = async (job: string): Promise<void> => {
    const answer = await reads.exports.open({ kind: "keep-manifest", job });
    await finished(answer.resume());
  };
  const tasks = {
    ...shared,
    keepManifest,
    data,
    holder,
    sender,
    channels,
    metrics,
    removeLog,
    ...(rules && { rules }),
  };
  return {
    storage,
    listen: (host, port) => server.listen({ host, port }),
    renewTls: (renewed) => (server.server as unknown as TlsServer).setSecureContext(renewed),
    close: () => server.close(),
    runTasks: (signal) => runTasks({ ...tasks, isGone }, signal),
    makeFirstKey: () => makeFirstKey({ registry, ledger, now: Date.now }, holder),
    mayListen: async (host) => mayListen(host, (await registry.listKeys()).length > 0),
    isExposed: (host) => !isLoopback(host),
    async [Symbol.asyncDispose]() {
      await server.close();
      await dispatcher.destroy();
      await Promise.all([reads.exports, reads.pages].map((each) => each[Symbol.asyncDispose]()));
      await registry.close();
      await storage[Symbol.asyncDispose]();
    },
  };
};
