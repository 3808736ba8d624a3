import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import type { JobSpec, PinnedScraper } from "./model/job.ts";
import { laneName } from "./model/lane-name.ts";
import type { LaneOf } from "./flow/plan.ts";
import type { Blobs } from "./ports/blobs.ts";
import type { Collector } from "./ports/collector.ts";
import type { Ledger } from "./ports/ledger.ts";
import { loadScraper } from "./scrapers/load-scraper.ts";
import { type JobScraper, jobScrapers } from "./scrapers/job-scrapers.ts";
import { type ReadyScraper, readyScraper } from "./scrapers/ready-scraper.ts";
import { ScraperLoadError } from "./scrapers/scraper-load-error.ts";
import { type Log, openLog, type LogLevel } from "./worker/log.ts";

export const SOFTWARE = "sluice/0.1.0";
const ROBOT_NAME = "sluice";

/** What is opened by everybody who works on a data folder. */
export interface House extends AsyncDisposable {
  readonly data: string;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
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

/**
 * `isPacing`: this process keeps slot timers, so the ledger's housekeeping is left to others. `cacheMb`: of the ledger; little is enough for
 * one that only reads through it once.
 */
export const openHouse = async (
  data: string,
  { isPacing = false, cacheMb }: { readonly isPacing?: boolean; readonly cacheMb?: number } = {},
): Promise<House> => {
  const { openSqlite } = await import("./backends/sqlite/open.ts");
  const ledger = await openSqlite(join(data, "sluice.db"), {
    checkpoints: !isPacing,
    cacheMb: cacheMb ?? (isPacing ? 16 : 64),
  });
  const blobs = await openBlobs(data);
  return { data, ledger, blobs, [Symbol.asyncDispose]: () => ledger.close() };
};

/** The archive of a data folder alone, for a thread that only reads stored pages. */
export const openBlobs = async (data: string): Promise<Blobs> => {
  const { openFiles } = await import("./backends/files/open-files.ts");
  return await openFiles(join(data, "blobs"));
};

export const openJobLog = (data: string, job: string, level: LogLevel): Log => {
  const folder = join(data, "logs");
  mkdirSync(folder, { recursive: true });
  return openLog(join(folder, `${job}.jsonl`), level);
};

const require = createRequire(import.meta.url);

/** The list of public suffixes is large: it is loaded when the first host name needs it. */
const registrableDomain = (host: string): string | null =>
  (require("tldts") as typeof import("tldts")).getDomain(host, { allowPrivateDomains: true });

export const laneOf: LaneOf = (url) => laneName(url, registrableDomain);

/** As the supervisor names its workers: host and process tell whether it is still alive. */
const workerName = (): string => `${hostname()}-${process.pid}-worker`;

const openCollector = async (): Promise<Collector> => {
  const { openHttpSession } = await import("./collectors/http/http-session.ts");
  const { createTransport } = await import("./collectors/http/transport.ts");
  const transport = createTransport();
  return {
    open: (options) => openHttpSession({ ...options, transport, userAgent: SOFTWARE }),
    close: () => transport.close(),
  };
};

/** A job's root scraper as it was when the job began, and with it those that it emits to; throws when any of them was changed. */
export const loadPinned = async ({ id, source, scrapers, extracts }: JobSpec): Promise<ReadyScraper> => {
  const root = await readyScraper(await loadScraper(source), { extracts });
  const now = jobScrapers(root);
  const isSame = ({ name, version }: PinnedScraper, index: number): boolean =>
    now[index]?.ready.scraper.name === name && now[index].ready.version === version;
  // A file's change is one of those that import it too: the last in the list is where it was made.
  const changed = scrapers.findLastIndex((one, index) => !isSame(one, index));
  const was = scrapers[changed];
  if (was) throw changedScraper(id, was.name, was.version, now[changed]?.ready.version ?? "none");
  return root;
};

/** Scrapers by job, each loaded once and held against the version that the job is pinned to. */
const jobLoader = (ledger: Ledger): ((job: string) => Promise<readonly JobScraper[]>) => {
  const loaded = new Map<string, Promise<readonly JobScraper[]>>();
  const load = async (id: string): Promise<readonly JobScraper[]> => {
    const job = await ledger.readJob(id);
    if (!job) throw new ScraperLoadError("unknown-scraper", `${id}: no such job`);
    return jobScrapers(await loadPinned(job.spec));
  };
  return (id) => {
    let ready = loaded.get(id);
    if (!ready) loaded.set(id, (ready = load(id)));
    return ready;
  };
};

const changedScraper = (job: string, scraper: string, was: string, is: string): ScraperLoadError =>
  new ScraperLoadError(
    "changed-scraper",
    `${job}: scraper ${scraper} was changed since the job began (version ${was}, now ${is}). ` +
      `Put the old file back to go on with this job, or start a new one with \`sluice run\`.`,
  );

export interface WorkOptions {
  readonly data: string;
  readonly jobs: readonly string[];
  readonly name?: string;
  readonly isAlone?: boolean;
  readonly logLevel: LogLevel;
  readonly signal: AbortSignal;
  readonly onSuspects?: (count: number) => void;
  /** Puts somebody between the worker and the site, to look on. */
  readonly watch?: (collector: Collector) => Collector;
}

/** A worker with everything it needs, until the signal or, alone, until nothing is left to do. */
export const work = async (options: WorkOptions): Promise<void> => {
  const { data, jobs, isAlone, signal, onSuspects } = options;
  const { runWorker } = await import("./worker/worker.ts");
  const { startPacker } = await import("./archive/packer.ts");
  await using house = await openHouse(data, { isPacing: true });
  await using packer = startPacker();
  const opened = await openCollector();
  const collector = options.watch?.(opened) ?? opened;
  try {
    await runWorker({
      name: options.name ?? workerName(),
      ledger: house.ledger,
      blobs: house.blobs,
      packer,
      collector,
      laneOf,
      robotName: ROBOT_NAME,
      software: SOFTWARE,
      loadJob: jobLoader(house.ledger),
      jobs,
      log: openJobLog(data, jobs[0] ?? "worker", options.logLevel),
      signal,
      ...(isAlone && { isAlone }),
      ...(onSuspects && { onSuspects }),
    });
  } finally {
    await collector.close();
  }
};
