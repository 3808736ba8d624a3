import { dateFields } from "../extraction/extract-spec.ts";
import type { JobPins } from "../domain/job-version.ts";
import type { JobSpec, RejectedInput } from "../domain/job.ts";
import type { JobLedger, PlannedItem } from "../ports/ledger.ts";
import { retentionOf } from "../scrapers/check-scraper.ts";
import { jobFields, type JobScraper, jobScrapers } from "../scrapers/load-pinned.ts";
import type { JobPace, CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { type InputRow, type LaneOf, planInput } from "./plan.ts";

export interface Submission {
  readonly job: string;
  readonly client: string;
  readonly ready: CompiledScraper;
  /** The scraper's own pace unless told; it can only be lowered. */
  readonly paceOf?: (ready: CompiledScraper) => JobPace;
  /** False for a job that only collects. */
  readonly extracts?: boolean;
  readonly inputs: AsyncIterable<readonly InputRow[]>;
  /** Stop reading after so many inputs. */
  readonly limit?: number;
  /** Items in all, emitted ones included. */
  readonly maxItems?: number;
  readonly options?: JobOptions;
  readonly laneOf: LaneOf;
  readonly onProgress?: (received: number) => void;
  readonly signal?: AbortSignal;
}

/** What a client may ask of its job beside the scraper and its inputs. */
export type JobOptions = Pick<
  JobSpec,
  | "priority"
  | "maxAttempts"
  | "deadlineAt"
  | "budget"
  | "freshness"
  | "labels"
  | "webhook"
  | "progressMs"
  | "isBatch"
  | "guardsTargets"
>;

/** Large enough that sorted keys share pages of the ledger's index, small enough to hold in memory. */
const BATCH = 20_000;
/** The first batch is small: work starts while the rest is still being read. */
const FIRST_BATCH = 500;
const TRICKLE_MS = 500;

export const createJob = async (
  ledger: Pick<JobLedger, "createJob">,
  submission: Omit<Submission, "inputs" | "laneOf"> & Partial<Submission>,
): Promise<void> => {
  const { job, client, ready, limit, maxItems = Number.MAX_SAFE_INTEGER, extracts = true } = submission;
  const { paceOf } = submission;
  const pins = pinnedOf(jobScrapers(ready), paceOf);
  const { name: scraper, source, version, pace, policy } = pins.scrapers[0]!;
  const retention = retentionOf(ready.scraper.retention ?? {});
  await ledger.createJob({
    id: job,
    client,
    scraper,
    source,
    version,
    pace,
    policy,
    ...pins,
    extracts,
    maxItems,
    ...(limit !== undefined && { limit }),
    ...(retention && { retention }),
    ...submission.options,
  });
};

/** What a job takes over from its scrapers. */
export const pinnedOf = (
  scrapers: readonly JobScraper[],
  paceOf: (ready: CompiledScraper) => JobPace = ({ pace }) => ({ pace }),
): JobPins => ({
  scrapers: scrapers.map(({ ready }) => ({
    name: ready.scraper.name,
    source: ready.source,
    version: ready.version,
    ...paceOf(ready),
    policy: ready.scraper.failures ?? {},
    extracts: ready.scraper.extract !== undefined,
    fields: ready.extraction?.fieldNames ?? [],
    required: ready.extraction?.required ?? [],
    dates: dateFields(ready.extraction),
    ...(ready.emits.some(({ target }) => target === ready.scraper.name) && { maxChain: ready.limits.chain }),
  })),
  ...jobFields(scrapers),
  // A job that finds nothing has no depth.
  maxDepth: scrapers.some(({ ready: { emits } }) => emits.length > 0) ? scrapers[0]!.ready.limits.depth : 0,
});

/**
 * Streams the inputs into the job, planned one by one; the job runs while it is being loaded. Also takes up a load that was
 * broken off: what the job already has is folded.
 */
export const loadInputs = async (
  ledger: JobLedger,
  { job, ready, inputs, limit = Infinity, laneOf, onProgress, signal }: Submission,
): Promise<{ readonly accepted: number }> => {
  let items: PlannedItem[] = [];
  let rejected: RejectedInput[] = [];
  let received = 0;
  let flushedAt = performance.now();
  let accepted = 0;
  let batch = FIRST_BATCH;
  const flush = async () => {
    const reply = await ledger.addItems(job, items, rejected);
    accepted += reply.accepted;
    if (items.length > 0) batch = BATCH;
    items = [];
    rejected = [];
    flushedAt = performance.now();
    onProgress?.(received);
  };
  reading: for await (const rows of untilAborted(inputs, signal)) {
    for (const row of rows) {
      if (signal?.aborted) break reading;
      received++;
      const planned = planInput(ready.scraper, row, laneOf);
      if ("item" in planned) items.push(planned.item);
      else rejected.push(planned.rejected);
      if (items.length + rejected.length >= batch) await flush();
      if (received >= limit) break reading; // at once: the next row may be long in coming
    }
    // Inputs that trickle in through a pipe do not wait for a full batch.
    if (items.length > 0 && performance.now() - flushedAt > TRICKLE_MS) await flush();
  }
  if (items.length + rejected.length > 0) await flush();
  if (!signal?.aborted) await ledger.sealJob(job);
  return { accepted };
};

/** Inputs may come from a pipe on which nothing arrives for hours: a stop does not wait for the next row. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  if (!signal) return yield* source;
  const rows = source[Symbol.asyncIterator]();
  try {
    while (!signal.aborted) {
      const next = await nextUnlessAborted(rows, signal);
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that waits for its next row does not answer before that.
    rows.return?.().catch(() => undefined);
  }
}

/** Not `Promise.race`: a signal that stays silent would keep all rows that it ever raced with in memory. */
const nextUnlessAborted = <T>(
  rows: AsyncIterator<T>,
  signal: AbortSignal,
): Promise<IteratorResult<T> | undefined> =>
  new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
    rows
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
