/** A typed client of the service's REST API. It needs nothing but `fetch`, and may be used by itself: `import { SluiceClient } from "sluice/client"`. */
import type * as Api from "./client/api-types.ts";
import type { Client, CreatedKey, Key, Me, NewClient } from "./client/client-types.ts";
import { ask, type Asking, type ClientOptions } from "./client/ask.ts";

export type * from "./client/api-types.ts";
export type * from "./client/client-types.ts";
export type { ClientOptions } from "./client/ask.ts";
export { ProblemError } from "./client/problem-error.ts";

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

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

  async resumeJob(job: string): Promise<Api.Job> {
    return await this.#json("POST", `${jobPath(job)}/resume`, { isRepeatable: true });
  }

  async retryJob(
    job: string,
    which: Api.Retry = {},
  ): Promise<{ readonly job: Api.Job; readonly retried: number }> {
    return await this.#json("POST", `${jobPath(job)}/retry`, { json: which });
  }

  async listItems(job: string, query: Api.ItemQuery & Api.PageQuery = {}): Promise<Api.Page<Api.Item>> {
    return await this.#json("GET", `${jobPath(job)}/items${queryText({ ...query })}`);
  }

  async getItem(job: string, item: string): Promise<Api.Item> {
    return await this.#json("GET", `${jobPath(job)}/items/${encodeURIComponent(item)}`);
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

  async listScrapers(query: Api.PageQuery = {}): Promise<Api.Page<Api.Scraper>> {
    return await this.#json("GET", `/v1/scrapers${queryText({ ...query })}`);
  }

  async listLanes(query: Api.PageQuery = {}): Promise<Api.Page<Api.Lane>> {
    return await this.#json("GET", `/v1/lanes${queryText({ ...query })}`);
  }

  async steerLane(lane: string, to: Api.LaneSteering): Promise<Api.Lane> {
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

  async createClient(client: NewClient): Promise<Client> {
    return await this.#json("POST", "/v1/clients", { json: client, isOnce: true });
  }

  async listKeys(client: string): Promise<Api.Page<Key>> {
    return await this.#json("GET", `/v1/clients/${encodeURIComponent(client)}/keys`);
  }

  /** The key itself is in this answer and nowhere else. */
  async createKey(client: string, role: Api.Role): Promise<CreatedKey> {
    return await this.#json("POST", `/v1/clients/${encodeURIComponent(client)}/keys`, {
      json: { role },
      isOnce: true,
    });
  }

  async revokeKey(client: string, key: string): Promise<Key> {
    const path = `/v1/clients/${encodeURIComponent(client)}/keys/${encodeURIComponent(key)}`;
    return await this.#json("DELETE", path, { isRepeatable: true });
  }

  async #json<Answer>(method: string, path: string, asking: Asking = {}): Promise<Answer> {
    const response = await ask(this.#options, method, path, asking);
    return (await response.json()) as Answer;
  }

  async #stream(path: string): Promise<ReadableStream<Uint8Array>> {
    const { body } = await ask(this.#options, "GET", path);
    return body ?? new ReadableStream({ start: (controller) => controller.close() });
  }
}

/** All entries of a list, page by page: `for await (const job of pages((page) => client.listJobs(page)))`. */
export async function* pages<Entry>(
  list: (page: Api.PageQuery) => Promise<Api.Page<Entry>>,
  limit?: number,
): AsyncGenerator<Entry> {
  let cursor: string | undefined;
  do {
    const page = await list({
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
    });
    yield* page.data;
    cursor = page.next;
  } while (cursor !== undefined);
}

const jobPath = (job: string): string => `/v1/jobs/${encodeURIComponent(job)}`;

const queryText = (query: Query): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
};
