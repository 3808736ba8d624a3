import { setImmediate, setTimeout as delay } from "node:timers/promises";
import type { JobCanary, JobPins } from "../domain/job-version.ts";
import { narrowProblem, narrowScraper } from "../domain/narrow-ladder.ts";
import type { JobSpec, RejectedInput } from "../domain/job.ts";
import type { JobLedger, PlannedItem } from "../ports/ledger.ts";
import { retentionOf } from "../scrapers/check-scraper.ts";
import { jobFields, type JobScraper, jobScrapers } from "../scrapers/load-pinned.ts";
import { type CompiledScraper, dateFields, type JobPace } from "../scrapers/compiled-scraper.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { type InputRow, type LaneOf, planInput } from "./plan.ts";

export interface Submission {
  readonly job: string;
  readonly client: string;
  readonly ready: CompiledScraper;
  /** Default: the scraper's own pace. It can only be lowered. */
  readonly paceOf?: (ready: CompiledScraper) => JobPace;
  /** False for a job that only collects. */
  readonly extracts?: boolean;
  readonly inputs: AsyncIterable<readonly InputRow[]>;
  /** Stop reading after this many inputs. */
  readonly limit?: number;
  /** Limit on items, including emitted ones. */
  readonly maxItems?: number;
  readonly options?: JobOptions;
  /** Other versions of the scrapers, for some of the items. */
  readonly canaryOf?: (spec: Pick<JobSpec, "scrapers" | "proxies">) => JobCanary;
  readonly laneOf: LaneOf;
  readonly onProgress?: (received: number) => void;
  readonly signal?: AbortSignal;
}

/** Options of a job besides the scraper and its inputs. */
export type JobOptions = Pick<
  JobSpec,
  | "priority"
  | "maxAttempts"
  | "deadlineAt"
  | "budget"
  | "proxies"
  | "freshness"
  | "labels"
  | "webhook"
  | "progressMs"
  | "isBatch"
  | "guardsTargets"
  | "inputsFrom"
  | "firing"
>;

/** Large enough that sorted keys share pages of the ledger's index. The ledger adds a batch in short transactions, between which others are answered. */
const BATCH = 10_000;
const LARGE_BATCH = 20_000;
/** Inputs may be long: a batch of a server is flushed after this many characters. */
const MOST_CHARACTERS = 1024 * 1024;
/** Rejected inputs have no keys to sort: a small batch costs no more, and others are answered sooner. */
const REJECTED_BATCH = 1000;
/** The first batch is small: work starts while the rest is still being read. */
const FIRST_BATCH = 500;
const TRICKLE_MS = 500;

type NewJob = Omit<Submission, "inputs" | "laneOf"> & Partial<Submission>;

export const createJob = async (ledger: Pick<JobLedger, "createJob">, submission: NewJob): Promise<void> =>
  await ledger.createJob(jobSpecOf(submission));

/** The job as the ledger gets it. */
export const jobSpecOf = (submission: NewJob): JobSpec => {
  const { job, client, ready, limit, maxItems = Number.MAX_SAFE_INTEGER, extracts = true } = submission;
  const { paceOf } = submission;
  const pins = pinnedOf(jobScrapers(ready), paceOf);
  const { name: scraper, source, version, pace, policy } = pins.scrapers[0]!;
  const retention = retentionOf(ready.scraper.retention ?? {});
  const { proxies } = submission.options ?? {};
  const scrapers = pins.scrapers.map((one) => narrowScraper(one, proxies));
  const canary = submission.canaryOf?.({ scrapers, ...(proxies && { proxies }) });
  return {
    id: job,
    client,
    scraper,
    source,
    version,
    pace,
    policy,
    ...pins,
    scrapers,
    ...(canary && { canary }),
    extracts,
    maxItems,
    ...(limit !== undefined && { limit }),
    ...(retention && { retention }),
    ...submission.options,
  };
};

/** What is wrong with the proxy tiers that a job asks for, if anything. */
export const proxiesProblem = (
  ready: CompiledScraper,
  proxies: readonly string[] | undefined,
): string | undefined =>
  proxies &&
  narrowProblem(
    jobScrapers(ready).map(({ ready: { scraper } }) => scraper),
    proxies,
  );

/** What a job copies from its scrapers. */
export const pinnedOf = (
  scrapers: readonly JobScraper[],
  paceOf: (ready: CompiledScraper) => JobPace = ({ pace }) => ({ pace }),
): JobPins => ({
  scrapers: scrapers.map(({ ready }) => ({
    name: ready.scraper.name,
    source: ready.source,
    version: ready.version,
    ...(ready.scraper.kind && { kind: ready.scraper.kind }),
    ...(ready.scraper.checkAgainst && { isCompared: true as const }),
    ...(ready.scraper.proxies && { proxies: ready.scraper.proxies }),
    ...paceOf(ready),
    policy: ready.scraper.failures ?? {},
    extracts: ready.scraper.extract !== undefined,
    fields: ready.extraction?.fieldNames ?? [],
    required: ready.extraction?.required ?? [],
    dates: dateFields(ready),
    ...(ready.emits.some(({ target }) => target === ready.scraper.name) && { maxChain: ready.limits.chain }),
  })),
  ...jobFields(scrapers),
  // A job that finds nothing has no depth.
  maxDepth: scrapers.some(({ ready: { emits } }) => emits.length > 0) ? scrapers[0]!.ready.limits.depth : 0,
});

interface InputLoad {
  readonly scraper: AnyScraper;
  readonly inputs: AsyncIterable<readonly InputRow[]>;
  readonly laneOf: LaneOf;
  /** Takes the next batch. */
  readonly add: (items: readonly PlannedItem[], rejected: readonly RejectedInput[]) => Promise<void>;
  /** Inputs to skip: they were loaded before. */
  readonly skip?: number;
  /** Stop reading after this many inputs. */
  readonly limit?: number;
  /** How many may still be rejected, and the error for the one after that. */
  readonly rejects?: { readonly most: number; readonly tooMany: (last: RejectedInput) => Error };
  /** This process serves no one else while it loads: batches may be large. */
  readonly isAlone?: boolean;
  /** Asked between rows, and at least twice a second: true stops reading. */
  readonly mustStop?: () => boolean;
}

/**
 * Plans inputs one by one and passes them on in batches. Every loader of inputs goes through here: `sluice run`, `sluice submit` and uploads over the API. Rows
 * that come slowly do not wait for a full batch.
 */
export const planInputs = async (load: InputLoad): Promise<void> => {
  const { scraper, inputs, laneOf, add, limit = Infinity, isAlone = false, mustStop = () => false } = load;
  const { most = Infinity, tooMany } = load.rejects ?? {};
  let { skip = 0 } = load;
  let rejects = 0;
  let items: PlannedItem[] = [];
  let rejected: RejectedInput[] = [];
  let received = 0;
  let characters = 0;
  let size = FIRST_BATCH;
  let flushedAt = performance.now();
  const flush = async (): Promise<void> => {
    if (items.length > 0) size = isAlone ? LARGE_BATCH : BATCH;
    const [some, bad] = [items, rejected];
    [items, rejected, characters] = [[], [], 0];
    await add(some, bad);
    flushedAt = performance.now();
  };
  reading: for await (const rows of withSilences(inputs, TRICKLE_MS)) {
    await setImmediate(); // others get their turn at the event loop
    for (const row of rows) {
      if (mustStop()) break reading;
      if (skip > 0) {
        skip--;
        continue;
      }
      received++;
      const planned = planInput(scraper, row, laneOf);
      if ("item" in planned) {
        items.push(planned.item);
        characters += planned.item.key.length + planned.item.input.length;
      } else if (rejects++ < most) rejected.push(planned.rejected);
      else {
        await flush();
        throw tooMany!(planned.rejected);
      }
      const isFull = items.length + rejected.length >= size || rejected.length >= REJECTED_BATCH;
      if (isFull || (characters >= MOST_CHARACTERS && !isAlone)) await flush();
      if (received >= limit) break reading; // at once: the next row may be long in coming
    }
    if (mustStop()) break;
    if (items.length + rejected.length > 0 && performance.now() - flushedAt > TRICKLE_MS) await flush();
  }
  if (items.length + rejected.length > 0) await flush();
};

/**
 * Streams the inputs into the job, which runs while it is being loaded. Also continues a load that was interrupted: inputs that the job has already
 * are folded.
 */
export const loadInputs = async (
  ledger: JobLedger,
  { job, ready, inputs, limit = Infinity, laneOf, onProgress, signal }: Submission,
): Promise<{ readonly accepted: number }> => {
  let accepted = 0;
  let received = 0;
  await planInputs({
    scraper: ready.scraper,
    inputs,
    laneOf,
    limit,
    isAlone: true,
    mustStop: () => signal?.aborted === true,
    add: async (items, rejected) => {
      accepted += (await ledger.addItems(job, items, rejected)).accepted;
      received += items.length + rejected.length;
      onProgress?.(received);
    },
  });
  if (!signal?.aborted) await ledger.sealJob(job);
  return { accepted };
};

/** The batches as they come, and an empty one each time that none has come for this long. */
export async function* withSilences<Row>(
  batches: AsyncIterable<readonly Row[]>,
  silenceMs: number,
): AsyncGenerator<readonly Row[]> {
  const source = batches[Symbol.asyncIterator]();
  try {
    let next = source.next();
    for (;;) {
      const came = await inTime(next, silenceMs);
      if (came === undefined) yield [];
      else if (came.done === true) return;
      else {
        yield came.value;
        next = source.next();
      }
    }
  } finally {
    // Not awaited: a silent source would block its reader until the next row comes.
    source.return?.().catch(() => undefined);
  }
}

const inTime = async <Result>(pending: Promise<Result>, ms: number): Promise<Result | undefined> => {
  const over = new AbortController();
  try {
    return await Promise.race([
      pending,
      delay(ms, undefined, { signal: over.signal }).catch(() => undefined),
    ]);
  } finally {
    over.abort();
  }
};
