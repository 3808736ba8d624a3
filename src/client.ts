/** A typed client of the service's REST API. It needs nothing but `fetch`, and may be used by itself: `import { SluiceClient } from "sluice-jobs/client"`. */
import type * as Api from "./client/api-types.ts";
import type { AuditEntry, AuditQuery } from "./client/audit-types.ts";
import type { Client, CreatedClient, CreatedKey, Key, Me, NewClient } from "./client/client-types.ts";
import type * as Events from "./client/event-types.ts";
import type * as Items from "./client/item-types.ts";
import type * as Removals from "./client/removal-types.ts";
import { queryText } from "./client/query-text.ts";
import { readEvents } from "./client/read-events.ts";
import { ask, askJson, type Asking, type ClientOptions } from "./client/ask.ts";

export type * from "./client/api-types.ts";
export type * from "./client/audit-types.ts";
export type * from "./client/client-types.ts";
export type * from "./client/event-types.ts";
export type * from "./client/item-types.ts";
export type * from "./client/removal-types.ts";
export type { ClientOptions } from "./client/ask.ts";
export { pages } from "./client/pages.ts";
export { ProblemError } from "./client/problem-error.ts";

export class SluiceClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Whose key it is. */
  async whoAmI(): Promise<Me> {
    return await this.#json("GET", "/v1/me");
  }

  /** Starts a job. Made once, however often the connection breaks. */
  async createJob(
    job: Api.NewJob,
  ): Promise<{ readonly job: Api.Job; readonly rejected: readonly Api.RejectedInput[] }> {
    return await this.#json("POST", "/v1/jobs", { json: job, isOnce: true });
  }

  /**
   * Streams inputs into a job. Tried once: after an error, `readUpload` tells how many were taken, and `offset` says how many inputs come before the
   * first of the body; those that were taken are passed over.
   */
  async addInputs(job: string, inputs: Api.InputStream, options: Api.AddInputs = {}): Promise<Api.Upload> {
    const { format = "ndjson", isGzip, offset, seal, signal } = options;
    return await this.#json("POST", `${jobPath(job)}/inputs${queryText({ seal })}`, {
      stream: inputs,
      headers: {
        "content-type": format === "csv" ? "text/csv" : "application/x-ndjson",
        ...(isGzip && { "content-encoding": "gzip" }),
        ...(offset !== undefined && { "upload-offset": String(offset) }),
      },
      ...(signal && { signal }),
    });
  }

  async readUpload(job: string): Promise<Api.Upload> {
    return await this.#json("GET", `${jobPath(job)}/inputs`);
  }

  async sealJob(job: string): Promise<Api.Job> {
    return await this.#json("POST", `${jobPath(job)}/seal`, { isRepeatable: true });
  }

  async getJob(job: string): Promise<Api.Job> {
    return await this.#json("GET", jobPath(job));
  }

  /** One page, the newest first. */
  async listJobs(query: Api.JobQuery & Api.PageQuery = {}): Promise<Api.Page<Api.Job>> {
    return await this.#json("GET", `/v1/jobs${queryText({ ...query })}`);
  }

  /** Resolves when no further request of the job can reach a site, or after `waitMs` with `isQuiet: false`. */
  async pauseJob(job: string, options: Api.Stopping = {}): Promise<Api.Stopped> {
    return await this.#json("POST", `${jobPath(job)}/pause${queryText({ ...options })}`, {
      isRepeatable: true,
    });
  }

  async cancelJob(job: string, options: Api.Stopping = {}): Promise<Api.Stopped> {
    return await this.#json("POST", `${jobPath(job)}/cancel${queryText({ ...options })}`, {
      isRepeatable: true,
    });
  }

  /** Removes a job that has ended, or only its pages and files. */
  async removeJob(job: string, options: { readonly keep?: "records" } = {}): Promise<Removals.Removal> {
    return await this.#json("DELETE", `${jobPath(job)}${queryText({ ...options })}`, { isRepeatable: true });
  }

  async getRemoval(job: string): Promise<Removals.Removal> {
    return await this.#json("GET", `${jobPath(job)}/removal`);
  }

  /** For operators. Asked again while there is more. */
  async prune(wish: Removals.Prune): Promise<Removals.Pruned> {
    return await this.#json("POST", "/v1/prune", { json: wish, isRepeatable: true });
  }

  /**
   * With limits, under higher ones than the job had: it goes on with inputs that were capped. With `newVersion`, with its scrapers as they are now: first
   * what is stored is read with them, and the job is paused for that long.
   */
  async resumeJob(
    job: string,
    options: Api.JobCaps & { readonly newVersion?: boolean } = {},
  ): Promise<Api.Job> {
    return await this.#json("POST", `${jobPath(job)}/resume`, { json: options, isRepeatable: true });
  }

  async retryJob(
    job: string,
    which: Api.Retry = {},
  ): Promise<{ readonly job: Api.Job; readonly retried: number }> {
    return await this.#json("POST", `${jobPath(job)}/retry`, { json: which });
  }

  async listItems(job: string, query: Items.ItemQuery & Api.PageQuery = {}): Promise<Api.Page<Items.Item>> {
    return await this.#json("GET", `${jobPath(job)}/items${queryText({ ...query })}`);
  }

  async getItem(job: string, item: string): Promise<Items.Item> {
    return await this.#json("GET", itemPath(job, item));
  }

  /** With the status and place of each field. */
  async listItemRecords(job: string, item: string): Promise<Items.ItemRecords> {
    return await this.#json("GET", `${itemPath(job, item)}/records`);
  }

  async listCaptures(job: string, item: string): Promise<Api.Page<Items.Capture>> {
    return await this.#json("GET", `${itemPath(job, item)}/captures`);
  }

  /** The body as it came over the wire; `fetch` has undone its content coding. */
  async getCapture(job: string, item: string, number: number): Promise<ReadableStream<Uint8Array>> {
    return await this.#stream(`${itemPath(job, item)}/captures/${number}`);
  }

  async getCaptureHeaders(job: string, item: string, number: number): Promise<Items.CaptureHead> {
    return await this.#json("GET", `${itemPath(job, item)}/captures/${number}/headers`);
  }

  /** The records as they are now, as a stream of bytes; also while the job still runs. */
  async results(job: string, query: Api.ResultsQuery = {}): Promise<ReadableStream<Uint8Array>> {
    return await this.#stream(`${jobPath(job)}/results${queryText({ ...query })}`);
  }

  /** One JSON line for each item. */
  async manifest(job: string): Promise<ReadableStream<Uint8Array>> {
    return await this.#stream(`${jobPath(job)}/manifest`);
  }

  async createBatch(batch: Api.NewBatch): Promise<Api.CreatedBatch> {
    return await this.#json("POST", "/v1/batches", { json: batch, isOnce: true });
  }

  async getBatch(batch: string): Promise<Api.Batch> {
    return await this.#json("GET", `/v1/batches/${encodeURIComponent(batch)}`);
  }

  async listBatchResults(
    batch: string,
    query: Pick<Items.ItemQuery, "state"> & Api.PageQuery = {},
  ): Promise<Api.Page<Api.BatchResult>> {
    const path = `/v1/batches/${encodeURIComponent(batch)}/results`;
    return await this.#json("GET", `${path}${queryText({ ...query })}`);
  }

  async listScrapers(query: Api.PageQuery = {}): Promise<Api.Page<Api.ScraperEntry>> {
    return await this.#json("GET", `/v1/scrapers${queryText({ ...query })}`);
  }

  async getScraper(scraper: string): Promise<Api.Scraper> {
    return await this.#json("GET", `/v1/scrapers/${encodeURIComponent(scraper)}`);
  }

  async listLanes(query: Api.PageQuery = {}): Promise<Api.Page<Api.Lane>> {
    return await this.#json("GET", `/v1/lanes${queryText({ ...query })}`);
  }

  async getLane(lane: string): Promise<Api.Lane> {
    return await this.#json("GET", `/v1/lanes/${encodeURIComponent(lane)}`);
  }

  async controlLane(lane: string, to: Api.LaneControl): Promise<Api.Lane> {
    return await this.#json("PATCH", `/v1/lanes/${encodeURIComponent(lane)}`, {
      json: to,
      isRepeatable: true,
    });
  }

  async listWorkers(): Promise<Api.Page<Api.Worker>> {
    return await this.#json("GET", "/v1/workers");
  }

  async listClients(): Promise<Api.Page<Client>> {
    return await this.#json("GET", "/v1/clients");
  }

  async createClient(client: NewClient): Promise<CreatedClient> {
    return await this.#json("POST", "/v1/clients", { json: client, isOnce: true });
  }

  async getClient(client: string): Promise<Client> {
    return await this.#json("GET", clientPath(client));
  }

  /** Null takes a limit away; what is not named stays. */
  async changeClient(client: string, to: Omit<NewClient, "name">): Promise<Client> {
    return await this.#json("PATCH", clientPath(client), { json: to, isRepeatable: true });
  }

  async listKeys(client: string): Promise<Api.Page<Key>> {
    return await this.#json("GET", `${clientPath(client)}/keys`);
  }

  /** The key itself is in this answer and nowhere else. */
  async createKey(client: string, role: Api.Role): Promise<CreatedKey> {
    return await this.#json("POST", `${clientPath(client)}/keys`, { json: { role }, isOnce: true });
  }

  /** Another with the same role; the old one works on for the time of grace. */
  async rotateKey(client: string, key: string, graceSeconds = 0): Promise<CreatedKey> {
    const path = `${clientPath(client)}/keys/${encodeURIComponent(key)}/rotate`;
    return await this.#json("POST", path, { json: { graceSeconds }, isOnce: true });
  }

  async revokeKey(client: string, key: string): Promise<Key> {
    const path = `${clientPath(client)}/keys/${encodeURIComponent(key)}`;
    return await this.#json("DELETE", path, { isRepeatable: true });
  }

  async listWebhooks(owner: Events.Owner = {}): Promise<Api.Page<Events.Webhook>> {
    return await this.#json("GET", `/v1/webhooks${queryText({ ...owner })}`);
  }

  /** The secret is in this answer and nowhere else. */
  async createWebhook(
    webhook: Events.NewWebhook,
    owner: Events.Owner = {},
  ): Promise<Events.WebhookWithSecret> {
    return await this.#json("POST", `/v1/webhooks${queryText({ ...owner })}`, {
      json: webhook,
      isOnce: true,
    });
  }

  /** What is sent is signed with the new secret and the last one. */
  async rotateWebhook(webhook: string, owner: Events.Owner = {}): Promise<Events.WebhookWithSecret> {
    const path = `/v1/webhooks/${encodeURIComponent(webhook)}/rotate`;
    return await this.#json("POST", `${path}${queryText({ ...owner })}`, { isOnce: true });
  }

  async removeWebhook(webhook: string, owner: Events.Owner = {}): Promise<Events.Webhook> {
    const path = `/v1/webhooks/${encodeURIComponent(webhook)}`;
    return await this.#json("DELETE", `${path}${queryText({ ...owner })}`);
  }

  /** One page, the newest first. */
  async listDeliveries(query: Events.DeliveryQuery & Api.PageQuery = {}): Promise<Api.Page<Events.Delivery>> {
    return await this.#json("GET", `/v1/deliveries${queryText({ ...query })}`);
  }

  async replayDelivery(delivery: string): Promise<Events.Delivery> {
    const path = `/v1/deliveries/${encodeURIComponent(delivery)}/replay`;
    return await this.#json("POST", path, { isRepeatable: true });
  }

  /** For operators: one page of what was changed, the newest first. */
  async listAudit(query: AuditQuery & Api.PageQuery = {}): Promise<Api.Page<AuditEntry>> {
    return await this.#json("GET", `/v1/audit${queryText({ ...query })}`);
  }

  /** What happens, for as long as the connection lasts; after `lastEventId` nothing is missed for a week. */
  async *events(
    query: Events.EventQuery = {},
    listening: Events.Listening = {},
  ): AsyncGenerator<Events.LiveEvent> {
    const { lastEventId, signal } = listening;
    const stream = await this.#stream(`/v1/events${queryText({ ...query })}`, {
      ...(lastEventId !== undefined && { headers: { "last-event-id": lastEventId } }),
      ...(signal && { signal }),
    });
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

const itemPath = (job: string, item: string): string => `${jobPath(job)}/items/${encodeURIComponent(item)}`;

const clientPath = (client: string): string => `/v1/clients/${encodeURIComponent(client)}`;

const jobPath = (job: string): string => `/v1/jobs/${encodeURIComponent(job)}`;
