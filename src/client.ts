/** A typed client of the REST API. At run time it needs only `fetch`: `import { SluiceClient } from "sluice/client"`. The types are inferred from the API's schemas. */
import { VersionsClient } from "./client/versions.ts";
import { type DatasetCalls, datasetCalls } from "./client/datasets.ts";
import {
  type AddInputs,
  type InputStream,
  type Listening,
  type LiveEvent,
  readEvents,
} from "./client/streams.ts";
import type { Alerts } from "./schemas/alert.ts";
import type {
  Client,
  ClientChange,
  CreatedClient,
  CreatedKey,
  Key,
  Me,
  NewClient,
  Role,
} from "./schemas/client.ts";
import type { Page, PageQuery } from "./schemas/describe.ts";
import type { Capture, CaptureHead, Item, ItemQuery, ItemRecords } from "./schemas/item.ts";
import type {
  Batch,
  BatchResult,
  CreatedBatch,
  CreatedJob,
  FailureTimes,
  InputCheck,
  Job,
  JobQuery,
  ResultsQuery,
  Resume,
  RunDifference,
  Retry,
  Stopped,
  Stopping,
  Upload,
} from "./schemas/job.ts";
import type { NewBatch, NewJob } from "./schemas/job-options.ts";
import type {
  AuditEntry,
  AuditQuery,
  Deployment,
  JobLane,
  JobLaneQuery,
  Lane,
  LaneControl,
  LaneQuery,
  Scale,
  Scraper,
  ScraperEntry,
  ScraperQuery,
  Worker,
} from "./schemas/operations.ts";
import type { Prune, Pruned, Removal } from "./schemas/removal.ts";
import type {
  Delivery,
  DeliveryQuery,
  EventQuery,
  NewWebhook,
  Owner,
  Webhook,
  WebhookWithSecret,
} from "./schemas/webhook.ts";
import { queryText } from "./client/query.ts";
import { type InputSetCalls, inputSetCalls, type ScheduleCalls, scheduleCalls } from "./client/schedules.ts";
import { ask, askJson, type Asking, type ClientOptions } from "./client/ask.ts";

export type * from "./client/api-types.ts";
export { pages } from "./client/query.ts";
export { ProblemError } from "./client/problem-error.ts";

export class SluiceClient {
  readonly #options: ClientOptions;
  readonly versions: VersionsClient;

  /** Datasets, their releases, and the quality of the runs they are made of. */
  readonly datasets: DatasetCalls;
  readonly schedules: ScheduleCalls;
  readonly inputSets: InputSetCalls;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.versions = new VersionsClient(options);
    const calls = {
      json: <Answer>(method: string, path: string, asking?: Asking) =>
        askJson<Answer>(options, method, path, asking),
      stream: (path: string) => this.#stream(path),
    };
    this.datasets = datasetCalls(calls);
    this.schedules = scheduleCalls(calls.json);
    this.inputSets = inputSetCalls(calls.json, calls.stream);
  }

  /** The client and role of the key. */
  async whoAmI(): Promise<Me> {
    return await this.#json("GET", "/v1/me");
  }

  /** For browsers: keeps the key in a cookie that scripts cannot read, for twelve hours. */
  async beginSession(key: string): Promise<Me> {
    return await this.#json("POST", "/v1/session", {
      headers: { authorization: `Bearer ${key}` },
      isRepeatable: true,
    });
  }

  /** Removes the cookie. */
  async endSession(): Promise<void> {
    await ask(this.#options, "DELETE", "/v1/session", { isRepeatable: true });
  }

  /** Creates a job; only one, however often the connection breaks. */
  async createJob(job: NewJob): Promise<CreatedJob> {
    return await this.#json("POST", "/v1/jobs", { json: job, isCreation: true });
  }

  /**
   * Streams inputs into a job. It is not retried: after an error, `readUpload` returns how many inputs were taken. `offset` is the number of inputs before
   * the first one in the body; inputs that were taken before are skipped.
   */
  async addInputs(
    job: string,
    inputs: InputStream | Uint8Array<ArrayBuffer>,
    options: AddInputs = {},
  ): Promise<Upload> {
    const { format = "ndjson", isGzip, offset, seal, signal } = options;
    return await this.#json("POST", `${jobPath(job)}/inputs${queryText({ seal })}`, {
      ...(inputs instanceof Uint8Array ? { bytes: inputs } : { stream: inputs }),
      headers: {
        "content-type": INPUT_TYPES[format],
        ...(isGzip && { "content-encoding": "gzip" }),
        ...(offset !== undefined && { "upload-offset": String(offset) }),
      },
      ...(signal && { signal }),
    });
  }

  /** What a scraper would say to these inputs, up to the first 100,000. Nothing is stored, and nothing runs. */
  async checkInputs(
    scraper: string,
    inputs: Uint8Array<ArrayBuffer>,
    { format = "ndjson" }: Pick<AddInputs, "format"> = {},
  ): Promise<InputCheck> {
    return await this.#json("POST", `/v1/scrapers/${encodeURIComponent(scraper)}/check`, {
      bytes: inputs,
      headers: { "content-type": INPUT_TYPES[format] },
      isRepeatable: true,
    });
  }

  async readUpload(job: string): Promise<Upload> {
    return await this.#json("GET", `${jobPath(job)}/inputs`);
  }

  async sealJob(job: string): Promise<Job> {
    return await this.#json("POST", `${jobPath(job)}/seal`, { isRepeatable: true });
  }

  async getJob(job: string): Promise<Job> {
    return await this.#json("GET", jobPath(job));
  }

  /** When its attempts failed, by kind. */
  async getFailures(job: string): Promise<FailureTimes> {
    return await this.#json("GET", `${jobPath(job)}/failures`);
  }

  /** One page, newest first. */
  async listJobs(query: JobQuery & PageQuery = {}): Promise<Page<Job>> {
    return await this.#json("GET", `/v1/jobs${queryText({ ...query })}`);
  }

  /** Resolves when no further request of the job can reach a site, or after `waitMs` with `isQuiet: false`. */
  async pauseJob(job: string, options: Stopping = {}): Promise<Stopped> {
    return await this.#json("POST", `${jobPath(job)}/pause${queryText({ ...options })}`, {
      isRepeatable: true,
    });
  }

  async cancelJob(job: string, options: Stopping = {}): Promise<Stopped> {
    return await this.#json("POST", `${jobPath(job)}/cancel${queryText({ ...options })}`, {
      isRepeatable: true,
    });
  }

  /** Removes a job that has ended, or only its pages and files. */
  async removeJob(job: string, options: { readonly keep?: "records" } = {}): Promise<Removal> {
    return await this.#json("DELETE", `${jobPath(job)}${queryText({ ...options })}`, { isRepeatable: true });
  }

  async getRemoval(job: string): Promise<Removal> {
    return await this.#json("GET", `${jobPath(job)}/removal`);
  }

  /** For operators. Repeat it while `isMore` is true. */
  async prune(wish: Prune): Promise<Pruned> {
    return await this.#json("POST", "/v1/prune", { json: wish, isRepeatable: true });
  }

  /**
   * Higher limits accept inputs that were capped. `newVersion` continues with the current version of the scrapers: stored pages are read with it first,
   * and the job is paused until then.
   */
  async resumeJob(job: string, options: Resume = {}): Promise<Job> {
    return await this.#json("POST", `${jobPath(job)}/resume`, { json: options, isRepeatable: true });
  }

  async retryJob(job: string, which: Retry = {}): Promise<{ readonly job: Job; readonly retried: number }> {
    return await this.#json("POST", `${jobPath(job)}/retry`, { json: which });
  }

  async listItems(job: string, query: ItemQuery & PageQuery = {}): Promise<Page<Item>> {
    return await this.#json("GET", `${jobPath(job)}/items${queryText({ ...query })}`);
  }

  async getItem(job: string, item: string): Promise<Item> {
    return await this.#json("GET", itemPath(job, item));
  }

  /** With the status of each field and its place on the page. */
  async listItemRecords(job: string, item: string): Promise<ItemRecords> {
    return await this.#json("GET", `${itemPath(job, item)}/records`);
  }

  async listCaptures(job: string, item: string): Promise<Page<Capture>> {
    return await this.#json("GET", `${itemPath(job, item)}/captures`);
  }

  /** The body as received; `fetch` undoes its content coding. */
  async getCapture(job: string, item: string, number: number): Promise<ReadableStream<Uint8Array>> {
    return await this.#stream(`${itemPath(job, item)}/captures/${number}`);
  }

  async getCaptureHeaders(job: string, item: string, number: number): Promise<CaptureHead> {
    return await this.#json("GET", `${itemPath(job, item)}/captures/${number}/headers`);
  }

  /** The current records as a stream of bytes, even while the job runs. */
  async results(job: string, query: ResultsQuery = {}): Promise<ReadableStream<Uint8Array>> {
    return await this.#stream(`${jobPath(job)}/results${queryText({ ...query })}`);
  }

  /** One JSON line per item. */
  async manifest(job: string): Promise<ReadableStream<Uint8Array>> {
    return await this.#stream(`${jobPath(job)}/manifest`);
  }

  /** Compares the current records of two jobs that have ended: `job` with the one before. Reads all records of both. */
  async diffJobs(
    job: string,
    before: string,
    options: { readonly examples?: number } = {},
  ): Promise<RunDifference> {
    return await this.#json("GET", `${jobPath(job)}/diff${queryText({ before, ...options })}`);
  }

  async createBatch(batch: NewBatch): Promise<CreatedBatch> {
    return await this.#json("POST", "/v1/batches", { json: batch, isCreation: true });
  }

  async getBatch(batch: string): Promise<Batch> {
    return await this.#json("GET", `/v1/batches/${encodeURIComponent(batch)}`);
  }

  async listBatchResults(
    batch: string,
    query: Pick<ItemQuery, "state"> & PageQuery = {},
  ): Promise<Page<BatchResult>> {
    const path = `/v1/batches/${encodeURIComponent(batch)}/results`;
    return await this.#json("GET", `${path}${queryText({ ...query })}`);
  }

  async listScrapers(query: ScraperQuery & PageQuery = {}): Promise<Page<ScraperEntry>> {
    return await this.#json("GET", `/v1/scrapers${queryText({ ...query })}`);
  }

  async getScraper(scraper: string): Promise<Scraper> {
    return await this.#json("GET", `/v1/scrapers/${encodeURIComponent(scraper)}`);
  }

  /** Registers a scraper without code, or a new version of it: a recording and an `extract` block, as in `NAME.scraper.json`. */
  async registerScraper(scraper: string, declared: Readonly<Record<string, unknown>>): Promise<Scraper> {
    return await this.#json("PUT", `/v1/scrapers/${encodeURIComponent(scraper)}`, {
      json: declared,
      isRepeatable: true,
    });
  }

  async removeScraper(scraper: string): Promise<ScraperEntry> {
    return await this.#json("DELETE", `/v1/scrapers/${encodeURIComponent(scraper)}`);
  }

  /** For operators: a version of a scraper with all of its code, as `sluice deploy` makes it. The same bundle again changes nothing. */
  async deployScraper(
    scraper: string,
    bundle: Uint8Array<ArrayBuffer>,
    options: { readonly commit?: string } = {},
  ): Promise<Deployment> {
    return await this.#json(
      "PUT",
      `/v1/scrapers/${encodeURIComponent(scraper)}/bundle${queryText({ ...options })}`,
      { bytes: bundle, isRepeatable: true },
    );
  }

  async listJobLanes(job: string, query: JobLaneQuery & PageQuery = {}): Promise<Page<JobLane>> {
    return await this.#json("GET", `${jobPath(job)}/lanes${queryText({ ...query })}`);
  }

  async listLanes(query: LaneQuery & PageQuery = {}): Promise<Page<Lane>> {
    return await this.#json("GET", `/v1/lanes${queryText({ ...query })}`);
  }

  async getLane(lane: string): Promise<Lane> {
    return await this.#json("GET", `/v1/lanes/${encodeURIComponent(lane)}`);
  }

  async controlLane(lane: string, to: LaneControl): Promise<Lane> {
    return await this.#json("PATCH", `/v1/lanes/${encodeURIComponent(lane)}`, {
      json: to,
      isRepeatable: true,
    });
  }

  async listWorkers(): Promise<Page<Worker>> {
    return await this.#json("GET", "/v1/workers");
  }

  /** How many workers would be useful now; for operators and workers. */
  async getScale(): Promise<Scale> {
    return await this.#json("GET", "/v1/scale");
  }

  async listClients(): Promise<Page<Client>> {
    return await this.#json("GET", "/v1/clients");
  }

  async createClient(client: NewClient): Promise<CreatedClient> {
    return await this.#json("POST", "/v1/clients", { json: client, isCreation: true });
  }

  async getClient(client: string): Promise<Client> {
    return await this.#json("GET", clientPath(client));
  }

  /** Null removes a limit; limits that are not named stay. */
  async changeClient(client: string, to: ClientChange): Promise<Client> {
    return await this.#json("PATCH", clientPath(client), { json: to, isRepeatable: true });
  }

  async listKeys(client: string): Promise<Page<Key>> {
    return await this.#json("GET", `${clientPath(client)}/keys`);
  }

  /** Only this answer has the key itself. */
  async createKey(client: string, role: Role): Promise<CreatedKey> {
    return await this.#json("POST", `${clientPath(client)}/keys`, { json: { role }, isCreation: true });
  }

  /** A new key with the same role; the old one works until the grace period ends. */
  async rotateKey(client: string, key: string, graceSeconds = 0): Promise<CreatedKey> {
    const path = `${clientPath(client)}/keys/${encodeURIComponent(key)}/rotate`;
    return await this.#json("POST", path, { json: { graceSeconds }, isCreation: true });
  }

  async revokeKey(client: string, key: string): Promise<Key> {
    const path = `${clientPath(client)}/keys/${encodeURIComponent(key)}`;
    return await this.#json("DELETE", path, { isRepeatable: true });
  }

  async listWebhooks(owner: Owner = {}): Promise<Page<Webhook>> {
    return await this.#json("GET", `/v1/webhooks${queryText({ ...owner })}`);
  }

  /** Only this answer has the secret. */
  async createWebhook(webhook: NewWebhook, owner: Owner = {}): Promise<WebhookWithSecret> {
    return await this.#json("POST", `/v1/webhooks${queryText({ ...owner })}`, {
      json: webhook,
      isCreation: true,
    });
  }

  /** Deliveries are signed with the new and the previous secret. */
  async rotateWebhook(webhook: string, owner: Owner = {}): Promise<WebhookWithSecret> {
    const path = `/v1/webhooks/${encodeURIComponent(webhook)}/rotate`;
    return await this.#json("POST", `${path}${queryText({ ...owner })}`, { isCreation: true });
  }

  /** Sends an event of type `webhook.test`. */
  async testWebhook(webhook: string, owner: Owner = {}): Promise<Delivery> {
    const path = `/v1/webhooks/${encodeURIComponent(webhook)}/test`;
    return await this.#json("POST", `${path}${queryText({ ...owner })}`, { isCreation: true });
  }

  async removeWebhook(webhook: string, owner: Owner = {}): Promise<Webhook> {
    const path = `/v1/webhooks/${encodeURIComponent(webhook)}`;
    return await this.#json("DELETE", `${path}${queryText({ ...owner })}`);
  }

  /** One page, newest first. */
  async listDeliveries(query: DeliveryQuery & PageQuery = {}): Promise<Page<Delivery>> {
    return await this.#json("GET", `/v1/deliveries${queryText({ ...query })}`);
  }

  async replayDelivery(delivery: string): Promise<Delivery> {
    const path = `/v1/deliveries/${encodeURIComponent(delivery)}/replay`;
    return await this.#json("POST", path, { isRepeatable: true });
  }

  /** What is wrong with jobs now; for operators. */
  async listAlerts(): Promise<Alerts> {
    return await this.#json("GET", "/v1/alerts");
  }

  /** One page of the audit log, newest first; for operators. */
  async listAudit(query: AuditQuery & PageQuery = {}): Promise<Page<AuditEntry>> {
    return await this.#json("GET", `/v1/audit${queryText({ ...query })}`);
  }

  /** Live events until the connection ends. With `lastEventId`, none is missed for a week. */
  async *events(query: EventQuery = {}, listening: Listening = {}): AsyncGenerator<LiveEvent> {
    const { lastEventId, signal, onOpen } = listening;
    const stream = await this.#stream(`/v1/events${queryText({ ...query })}`, {
      ...(lastEventId !== undefined && { headers: { "last-event-id": lastEventId } }),
      ...(signal && { signal }),
    });
    onOpen?.();
    yield* readEvents(stream);
  }

  async #json<Answer>(method: string, path: string, asking: Asking = {}): Promise<Answer> {
    return await askJson(this.#options, method, path, asking);
  }

  async #stream(path: string, asking: Asking = {}): Promise<ReadableStream<Uint8Array>> {
    const { body } = await ask(this.#options, "GET", path, asking);
    return body ?? new ReadableStream({ start: (controller) => controller.close() });
  }
}

const INPUT_TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

const itemPath = (job: string, item: string): string => `${jobPath(job)}/items/${encodeURIComponent(item)}`;

const clientPath = (client: string): string => `/v1/clients/${encodeURIComponent(client)}`;

const jobPath = (job: string): string => `/v1/jobs/${encodeURIComponent(job)}`;
