import { seedBreaker } from "../domain/breaker.ts";
import { COLLECTOR_KINDS, type CollectorKind, kindsOf } from "../domain/job-version.ts";
import type { JobSpec, PinnedScraper } from "../domain/job.ts";
import { RANGES } from "../domain/number-range.ts";
import { laneNamed } from "./lane-pace.ts";
import type { Job, Queue } from "./records.ts";
import { newShare } from "./shares.ts";
import { type Transaction, want, type Want } from "./transaction.ts";

type Paces = Pick<PinnedScraper, "pace" | "sitePace">;

/** The pace of a scraper that declares none. */
const HEALED_PER_SECOND = 2;

const pacesOf = (spec: JobSpec, scraper: number): Paces => {
  const paces: Paces = spec.scrapers[scraper] ?? spec;
  // Jobs of older versions may have a rate that is no longer used: it was the client's, not the scraper's.
  return paces.sitePace === undefined && paces.pace.perSecond < RANGES.perSecond.min
    ? { pace: paces.pace, sitePace: { ...paces.pace, perSecond: HEALED_PER_SECOND } }
    : paces;
};

const orNull = (perSecond: number): number | null => (perSecond === Infinity ? null : perSecond);

const rates = ({ pace, sitePace = pace }: Paces) => ({
  perSecond: orNull(sitePace.perSecond),
  burst: sitePace.burst,
  concurrency: sitePace.concurrency,
  ownPerSecond: pace.perSecond < sitePace.perSecond ? pace.perSecond : null,
  ownConcurrency: pace.concurrency < sitePace.concurrency ? pace.concurrency : null,
});

const lower = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** The pace of a queue is the lowest pace of the scrapers that have had items in it. */
export const lowerPace = (tx: Transaction, queue: Queue, paces: Paces): Queue => {
  const limit = rates(paces);
  const next = {
    perSecond: lower(queue.perSecond, limit.perSecond),
    burst: Math.min(queue.burst, limit.burst),
    concurrency: Math.min(queue.concurrency, limit.concurrency),
    ownPerSecond: lower(queue.ownPerSecond, limit.ownPerSecond),
    ownConcurrency: lower(queue.ownConcurrency, limit.ownConcurrency),
  };
  const isSame = (Object.keys(next) as (keyof typeof next)[]).every((name) => next[name] === queue[name]);
  return isSame ? queue : tx.patch("queue", queue, next);
};

/** The facts of a job that never change; from its spec, the name of its scraper. */
export type JobFacts = Pick<Job, "number" | "client" | "keySeed" | "spec">;

/** What `queueFor` needs for inputs of these lanes. */
export const queueWants = ({ number, client, spec }: JobFacts, lanes: ReadonlySet<string>): Want[] => [
  want("service"),
  ...lanes
    .values()
    .flatMap((lane) => [
      want("laneNamed", lane),
      want("queueIn", number, lane),
      want("shareIn", lane, client),
      want("baselineIn", spec.scraper, lane),
    ]),
];

/** The queue of a job in a lane; created if it does not exist. */
export const queueFor = (tx: Transaction, job: Job, laneName: string, scraper: number): Queue => {
  const lane = laneNamed(tx, laneName);
  const loaded = tx.one("queueIn", job.number, laneName);
  const found = loaded
    ? tx.known("queue", loaded.id)
    : tx.added("queue", (queue) => queue.job === job.number && queue.lane === lane.id);
  const paces = pacesOf(job.spec, scraper);
  if (found) return job.spec.scrapers.length > 1 ? lowerPace(tx, found, paces) : found;
  const baseline = tx.one("baselineIn", job.spec.scraper, laneName);
  if (!tx.known("share", lane.id, job.client)) tx.put("share", newShare(lane.id, job.client));
  const service = tx.one("service")!;
  const id = service.lastQueue + 1;
  tx.patch("service", service, { lastQueue: id });
  const queue: Queue = {
    ...rates(paces),
    id,
    job: job.number,
    lane: lane.id,
    client: job.client,
    ownNextAt: 0,
    ownSlots: {},
    tail: 0,
    cursor: 0,
    open: 0,
    leased: 0,
    waiting: 0,
    isClaimable: job.state === "loading" || job.state === "running",
    hasFresh: false,
    dueAt: null,
    priority: job.spec.priority ?? 0,
    servedAt: 0,
    freshness: job.spec.freshness ?? null,
    kinds: kindBits(kindsOf(job.spec)),
    breaker: baseline ? seedBreaker(baseline.breaker) : null,
    isDoubtful: false,
    held: null,
    heldAt: null,
    probeAt: null,
    isProbing: false,
    trips: 0,
    jobId: job.id,
    revision: job.revision,
  };
  tx.put("queue", queue);
  return queue;
};

/** One bit for each kind, in the order of COLLECTOR_KINDS. */
export const kindBits = (kinds: Iterable<CollectorKind>): number => {
  let bits = 0;
  for (const kind of kinds) bits |= 1 << COLLECTOR_KINDS.indexOf(kind);
  return bits;
};

/** Whether a worker that takes `taken` (null for all) can run everything that needs `needed`. */
export const takesAll = (taken: number | null, needed: number): boolean =>
  taken === null || (needed & ~taken) === 0;
