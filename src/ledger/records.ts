import type { AutoState } from "../domain/auto-mode.ts";
import type { BreakerState } from "../domain/breaker.ts";
import type { CaptureRef, RecordRange } from "../domain/capture.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type { Failure, FailureKind } from "../domain/failure.ts";
import type { FailureTimes } from "../domain/failure-times.ts";
import type { AnswerKind, Change } from "../domain/freshness.ts";
import type { PastAttempt, Skipped, TierCost } from "../domain/item.ts";
import type { Cap, Freshness, JobSpec, JobState, Pause, RejectedInput } from "../domain/job.ts";
import type { TierCosts } from "../domain/cost.ts";
import type { LaneSpeed } from "../domain/lane-speed.ts";
import type { LaneUse } from "../domain/lane-use.ts";
import type { LadderState } from "../domain/proxy-ladder.ts";
import type { Client, Share } from "./client-record.ts";
import type { StoredDocument } from "../ports/documents.ts";
import type { Grant, PulseReply } from "../ports/ledger.ts";
import type { WorkerInfo } from "../ports/registry.ts";

export type { Client, Share } from "./client-record.ts";

/**
 * The records that the ledger's rules read and write. An engine can store each kind in its own way; `keyOf` identifies a record
 * within its kind. Records are replaced as a whole, never changed in place: a rule that runs again starts from what was loaded.
 */

/** A lane. Lane 0 represents all workers together: clients share it like the slots of a lane. */
export interface Lane extends LaneUse {
  readonly id: number;
  readonly name: string;
  /** Booked slots, see `SlotBook`. */
  readonly tat: number;
  readonly intervalMs: number;
  readonly spare: readonly number[];
  readonly ahead: readonly number[];
  /** The learned speed; null at full speed. */
  readonly speed: LaneSpeed | null;
  readonly holdUntil: number;
  readonly holdReason: string | null;
  readonly crawlDelayMs: number | null;
  readonly crawlUntil: number;
  readonly operatorPerSecond: number | null;
  readonly isHeldByOperator: boolean;
  /** Fresh items claimed since the last retry, see invariant 5. */
  readonly freshRun: number;
  /** The position of the client with the least share: new clients start there. */
  readonly floor: number;
  /** What was learned about pages of `auto` scrapers, by version and template; most recently used last. */
  readonly ways: Readonly<Record<string, AutoState>>;
  /** What is known about proxy tiers, by the names of the ladder's tiers, separated by commas; most recently used last. */
  readonly tiers: Readonly<Record<string, LadderState>>;
  /** Total cost of its items by proxy tier, over all jobs. */
  readonly spent: TierCosts;
  /** The lowest rate of the active queues, and their number. Computed when it is loaded, never stored. */
  readonly lowestPerSecond: number | null;
  readonly goingQueues: number;
}

/** One job's items in one lane, in the order of their places. */
export interface Queue {
  readonly id: number;
  readonly job: number;
  readonly lane: number;
  readonly client: string;
  /** The pace that the scraper allows; null without a rate. */
  readonly perSecond: number | null;
  readonly burst: number;
  readonly concurrency: number;
  /** The pace that the job asks for, if it is lower. */
  readonly ownPerSecond: number | null;
  readonly ownConcurrency: number | null;
  /** When the next slot of the job's own pace can be booked. */
  readonly ownNextAt: number;
  /** Theoretical time of the latest slot of the own pace, by lane id. */
  readonly ownSlots: Readonly<Record<string, number>>;
  /** The last place given to an item, and the last place claimed. */
  readonly tail: number;
  readonly cursor: number;
  /** Items that have not ended, and how many of them are in flight or wait for a time. */
  readonly open: number;
  readonly leased: number;
  readonly waiting: number;
  /** Whether items may be claimed: neither stopped nor held. */
  readonly isClaimable: boolean;
  /** Whether a place after the cursor has an item. */
  readonly hasFresh: boolean;
  /** When the first retry is due; null without one. It may be too early, but never too late. */
  readonly dueAt: number | null;
  readonly priority: number;
  readonly servedAt: number;
  readonly freshness: Freshness | null;
  /** A bit for each kind of collector that its items need, see `kind-bits.ts`. */
  readonly kinds: number;
  readonly breaker: BreakerState | null;
  /** The breaker is near its limit: fewer items run at the same time. */
  readonly isDoubtful: boolean;
  /** Evidence of the breaker while the queue is held. */
  readonly held: unknown;
  readonly heldAt: number | null;
  readonly probeAt: number | null;
  readonly isProbing: boolean;
  readonly trips: number;
  /** Priority of its job. Computed when it is loaded, never stored. */
  readonly jobId: string;
  readonly revision: number;
}

export interface FailureCount {
  readonly final: number;
  readonly attempts: number;
  readonly exampleKey: string;
  readonly exampleDetail: string;
}

export interface Job {
  readonly number: number;
  readonly id: string;
  readonly client: string;
  readonly spec: JobSpec;
  readonly state: JobState;
  readonly isSealed: boolean;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly deadlineAt: number | null;
  readonly spentAt: number | null;
  readonly paused: Pause | null;
  readonly revision: number;
  readonly reopenedAt: number | null;
  readonly keySeed: number | null;
  readonly received: number;
  readonly accepted: number;
  readonly folded: number;
  readonly rejected: number;
  readonly rejects: readonly RejectedInput[];
  readonly capped: Readonly<Record<Cap, number>>;
  readonly done: number;
  readonly absent: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cancelled: number;
  readonly partial: number;
  readonly requests: number;
  readonly bytes: number;
  readonly fieldCounts: readonly number[];
  readonly failures: Readonly<Partial<Record<FailureKind, FailureCount>>>;
  readonly changes: Readonly<Partial<Record<Change, number>>>;
  /** By proxy tier. */
  readonly costs: TierCosts;
}

/** Only for jobs in which something has failed. */
interface JobFailureTimes extends FailureTimes {
  readonly job: number;
}

/** A run of items that is leased to a worker: the places that are not settled, as pairs of first and last. */
export interface Lease {
  readonly id: number;
  readonly queue: number;
  readonly job: number;
  readonly client: string;
  readonly open: readonly number[];
  /** Some of the items have a `Retry`. */
  readonly hasRetries: boolean;
}

interface Sent {
  readonly number: number;
  readonly at: number;
}

export interface Worker {
  readonly name: string;
  /** Its leases end if no pulse arrives by this time; null for a worker that has registered and not claimed yet. */
  readonly until: number | null;
  readonly isAlone: boolean;
  readonly jobs: readonly string[] | null;
  readonly info: WorkerInfo | null;
  readonly registeredAt: number;
  readonly leases: readonly Lease[];
  /** Number of the next lease. */
  readonly nextLease: number;
  /**
   * Items that were running at the last pulse, as pairs of queue and place: if the worker dies, these and all leases from
   * `pulseLease` on are suspects.
   */
  readonly running: readonly number[];
  readonly pulseLease: number;
  /** Spent on items that are not settled, as triples of queue, requests and bytes. */
  readonly unsettled: readonly number[];
  /** The part that went through proxies. */
  readonly unsettledTiers: readonly (TierCost & { readonly queue: number })[];
  /** Items in flight, by the name of their lane: they use places of its concurrency. */
  readonly inFlight: Readonly<Record<string, number>>;
  /** Items that may be running, by queue and by client: those named in the last pulse, and those claimed after it. */
  readonly runningIn: Readonly<Record<string, number>>;
  readonly runningBy: Readonly<Record<string, number>>;
  /** Queues that have stopped with items of this worker; reported when a pulse has said so. */
  readonly stops: readonly { readonly job: number; readonly queue: number; readonly isTold: boolean }[];
  /** The last numbered claim and pulse, with the time and the response: if sent again, they get the same response. */
  readonly lastClaim:
    | (Sent & { readonly leases: readonly number[]; readonly grant: Omit<Grant, "items"> })
    | null;
  readonly lastPulse: (Sent & { readonly reply: PulseReply | null }) | null;
}

export interface Item {
  readonly queue: number;
  readonly seq: number;
  readonly key: string;
  /** JSON text. */
  readonly input: string;
  readonly scraper: number;
  readonly depth: number;
  readonly chain: number;
  readonly parentQueue: number | null;
  readonly parentSeq: number | null;
}

/** The part of an item that a claim needs. Never written. */
export type FreshItem = Pick<Item, "queue" | "seq" | "key" | "input" | "scraper">;

/** An input that a limit of its job excludes: it has a key and a place like an item. */
export interface CappedItem extends Item {
  readonly cap: Cap;
}

export interface ItemKey {
  readonly job: number;
  readonly hash: number;
  readonly queue: number;
  readonly seq: number;
}

/**
 * What is known about an item beyond its first attempt: it waits for a time, was returned, is a suspect, has acted, or has failed
 * before. `dueAt` is null while the item is in flight and after it has ended.
 */
export interface Retry {
  readonly queue: number;
  readonly seq: number;
  readonly state: "queued" | "waiting" | "suspect";
  readonly dueAt: number | null;
  readonly attempts: number;
  readonly throttles: number;
  readonly hasActed: boolean;
  /** How often a process that ran only this item has died. */
  readonly blamed: number;
  readonly unexplained: number;
  /** The item that it waits for, which another job is fetching; `isFree` when it must not wait again. */
  readonly leaderQueue: number | null;
  readonly leaderSeq: number | null;
  readonly isFree: boolean;
  /** Of the last attempt. */
  readonly last: LastResult | null;
  readonly history: readonly PastRow[];
}

export const newRetry = (queue: number, seq: number): Retry => ({
  queue,
  seq,
  state: "queued",
  dueAt: null,
  attempts: 0,
  throttles: 0,
  hasActed: false,
  blamed: 0,
  unexplained: 0,
  leaderQueue: null,
  leaderSeq: null,
  isFree: false,
  last: null,
  history: [],
});

/** A past attempt as it is stored: its version is given by the job's revision, 0 if omitted. */
export type PastRow = Omit<PastAttempt, "version"> & { readonly revision?: number };

export interface LastResult {
  readonly failure: Failure | null;
  readonly captures: readonly CaptureRef[];
  readonly records: RecordRange | null;
  /** [started at, ms, requests, bytes, worker, why it is absent, lease, use of proxies]; the last is omitted if no proxy was used. */
  readonly attempt: readonly unknown[] | null;
  readonly revision: number;
}

export const ENDED = { done: 3, absent: 4, failed: 5, skipped: 6, cancelled: 7 } as const;
export type EndedState = keyof typeof ENDED;

/** The end of an item. */
export interface Result extends LastResult {
  readonly queue: number;
  readonly seq: number;
  readonly state: EndedState;
  readonly attempts: number;
  readonly endedAt: number;
  readonly quality: "complete" | "partial" | null;
  readonly skipped: Skipped | null;
  readonly change: Change | null;
}

/** The last good response for a key, and the last failure (`isFailure`). The owner is a client, or '' if it may be shared. */
export interface FreshAnswer {
  readonly key: string;
  readonly scraper: string;
  readonly owner: string;
  readonly isFailure: boolean;
  readonly version: string;
  readonly job: string;
  readonly queue: number;
  readonly seq: number;
  readonly fetchedAt: number;
  readonly freshUntil: number;
  readonly outcome: AnswerKind;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly url: string | null;
  readonly digest: string | null;
}

/** An item in flight of a job with `freshness`: others may wait for it. */
export interface Fetch {
  readonly queue: number;
  readonly seq: number;
  readonly job: string;
  readonly client: string;
  readonly scraper: string;
  readonly version: string;
  readonly key: string;
}

/** The baseline of a scraper's lane, carried over from one job to the next. */
interface Baseline {
  readonly scraper: string;
  readonly lane: number;
  readonly breaker: BreakerState;
}

/** What the service as a whole remembers. */
interface Service {
  readonly id: 1;
  /** The clock at the last claim, and how far it was ahead of the machine's monotonic clock since the machine started. */
  readonly latestAt: number;
  readonly boot: string;
  readonly aheadMs: number;
  /** Ids that were given out are never used again. */
  readonly lastQueue: number;
  readonly lastLane: number;
  readonly lastJob: number;
}

/** What a worker must know about the others: the places of a lane are divided among the workers that take the same items. Never written. */
export interface Peer extends Pick<
  Worker,
  "name" | "isAlone" | "jobs" | "inFlight" | "runningIn" | "runningBy"
> {
  readonly isDraining: boolean;
  /** Names of the lanes that it serves, and the kinds that it takes; null for all. */
  readonly lanes: readonly string[] | null;
  readonly kinds: readonly CollectorKind[] | null;
}

/** An item with its retry. Never written. */
export interface DueItem extends Item, Omit<Retry, "queue" | "seq"> {}

export const retryOf = ({
  key: _key,
  input: _input,
  scraper: _scraper,
  depth: _depth,
  chain: _chain,
  parentQueue: _parentQueue,
  parentSeq: _parentSeq,
  ...retry
}: DueItem): Retry => retry;

/** Jobs are found by their labels, and by their scraper as a label without a name. */
interface JobLabel {
  readonly name: string;
  readonly value: string;
  readonly job: number;
}

/** An item that points to captures or records of another job, the owner: these must be kept as long as the item. */
interface Borrowed {
  readonly owner: string;
  readonly queue: number;
  readonly seq: number;
}

/** An example item that shows the problem of a held lane. Never written. */
export interface Example {
  readonly queue: number;
  readonly seq: number;
  readonly key: string;
  readonly failure: Failure | null;
  readonly captures: readonly CaptureRef[];
}

/** Suspects of one queue that wait for a separate process. Never written. */
interface SuspectGroup {
  readonly queue: number;
  readonly job: number;
  readonly lane: number;
  readonly kinds: number;
  readonly count: number;
  readonly dueAt: number;
}

/** The response to a call with an id, or to a part of it: if sent again, the call changes nothing and gets the same response. */
export interface Answer {
  readonly id: string;
  readonly at: number;
  readonly reply: unknown;
}

/** The rules of an origin's robots.txt, and who is fetching it. */
interface Robots {
  readonly origin: string;
  /** Null if there is none, or it is unknown. */
  readonly text: string | null;
  readonly until: number;
  readonly fetcher: string | null;
  readonly fetchUntil: number;
}

/** Never written by the ledger's rules, see `ports/removals.ts`. */
interface RemovalMark {
  readonly job: string;
  readonly what: "job" | "pages";
  readonly step: "fresh" | "lend" | "bytes" | "rows" | null;
  readonly markedAt: number;
}

export interface Records {
  readonly peer: Peer;
  readonly freshItem: FreshItem;
  readonly dueItem: DueItem;
  readonly suspectGroup: SuspectGroup;
  readonly example: Example;
  readonly removal: RemovalMark;
  readonly lane: Lane;
  readonly share: Share;
  readonly client: Client;
  readonly queue: Queue;
  readonly job: Job;
  readonly failureTimes: JobFailureTimes;
  readonly worker: Worker;
  readonly item: Item;
  readonly capped: CappedItem;
  readonly key: ItemKey;
  readonly retry: Retry;
  readonly result: Result;
  readonly fresh: FreshAnswer;
  readonly fetch: Fetch;
  readonly baseline: Baseline;
  readonly label: JobLabel;
  readonly borrowed: Borrowed;
  readonly document: StoredDocument;
  readonly robots: Robots;
  readonly service: Service;
  readonly answer: Answer;
}

export type Kind = keyof Records;
export type Key = readonly (string | number)[];

/** The columns that identify a record. */
export const KEYS = {
  peer: ["name"],
  freshItem: ["queue", "seq"],
  dueItem: ["queue", "seq"],
  suspectGroup: ["queue"],
  example: ["queue", "seq"],
  removal: ["job"],
  robots: ["origin"],
  lane: ["id"],
  share: ["lane", "client"],
  client: ["name"],
  queue: ["id"],
  job: ["number"],
  failureTimes: ["job"],
  worker: ["name"],
  item: ["queue", "seq"],
  capped: ["queue", "seq"],
  key: ["job", "hash"],
  retry: ["queue", "seq"],
  result: ["queue", "seq"],
  fresh: ["key", "scraper", "owner", "isFailure"],
  fetch: ["queue", "seq"],
  baseline: ["scraper", "lane"],
  label: ["name", "value", "job"],
  borrowed: ["owner", "queue", "seq"],
  service: ["id"],
  answer: ["id"],
  document: ["kind", "name"],
} as const satisfies { readonly [K in Kind]: readonly (keyof Records[K])[] };
