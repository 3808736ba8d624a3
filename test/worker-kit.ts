import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Packer, startPacker } from "../src/archive/packer.ts";
import { openHttpSession } from "../src/collectors/http/http-session.ts";
import { type Handler, openTestSite } from "../src/collectors/http/testing/test-site.ts";
import { createTransport, type Transport, type TransportOptions } from "../src/collectors/http/transport.ts";
import { laneOf, openStorage } from "../src/compose.ts";
import type { Storage } from "../src/ports/storage.ts";
import { createJob, loadInputs, type Submission } from "../src/pipeline/submit.ts";
import type { ItemView } from "../src/domain/item.ts";
import type { JobSpec, JobView } from "../src/domain/job.ts";
import type { Blobs } from "../src/ports/blobs.ts";
import type { Collector, Collectors } from "../src/ports/collector.ts";
import type { Ledger } from "../src/ports/ledger.ts";
import { jobScrapers } from "../src/scrapers/load-pinned.ts";
import type { LoadedScraper } from "../src/scrapers/load-scraper.ts";
import { page } from "../src/scrapers/page.ts";
import { compileScraper, type CompiledScraper } from "../src/scrapers/compiled-scraper.ts";
import { type AnyScraper, targetsOf } from "../src/scrapers/scraper.ts";
import type { Log } from "../src/worker/log.ts";
import { runWorker } from "../src/worker/worker.ts";

type Site = Awaited<ReturnType<typeof openTestSite>>;

interface RunOptions {
  readonly signal?: AbortSignal;
  /** Told whenever items were settled, with the job as it stands; true ends the worker. */
  readonly onSettled?: (view: JobView) => boolean;
  readonly ledger?: Partial<Ledger>;
  readonly blobs?: Partial<Blobs>;
  readonly job?: string;
  /** Beside it. */
  readonly others?: readonly string[];
  /** Told of every request that was let through. */
  readonly onRequest?: (url: URL) => void;
  readonly isAlone?: boolean;
  readonly log?: Log;
  /** Of other kinds than `http`. */
  readonly collectors?: (http: Collectors["http"]) => Partial<Collectors>;
}

const JOB = "j1";
const none = () => Promise.reject(new Error("not in this kit"));
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What a worker needs, all of it real, in this process: a ledger and files in a folder of their own, and a site on loopback. */
export class WorkerKit implements AsyncDisposable {
  readonly storage: Storage;
  readonly site: Site;
  readonly #packer: Packer;
  readonly #transport: Transport;
  #ready: CompiledScraper | undefined;

  private constructor(storage: Storage, site: Site, transport: TransportOptions) {
    this.storage = storage;
    this.site = site;
    this.#packer = startPacker();
    this.#transport = createTransport(transport);
  }

  static async open(handler: Handler, transport: TransportOptions = {}): Promise<WorkerKit> {
    const storage = await openStorage(await mkdtemp(join(tmpdir(), "sluice-worker-kit-")));
    const site = await openTestSite((request, response) =>
      request.url === "/robots.txt" ? void response.writeHead(404).end() : handler(request, response),
    );
    return new WorkerKit(storage, site, transport);
  }

  /** One job with an item for each path; its lane has no rate unless the scraper says so. */
  async submit(
    paths: readonly string[],
    scraper: Partial<AnyScraper>,
    own: Partial<Pick<Submission, "extracts" | "maxItems">> = {},
    spec: Partial<JobSpec> = {},
  ): Promise<void> {
    const whole: AnyScraper = {
      ...page,
      site: this.site.url,
      pace: { perSecond: Infinity, concurrency: 50 },
      key: (input) => new URL((input as { url: string }).url).pathname,
      ...scraper,
    };
    const loaded = (one: AnyScraper, targets: readonly AnyScraper[]): LoadedScraper => ({
      scraper: one,
      source: "test",
      version: "v1",
      targets: new Map(targets.map((target) => [target.name, loaded(target, [])])),
    });
    this.#ready = await compileScraper(loaded(whole, targetsOf(whole)), own);
    const rows = paths.map((path, index) => ({
      line: index + 1,
      value: { url: new URL(path, this.site.url).href },
    }));
    const inputs = (async function* () {
      yield rows;
    })();
    const submission = {
      job: spec.id ?? JOB,
      client: spec.client ?? "test",
      ready: this.#ready,
      inputs,
      laneOf,
      ...own,
    };
    const { ledger } = this.storage;
    await createJob({ ...ledger, createJob: (made) => ledger.createJob({ ...made, ...spec }) }, submission);
    await loadInputs(this.storage.ledger, submission);
  }

  /** Runs one worker until the job is over, or until it is told to end. */
  async run(options: RunOptions = {}): Promise<JobView> {
    const { onSettled = ({ state }) => state === "done", isAlone, job = JOB, others = [] } = options;
    const over = new AbortController();
    const look = async () => {
      const views = await Promise.all([job, ...others].map((id) => this.job(id)));
      if (views.every(onSettled)) over.abort();
    };
    const ledger: Ledger = { ...this.storage.ledger, ...options.ledger };
    const http = async () => this.#collector(options.onRequest);
    await runWorker({
      name: "w1",
      ledger: {
        ...ledger,
        // A job whose last items are fresh ends in the claim.
        claim: async (request) => {
          const grant = await ledger.claim(request);
          if (grant.items.length === 0) await look();
          return grant;
        },
        settle: async (worker, items) => {
          const reply = await ledger.settle(worker, items);
          await look();
          return reply;
        },
      },
      blobs: { ...this.storage.blobs, ...options.blobs },
      packer: this.#packer,
      collectors: { http, browser: none, recording: none, auto: none, ...options.collectors?.(http) },
      laneOf,
      robotName: "sluice",
      software: "test",
      info: { host: "test", pid: process.pid, version: "test" },
      loadJob: async ({ job: id, revision }) => ({
        spec: (await this.job(id)).spec,
        revision,
        scrapers: jobScrapers(this.#ready!),
      }),
      jobs: [job, ...others],
      log: options.log ?? SILENT,
      signal: AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])]),
      ...(isAlone && { isAlone }),
    });
    return await this.job(job);
  }

  async job(id = JOB): Promise<JobView> {
    return (await this.storage.ledger.readJob(id))!;
  }

  async control(to: "pause" | "resume" | "cancel"): Promise<void> {
    await this.storage.ledger.controlJob(JOB, to);
  }

  async items(id = JOB): Promise<readonly ItemView[]> {
    return (await this.storage.ledger.listItems(id, { limit: 1000 })).items;
  }

  async item(path: string, id = JOB): Promise<ItemView> {
    return (await this.items(id)).find(({ key }) => key === path)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport.close();
    await this.#packer[Symbol.asyncDispose]();
    await this.site[Symbol.asyncDispose]();
    await this.storage[Symbol.asyncDispose]();
    await rm(this.storage.data, { recursive: true });
  }

  #collector(onRequest: RunOptions["onRequest"]): Collector<"http"> {
    return {
      open: async ({ tools, ...rest }) => {
        const gate: typeof tools.gate = async (url, options) => {
          const departure = await tools.gate(url, options);
          onRequest?.(url);
          return departure;
        };
        const watched = { ...rest, tools: { ...tools, gate } };
        return openHttpSession({ ...watched, transport: this.#transport, userAgent: "sluice" });
      },
      close: async () => {},
    };
  }
}
