import { type Cost, NO_COST, toMicro } from "../../domain/cost.ts";
import { type BlobRequest, type BlobUsage, jobOfBlob } from "../../ports/blobs.ts";

/** Price of 1,000 requests. Lists cost as much as writes; deletes are free. */
export interface RequestPrices {
  readonly writePrice?: number;
  readonly readPrice?: number;
}

/** Maximum number of jobs whose requests have not been reported: the oldest are dropped. */
const MOST_JOBS = 1000;

/** Counts the requests of this process. */
export class S3Usage implements BlobUsage {
  readonly #prices: Readonly<Record<BlobRequest["kind"], number>>;
  readonly #jobs = new Map<string, Cost>();
  readonly #watchers: ((request: BlobRequest) => void)[] = [];

  constructor({ writePrice = 0, readPrice = 0 }: RequestPrices) {
    const [write, read] = [toMicro(writePrice) / 1000, toMicro(readPrice) / 1000];
    this.#prices = { write, list: write, read, delete: 0 };
  }

  readonly count = (request: BlobRequest): void => {
    const { kind, name, requests, bytes } = request;
    for (const told of this.#watchers) told(request);
    const job = jobOfBlob(name);
    if (job === undefined) return;
    const before = this.#jobs.get(job) ?? NO_COST;
    this.#jobs.delete(job);
    this.#jobs.set(job, {
      requests: before.requests + requests,
      bytes: before.bytes + bytes,
      microCost: before.microCost + requests * this.#prices[kind],
    });
    if (this.#jobs.size > MOST_JOBS) this.#jobs.delete(this.#jobs.keys().next().value!);
  };

  watch(told: (request: BlobRequest) => void): void {
    this.#watchers.push(told);
  }

  /** A fraction of a millionth is kept for the next time. */
  take(job: string): Cost | undefined {
    const cost = this.#jobs.get(job);
    if (!cost || cost.requests === 0) return undefined;
    const microCost = Math.floor(cost.microCost);
    this.#jobs.set(job, { ...NO_COST, microCost: cost.microCost - microCost });
    return { ...cost, microCost };
  }
}
