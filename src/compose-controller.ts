import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { extname } from "node:path";
import { finished } from "node:stream/promises";
import type { Server as TlsServer } from "node:tls";
import type { ControllerContext } from "./api/controller-context.ts";
import { laneOf, openRegistry, openStorage, SOFTWARE } from "./compose.ts";
import type { Project } from "./config/load-config.ts";
import type { Storage, StorageLocation } from "./ports/storage.ts";
import { retentionNow } from "./scrapers/load-pinned.ts";
import type { ScraperCatalog } from "./services/scraper-catalog.ts";
import { type Log, removeJobLog } from "./worker/log.ts";
import { isGone } from "./worker/this-process.ts";

/** A certificate and its key, in PEM form. */
type TlsPair = NonNullable<ControllerContext["tls"]>;

interface ControllerOptions {
  readonly location: StorageLocation;
  /** Has the scrapers; without it there are only the built-in ones. */
  readonly project: Project | undefined;
  readonly log: Log;
  /** Default plain HTTP. */
  readonly tls?: TlsPair;
  /** The service reports not ready with less free disk space in the data folder. */
  readonly minFreeBytes: number;
  /** The fixture results of a scraper, by its source. Without it, the API does not report them. */
  readonly fixturesOf?: ScraperCatalog["fixturesOf"];
}

/** The API and the background tasks of one process. Several controllers may share a ledger. */
export interface Controller extends AsyncDisposable {
  readonly storage: Storage;
  /** Returns the URL. */
  listen(host: string, port: number): Promise<string>;
  /** For new connections. */
  renewTls(tls: TlsPair): void;
  /** Stops accepting requests; resolves when the open ones are answered. */
  close(): Promise<void>;
  /** Runs until the signal. A task that fails is logged and started again. */
  runTasks(signal: AbortSignal): Promise<void>;
  /** The admin key of the first start; undefined on later starts. */
  makeFirstKey(): Promise<string | undefined>;
  /** Without keys, only loopback addresses are allowed. */
  mayListen(host: string): Promise<boolean>;
  /** Whether other machines can reach this address. */
  isExposed(host: string): boolean;
}

/** How long a client can use a link to a stored file. */
const LINK_SEC = 900;

/** Also when the disk has no room for more files. */
const isDiskFull = async (data: string, minFreeBytes: number): Promise<boolean> => {
  const { bavail, bsize, files, ffree } = await statfs(data);
  return bavail * bsize < minFreeBytes || (files > 0 && ffree === 0);
};

export const openController = async ({
  location,
  project,
  log,
  tls,
  minFreeBytes,
  fixturesOf,
}: ControllerOptions): Promise<Controller> => {
  const { data } = location;
  const storage = await openStorage(location, { isServing: true, log });
  const registry = await openRegistry(location, { checkpoints: false });
  const { buildServer } = await import("./api/server.ts");
  const { openCatalog } = await import("./services/scraper-catalog.ts");
  const { makeFirstKey } = await import("./services/clients.ts");
  const { isLoopback, mayListen } = await import("./api/auth.ts");
  const { runTasks } = await import("./api/run-tasks.ts");
  const { webhookSender } = await import("./channels/webhook/webhook-sender.ts");
  const { checkTarget, guardedDispatcher } = await import("./collectors/http/transport.ts");
  const allow = project?.allowTargets ?? [];
  const dispatcher = guardedDispatcher({ allow });
  const sender = webhookSender({ dispatcher });
  const { openChannels } = await import("./channels/open-channels.ts");
  const channels = openChannels(project?.alerts?.channels ?? [], process.env);
  const rules = project?.alerts?.rules;
  const { yielding } = await import("./api/yielding.ts");
  const ledger = yielding(storage.ledger);
  const { blobs } = storage;
  for (const info of await registry.listClients()) await ledger.setShare(info.name, info);
  const { auditsOf } = await import("./services/datasets.ts");
  const { viewOfPage } = await import("./devtools/page-view.ts");
  const { openMetrics } = await import("./api/metrics.ts");
  const metrics = openMetrics({ ledger, registry, version: SOFTWARE });
  const { startReads } = await import("./api/reading/reads.ts");
  const thread = new URL(`./programs/read-thread${extname(import.meta.filename)}`, import.meta.url);
  const reads = { exports: startReads(thread, location), pages: startReads(thread, location) };
  const shared = {
    ledger,
    registry,
    blobs,
    log,
    reads,
    retentionOf: retentionNow,
    audits: auditsOf(project?.datasets),
  };
  const { urlReader } = await import("./collectors/http/read-url.ts");
  const service = {
    ...shared,
    scrapers: openCatalog(project, { blobs, documents: ledger.documents, ...(fixturesOf && { fixturesOf }) }),
    laneOf,
    onUnkept: (job: string, reason: string) => log.warn("scraper not stored", { job, reason }),
    whyNotCall: (url: URL) => checkTarget(url, { allow }),
    readUrl: urlReader(dispatcher),
    location,
  };
  const server = await buildServer({
    ...service,
    ...(blobs.link && {
      linkTo: (name: string) => blobs.link!(name, { expiresInSec: LINK_SEC }),
    }),
    viewPage: viewOfPage,
    metrics: () => metrics.text(),
    alerts: { channels: channels.map(({ name }) => name), ...(rules && { rules }) },
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
  const { releaseStages } = await import("./services/release-stages.ts");
  const { applyConfig, ownTarget } = await import("./services/apply-config.ts");
  const schedulesOf = { ...service, now: Date.now };
  await applyConfig(ownTarget(schedulesOf), project ?? { folder: "." });
  const tasks = {
    ...shared,
    service: schedulesOf,
    runners: releaseStages(schedulesOf),
    keepManifest,
    location,
    holder,
    sender,
    channels,
    metrics,
    removeLog,
    ...(rules && { rules }),
  };
  return {
    storage,
    listen: async (host, port) => {
      await server.ready();
      // The document of the API takes a moment to build: nobody waits yet.
      server.swagger();
      return await server.listen({ host, port });
    },
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
