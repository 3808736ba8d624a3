import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { journaled, journaledRegistry } from "./archive/journaled-ledger.ts";
import { packedBlobs } from "./archive/packed-blobs.ts";
import { priceOf, tierProblem } from "./domain/proxy-tier.ts";
import type { Proxies } from "./collectors/proxy/proxies.ts";
import { browserSettings, ConfigError, maxRetryAfterMs, proxySettings } from "./config/check-config.ts";
import { ownLoader } from "./config/find-scrapers.ts";
import { parseS3Url } from "./config/s3-url.ts";
import { storageLocation } from "./config/storage-location.ts";
import type { CollectorKind } from "./domain/job-version.ts";
import { laneName } from "./domain/lane-name.ts";
import { loadOptional } from "./domain/missing-package.ts";
import type { LaneOf } from "./pipeline/plan.ts";
import type { Blobs } from "./ports/blobs.ts";
import type { Collector, Collectors } from "./ports/collector.ts";
import type { LedgerCheck, LedgerRebuild } from "./ports/ledger-check.ts";
import { type JobLedger, type Ledger, LedgerError } from "./ports/ledger.ts";
import type { Registry } from "./ports/registry.ts";
import { isController, parseStorageUrl, type Storage, type StorageLocation } from "./ports/storage.ts";
import { jobLoader } from "./scrapers/load-pinned.ts";
import { unpackBundlesIn } from "./scrapers/open-bundle.ts";
import { type Log, logWith, openJobLog } from "./worker/log.ts";
import type { WorkerOptions } from "./worker/worker-options.ts";
import type { WorkOrder } from "./worker/worker-process.ts";
import { machinePart, thisProcess } from "./worker/this-process.ts";

export const SOFTWARE = "sluice/0.1.0";
const ROBOT_NAME = "sluice";

/** Loads the code that `work` needs, ahead of time. All of it is loaded on demand, so that commands that only read start without it. */
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
  /** This process keeps slot timers: leave the ledger's housekeeping to others. */
  readonly isPacing?: boolean;
  /** This process serves others: slow housekeeping runs on a thread. */
  readonly isServing?: boolean;
  /** Size of the ledger's cache. A process that reads it once needs little. */
  readonly cacheMb?: number;
  /** For a controller: stop waiting for answers when aborted. */
  readonly signal?: AbortSignal;
  /** The controller has answered before: wait for it as long as for any later call. */
  readonly isKnown?: boolean;
  /** For a controller: reports lost and restored connections. */
  readonly log?: Log;
}

interface LedgerBackend {
  open(location: StorageLocation, options: StorageOptions): Promise<Omit<Storage, "location" | "data">>;
  /** Clients, keys and deliveries, stored beside the ledger. */
  openRegistry(location: StorageLocation, options: RegistryOptions): Promise<Registry>;
}

interface RegistryOptions {
  /** False if a thread of the same process runs the checkpoints. */
  readonly checkpoints?: boolean;
}

type BlobBackend = (location: StorageLocation) => Promise<Blobs>;

/** Backends that are announced but not built: their URLs get a better message than unknown ones. */
const PLANNED: ReadonlySet<string> = new Set(["dynamodb"]);

/** Blob stores by the scheme of their URL. A controller's blobs come with its ledger. */
const BLOB_BACKENDS: Readonly<Record<string, BlobBackend>> = {
  file: ({ blobs }) => openBlobFolder(parseStorageUrl(blobs)!.path),
  async s3({ blobs }) {
    const { openS3 } = await import("./backends/s3/open-s3.ts");
    return packedBlobs(await openS3(parseS3Url(blobs)));
  },
};

const sqliteLedger: LedgerBackend = {
  async open(location, { isPacing = false, isServing = false, cacheMb }) {
    const file = parseStorageUrl(location.ledger)!.path;
    refuseUnfinished(dirname(file));
    const { openSqlite } = await import("./backends/sqlite/open.ts");
    const maxHoldMs = maxRetryAfterMs();
    const ledger = await openSqlite(file, {
      checkpoints: !isPacing && !isServing,
      hasCheckpointThread: isServing,
      cacheMb: cacheMb ?? (isPacing ? 16 : 64),
      ...(maxHoldMs !== undefined && { maxHoldMs }),
    });
    const blobs = await openBlobs(location);
    return { ledger: journaled(ledger, blobs), blobs, [Symbol.asyncDispose]: () => ledger.close() };
  },
  openRegistry: async (location, options) =>
    journaledRegistry(
      await openRegistryFile(parseStorageUrl(location.ledger)!.path, options),
      await openBlobs(location),
    ),
};

/** Any number of machines share the database; the registry is in it, too. */
const postgresLedger: LedgerBackend = {
  async open(location, { isPacing = false, isKnown = false, log }) {
    needPostgres();
    const { openPostgres } = await import("./backends/postgres/open.ts");
    const maxHoldMs = maxRetryAfterMs();
    const ledger = await openPostgres(location.ledger, {
      most: isPacing ? 4 : 10,
      ...(isKnown && { firstPatienceMs: FAILOVER_MS }),
      ...(log && { onSteppedBack: (lost) => log.warn("ledger stepped back", lost) }),
      ...(maxHoldMs !== undefined && { maxHoldMs }),
    });
    const blobs = await openBlobs(location);
    return { ledger: journaled(ledger, blobs), blobs, [Symbol.asyncDispose]: () => ledger.close() };
  },
  async openRegistry(location) {
    needPostgres();
    const { openPostgresRegistry } = await import("./backends/postgres/registry.ts");
    return journaledRegistry(await openPostgresRegistry(location.ledger), await openBlobs(location));
  },
};

/** A worker that starts while another machine becomes the primary waits for it. */
const FAILOVER_MS = 60_000;

export const needPostgres = (): void => {
  loadOptional("pg", "A ledger in PostgreSQL", () => require.resolve("pg"));
};

/** Ledger and archive of a controller on another machine. */
const remoteLedger: LedgerBackend = {
  async open({ ledger: url, blobs: blobsUrl, key }, { signal, isKnown, log }) {
    if (blobsUrl !== url)
      throw new ConfigError("bad-config", `${url}: a controller has its own archive. Leave \`blobs\` out.`);
    const { openRemote } = await import("./backends/remote/open-remote.ts");
    const { ledger, blobs } = await openRemote({
      url,
      version: SOFTWARE,
      ...(key !== undefined && { key }),
      ...(log && { log }),
      ...(signal && { signal }),
      ...(isKnown && { firstPatienceMs: Infinity }),
    });
    return { ledger, blobs, [Symbol.asyncDispose]: () => ledger.close() };
  },
  openRegistry: async ({ ledger: url }) => {
    throw new ConfigError(
      "bad-config",
      `${url}: a worker's connection cannot read clients and keys. Use --server ${url}.`,
    );
  },
};

/** Ledgers by the scheme of their URL. */
const LEDGER_BACKENDS: Readonly<Record<string, LedgerBackend>> = {
  sqlite: sqliteLedger,
  postgres: postgresLedger,
  postgresql: postgresLedger,
  https: remoteLedger,
  http: remoteLedger,
};

/** The message does not quote the URL: it may hold a password. */
export const backendFor = <Backend>(
  what: "ledger" | "blobs",
  url: string,
  backends: Readonly<Record<string, Backend>>,
): Backend => {
  const { scheme } = parseStorageUrl(url) ?? {};
  const backend = scheme === undefined ? undefined : backends[scheme];
  if (backend) return backend;
  const known = `Expected ${Object.keys(backends)
    .map((each) => `\`${each}:\``)
    .join(", ")}.`;
  const problem =
    scheme === undefined
      ? "not a URL with a scheme"
      : `\`${scheme}:\` is ${PLANNED.has(scheme) ? "not available yet" : "unknown"}`;
  throw new ConfigError("bad-config", `Storage URL for \`${what}\`: ${problem}. ${known}`);
};

/** A data folder means the ledger and the archive in it. */
const locationOf = (where: StorageLocation | string): StorageLocation =>
  typeof where === "string" ? storageLocation({ data: where }) : where;

export const openStorage = async (
  where: StorageLocation | string,
  options: StorageOptions = {},
): Promise<Storage> => {
  const location = locationOf(where);
  const backend = backendFor("ledger", location.ledger, LEDGER_BACKENDS);
  unpackBundlesIn(location.data);
  return { location, data: location.data, ...(await backend.open(location, options)) };
};

/** The archive alone, for threads that only read stored pages. */
export const openBlobs = async (where: StorageLocation | string): Promise<Blobs> => {
  const location = locationOf(where);
  unpackBundlesIn(location.data);
  return await backendFor("blobs", location.blobs, BLOB_BACKENDS)(location);
};

/** Checks a ledger without changing it, for `sluice fsck`. */
export const lookAtLedger = async (file: string): Promise<() => LedgerCheck> => {
  const { checkLedger } = await import("./backends/sqlite/check-ledger.ts");
  return () => checkLedger(file);
};

/** Opens a ledger file, for `sluice fsck`, `backup` and `rebuild`. */
export const openLedger = async (file: string): Promise<Ledger> => {
  const { openSqlite } = await import("./backends/sqlite/open.ts");
  return await openSqlite(file, { cacheMb: 8 });
};

export const copyLedger = async (from: string, to: string): Promise<void> => {
  const { copyLedger: copy } = await import("./backends/sqlite/copy-ledger.ts");
  await copy(from, to);
};

export const repairCounters = async (file: string, job: string): Promise<void> => {
  const { repairCounters: repair } = await import("./backends/sqlite/count-items.ts");
  await repair(file, job);
};

/** Exists while `sluice restore` writes the folder. */
export const RESTORING_FILE = "restore.json";
/** The new ledger while `sluice rebuild` writes it. */
export const REBUILD_FILE = "rebuild.db";

/** The new ledger while `sluice migrate` writes it. */
export const MIGRATE_FILE = "migrate.db";

/** A service that starts in a half-restored folder would start with an empty ledger. */
export const refuseUnfinished = (folder: string): void => {
  const refuse = (problem: string, verb: string): never => {
    throw new LedgerError(
      "unavailable",
      `${folder}: ${problem} is running or was interrupted. Run \`sluice ${verb}\` again to finish it.`,
    );
  };
  if (existsSync(join(folder, RESTORING_FILE))) refuse("a restore from a backup", "restore");
  if (existsSync(join(folder, REBUILD_FILE))) refuse("a rebuild of the ledger", "rebuild");
  if (existsSync(join(folder, MIGRATE_FILE))) refuse("a migration to this ledger", "migrate");
};

export const openBlobFolder = async (folder: string): Promise<Blobs> => {
  const { openFiles } = await import("./backends/files/open-files.ts");
  return await openFiles(folder);
};

const require = createRequire(import.meta.url);

/** The list of public suffixes is large: it is loaded for the first host name. */
const registrableDomain = (host: string): string | null =>
  (require("tldts") as typeof import("tldts")).getDomain(host, { allowPrivateDomains: true });

export const laneOf: LaneOf = (url) => laneName(url, registrableDomain);

/** As the supervisor names its workers: host and process show whether it is still alive. */
const workerName = (): string => `${hostname()}-${process.pid}-worker`;

/** What collectors reach the network with. Identities belong here, too. */
interface Network {
  readonly allowTargets: readonly string[];
  /** Undefined if none are configured. */
  readonly proxies: () => Promise<Proxies | undefined>;
}

/** Collectors by the scraper's kind. */
const COLLECTORS: {
  readonly [Kind in Exclude<CollectorKind, "recording">]: (
    network: Network,
    others: Pick<Collectors, "http" | "browser">,
  ) => Promise<Collector<Kind>>;
} = {
  async http({ allowTargets, proxies }) {
    const { openHttpSession } = await import("./collectors/http/http-session.ts");
    const { createTransport } = await import("./collectors/http/transport.ts");
    const transport = createTransport({ guard: { allow: allowTargets }, proxies: await proxies() });
    return {
      open: async (options) => openHttpSession({ ...options, transport, userAgent: SOFTWARE }),
      close: () => transport.close(),
    };
  },
  async browser({ allowTargets, proxies }) {
    const { openBrowserCollector } = await import("./collectors/browser/browser-collector.ts");
    return await openBrowserCollector({
      ...browserSettings(),
      userAgent: SOFTWARE,
      allowTargets,
      proxies: await proxies(),
      domainOf: registrableDomain,
    });
  },
  async auto(_network, { http, browser }) {
    const { openAutoCollector } = await import("./collectors/auto/auto-collector.ts");
    return openAutoCollector({ http, browser });
  },
};

/** Opens each collector when it is first needed. */
const openCollectors = (
  allowTargets: readonly string[],
  watch: WorkOptions["watch"],
): { readonly collectors: Collectors } & AsyncDisposable => {
  const opened = new Map<CollectorKind, Promise<Collector>>();
  let proxies: Promise<Proxies | undefined> | undefined;
  const network: Network = { allowTargets, proxies: () => (proxies ??= openProxies()) };
  const opener =
    <Kind extends CollectorKind>(kind: Kind) =>
    (): Promise<Collector<Kind>> => {
      // A recording runs in the same browser.
      const shared: Exclude<CollectorKind, "recording"> = kind === "recording" ? "browser" : kind;
      const open = async (): Promise<Collector<Kind>> => {
        const others = { http: opener("http"), browser: opener("browser") };
        const collector = (await COLLECTORS[shared](network, others)) as unknown as Collector<Kind>;
        // What `auto` opens is watched already.
        return (kind === "auto" ? undefined : watch?.(collector)) ?? collector;
      };
      const known = opened.get(shared) ?? open();
      opened.set(shared, known);
      return known as Promise<Collector<Kind>>;
    };
  return {
    collectors: {
      http: opener("http"),
      browser: opener("browser"),
      recording: opener("recording"),
      auto: opener("auto"),
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened.values())
        await each.then(
          (collector) => collector.close(),
          () => undefined,
        );
      (await proxies)?.close();
    },
  };
};

/** One set for all collectors of a process: each knows which proxies cannot be reached. */
const openProxies = async (): Promise<Proxies | undefined> => {
  const config = proxySettings();
  return config && (await import("./collectors/proxy/proxies.ts")).createProxies(config);
};

/** The job may have ended in the meantime. */
const holdJob = async (ledger: JobLedger, job: string, reason: string): Promise<void> => {
  try {
    await ledger.controlJob(job, "pause", { cause: "scraper", reason });
  } catch (error) {
    if (!(error instanceof LedgerError && error.code === "job-ended")) throw error;
  }
};

interface WorkOptions extends WorkOrder {
  readonly name?: string;
  readonly isAlone?: boolean;
  readonly signal: AbortSignal;
  readonly giveUp?: AbortSignal;
  readonly onSuspects?: (count: number) => void;
  /** Wraps the collector, so that `sluice try` can watch its requests. */
  readonly watch?: <Kind extends CollectorKind>(collector: Collector<Kind>) => Collector<Kind>;
  /** For scrapers that are no files: those that `sluice distill` tries. */
  readonly loadJob?: WorkerOptions["loadJob"];
}

/** What a worker takes: jobs that need a browser only where there is one. */
export const takenKinds = async (
  kinds: WorkOptions["kinds"],
  log: Log,
): Promise<Pick<WorkerOptions, "kinds" | "browserCapacity">> => {
  const isHttpOnly = kinds?.every((kind) => kind === "http");
  if (kinds && isHttpOnly) return { kinds };
  const [{ browserCapacity }, settings] = [
    await import("./collectors/browser/find-browser.ts"),
    browserSettings(),
  ];
  const capacity = await browserCapacity(settings);
  if (capacity > 0) return { ...(kinds && { kinds }), browserCapacity: capacity };
  log.info(
    "no browser found: this worker takes only jobs of kind http. `sluice doctor` says how to install one",
  );
  return { kinds: ["http"] };
};

/** Runs a worker until the signal or, if it runs suspects alone, until none are left. */
export const work = async (options: WorkOptions): Promise<void> => {
  const { location, jobs, lanes, kinds, capacity, isAlone, signal, giveUp, onSuspects } = options;
  const { runWorker } = await import("./worker/worker.ts");
  const { startPacker } = await import("./archive/packer.ts");
  const log = openJobLog(location.data, jobs?.[0] ?? "worker", options.logLevel);
  await using storage = await openStorage(location, {
    isPacing: true,
    isKnown: true,
    log: logWith(log, { worker: options.name }),
  });
  await using packer = startPacker();
  await using opened = openCollectors(options.allowTargets ?? [], options.watch);
  const tiers = proxySettings();
  await runWorker({
    ...(tiers && {
      proxies: {
        has: (tier) => tierProblem(tiers, tier) === undefined,
        priceOf: (tier) => priceOf(tiers, tier),
      },
    }),
    name: options.name ?? workerName(),
    ledger: storage.ledger,
    blobs: storage.blobs,
    packer,
    collectors: opened.collectors,
    laneOf,
    robotName: ROBOT_NAME,
    software: SOFTWARE,
    loadJob:
      options.loadJob ??
      (isController(location.ledger)
        ? ownLoader(storage.ledger, storage.blobs)
        : jobLoader(storage.ledger, undefined, storage.blobs)),
    info: { ...thisProcess(), ...machinePart(options.processes ?? 1), version: SOFTWARE },
    ...(jobs ? { jobs } : { holdJob: (job, reason) => holdJob(storage.ledger, job, reason) }),
    ...(lanes && { lanes }),
    ...(await takenKinds(kinds, log)),
    ...(capacity !== undefined && { capacity }),
    log,
    signal,
    ...(giveUp && { giveUp }),
    ...(isAlone && { isAlone }),
    ...(onSuspects && { onSuspects }),
  });
};

/** Clients, keys and deliveries. */
export const openRegistry = async (
  where: StorageLocation | string,
  options: RegistryOptions = {},
): Promise<Registry> => {
  const location = locationOf(where);
  return await backendFor("ledger", location.ledger, LEDGER_BACKENDS).openRegistry(location, options);
};

export const openRegistryFile = async (file: string, options: RegistryOptions = {}): Promise<Registry> => {
  const { openRegistry: open } = await import("./backends/sqlite/registry/open.ts");
  return await open(file, options);
};

export const openRebuild = async (file: string): Promise<LedgerRebuild> => {
  const { openRebuild: open } = await import("./backends/sqlite/rebuild/open-rebuild.ts");
  return await open(file);
};
