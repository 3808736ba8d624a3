import type { AutoState, Observation } from "../domain/auto-mode.ts";
import type { LadderState, TierSign } from "../domain/proxy-ladder.ts";
import type { Cost } from "../domain/cost.ts";
import type { CaptureRef, RecordRange } from "../domain/capture.ts";
import type { FailureKind } from "../domain/failure.ts";
import type { Attempt, ItemRef, ItemState, ItemView, Outcome, ItemFilter, TierCost } from "../domain/item.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type {
  JobCaps,
  JobSpec,
  JobState,
  JobSums,
  JobView,
  PauseReason,
  RejectedInput,
} from "../domain/job.ts";
import type { FailureTimes } from "../domain/failure-times.ts";
import type { LaneBacklog, RunningWorker } from "../domain/scale.ts";
import type { WorkSums } from "../domain/work-sums.ts";
import type { Documents } from "./documents.ts";
import type { CallId, EventLog } from "./event-log.ts";
import type { FreshEntry, FreshKey, FreshNote } from "./fresh-entry.ts";
import type { LaneLedger } from "./lane-ledger.ts";
import type { WorkerInfo, WorkerView } from "./registry.ts";
import type { Removals, RetryFilter, VersionLedger } from "./removals.ts";
import type { RobotsCache } from "./robots-cache.ts";

export type { FreshEntry, FreshKey, FreshNote } from "./fresh-entry.ts";
export type { EventLog, LedgerEvent } from "./event-log.ts";
export type { CallId } from "./event-log.ts";
export type { JobLaneQuery, LaneControl, LaneLedger, LaneQuery } from "./lane-ledger.ts";
export type { AmendedItem } from "./removals.ts";
export type { RobotsAnswer, RobotsCache, RobotsReply } from "./robots-cache.ts";
export type { WorkerInfo, WorkerView } from "./registry.ts";

interface SpendingLedger {
  /** What was spent for a client's jobs today (UTC), and what it may spend in a day. */
  readSpending(client: string): Promise<ClientSpending>;
}

/** How workers get items and report them. */
export interface WorkLedger extends SpendingLedger {
  /** A worker registers before it claims, and again regularly, with what was added to its sums since then. */
  registerWorker(worker: WorkerInfo, sums?: WorkSums, id?: CallId): Promise<void>;
  /** Leases items whose lane has room now or within the next second, each with its first slot. */
  claim(request: ClaimRequest): Promise<Grant>;
  /**
   * For a worker whose last claim must wait: true as soon as a claim may get items, false after `ms`. Writes nothing. Lanes that were only full count
   * as well.
   */
  awaitWork(filter: WorkFilter, ms: number): Promise<boolean>;
  /** The last good answers for these keys, for conditional requests and comparison. */
  readFresh(keys: readonly FreshKey[]): Promise<readonly (FreshEntry | undefined)[]>;
  /** Renews the worker's leases, books and returns slots, reports outcomes at once, and returns what has stopped. */
  pulse(report: PulseReport): Promise<PulseReply>;
  /** Ends items. Those that are no longer leased to this worker are refused and change nothing. */
  settle(worker: string, items: readonly SettledItem[], id?: CallId): Promise<SettleReply>;
  /**
   * Ends the leases of a worker known to be dead, or of all that have been silent too long. Items that may have been running become suspects;
   * the others go back untouched. Without a worker's name it also cancels the jobs whose deadline has passed.
   */
  reap(request: ReapRequest): Promise<ReapReply>;
  listWorkers(): Promise<readonly WorkerView[]>;
}

/** Jobs and their items. */
export interface JobLedger extends VersionLedger {
  createJob(spec: JobSpec): Promise<void>;
  /** Folds keys that the job already has, and stores inputs beyond its limits. Bad inputs are counted; the first ones are kept as examples. */
  addItems(
    job: string,
    items: readonly PlannedItem[],
    rejected: readonly RejectedInput[],
    id?: CallId,
  ): Promise<AddReply>;
  /** No more inputs will come from outside: the job is done when its items are. */
  sealJob(job: string): Promise<void>;
  /** `why`: part of the event, and shown while the job is paused; default: a person asked for it. */
  controlJob(job: string, to: "pause" | "resume" | "cancel", why?: PauseReason, id?: CallId): Promise<void>;
  /** Whether no request of a stopped job can start: all workers with its items have confirmed, or are given up. Else when to ask again. */
  isQuiet(
    job: string,
  ): Promise<{ readonly quiet: true } | { readonly quiet: false; readonly againInMs: number }>;
  /** Queues failed items again as if they had never been tried; returns how many. */
  retryItems(job: string, filter: RetryFilter, id?: CallId): Promise<number>;
  /**
   * Raises limits of a job, which continues with the capped inputs that now fit; returns how many. Can be repeated with the same limits, which
   * continues after a crash. Lower limits are refused.
   */
  raiseCaps(job: string, caps: JobCaps, id?: CallId): Promise<number>;
  readJob(job: string): Promise<JobView | undefined>;
  /** When its attempts failed, and how. Failed items that are retried later are still counted at the time of their failure. */
  readFailures(job: string): Promise<FailureTimes>;
  /** The newest first. Without a query, the newest 200 of all clients. */
  listJobs(query?: JobQuery): Promise<readonly JobView[]>;
  /** The jobs that have not ended, summed by state: thousands of jobs cost little more than a few. */
  sumOpenJobs(): Promise<OpenJobs>;
  listItems(job: string, query: ItemQuery): Promise<ItemPage>;
}

export interface ClientLedger extends SpendingLedger {
  /**
   * The weight by which a client shares lanes and workers, and how many of its items may run at a time, over all workers: a claim counts those that
   * workers last named as running, and those claimed since, until they are settled. Items found beyond `itemsPerDay` (UTC) are stored as capped. The
   * client is created if it does not exist.
   */
  setShare(client: string, share: ClientShares): Promise<void>;
  /** Items that a client's jobs have accepted since the beginning of that day (UTC), for its daily quota. */
  countAccepted(client: string, sinceAt: number): Promise<number>;
  /** Of a client's jobs, how many have not ended. */
  countOpenJobs(client: string): Promise<number>;
  /** Bytes that were fetched for a client's jobs, without jobs of which data was removed. */
  countKeptBytes(client: string): Promise<number>;
}

/** What workers have reported about themselves. */
interface WorkStats {
  /** Sums over all workers ever: what they reported, and what was lost with them. */
  readWorkSums(): Promise<WorkSums>;
  /**
   * What could run now, to compute the useful number of workers. Held and paused lanes, and those of clients at their limit, have only items in
   * flight. Cheap even with ten thousand lanes.
   */
  readBacklog(of?: Pick<WorkFilter, "lanes">): Promise<Backlog>;
}

export interface Backlog {
  /** Similar lanes are one entry. */
  readonly lanes: readonly LaneBacklog[];
  /** Those that claim and are not draining. */
  readonly workers: readonly RunningWorker[];
  /** Of the work sums, those about items. */
  readonly work: WorkSums;
  /** Where nothing can run now: when something can. Undefined where nothing waits for a time. */
  readonly nextInMs?: number;
}

/**
 * State and queue in one port, because they must change together. Every verb is one batch and, in effect, one transaction.
 * Times go out as delays from the ledger's own now, so that workers' wall clocks do not matter.
 */
export interface Ledger extends WorkLedger, JobLedger, LaneLedger, ClientLedger, RobotsCache, WorkStats {
  readonly events: EventLog;
  readonly removals: Removals;
  readonly documents: Documents;

  /** Housekeeping, called from time to time by a process without slot timers. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface ClientShares {
  readonly weight: number;
  readonly maxRunning?: number;
  readonly itemsPerDay?: number;
  /** What its jobs may spend in a day (UTC): requests to sites, bytes, and the price of proxies in the configured currency. Workers enforce it. */
  readonly requestsPerDay?: number;
  readonly bytesPerDay?: number;
  readonly costPerDay?: number;
}

export interface ClientSpending {
  readonly spent: Cost;
  readonly perDay: Pick<ClientShares, "requestsPerDay" | "bytesPerDay" | "costPerDay">;
}

export interface PlannedItem {
  readonly key: string;
  /** JSON text. */
  readonly input: string;
  readonly lane: string;
  /** Which of the job's scrapers it is for; default: the root. Keys are folded per scraper. */
  readonly scraper?: number;
}

export interface JobQuery {
  readonly client?: string;
  readonly states?: readonly JobState[];
  readonly scraper?: string;
  readonly label?: readonly [name: string, value: string];
  /** Only jobs that ask for progress events. */
  readonly tellsProgress?: true;
  /** Only jobs that are paused for this cause. */
  readonly pausedBy?: PauseReason["cause"];
  /** Only jobs that ended at this time or later. */
  readonly endedSince?: number;
  /** Only jobs that ended before this time. */
  readonly endedBefore?: number;
  /** Last id of the previous page. */
  readonly after?: string;
  readonly limit: number;
}

export interface OpenJobs {
  readonly ids: readonly string[];
  readonly sums: readonly JobSums[];
}

export interface AddReply {
  readonly accepted: number;
  readonly folded: number;
  readonly capped: number;
}

export interface ItemQuery extends ItemFilter {
  readonly states?: readonly ItemState[];
  readonly kinds?: readonly FailureKind[];
  /** Name of the scraper. */
  readonly scraper?: string;
  readonly keys?: readonly string[];
  readonly after?: ItemRef;
  readonly limit: number;
}

export interface ItemPage {
  readonly items: readonly ItemView[];
  readonly next?: ItemRef;
}

/** What a worker takes. */
export interface WorkFilter {
  /** Only items of these jobs; default: all jobs. */
  readonly jobs?: readonly string[];
  /** Only these lanes; default: all. */
  readonly lanes?: readonly string[];
  /** Only items of jobs whose scrapers are all of these kinds; default: all jobs. */
  readonly kinds?: readonly CollectorKind[];
}

export interface ClaimRequest extends WorkFilter {
  readonly worker: string;
  /**
   * Rises with every claim and pulse of this worker. A claim with the number of the last one is the same call, sent again: it returns the same. With
   * a lower number it is too late and returns nothing. If omitted, the claim cannot be sent twice.
   */
  readonly number?: number;
  /** How many more items the worker can take. */
  readonly room: number;
  /** Items in flight by lane, these keep their part of the lane's concurrency. */
  readonly inFlight: ReadonlyMap<string, number>;
  /**
   * Items that may be running: together with those of this claim, the suspects if this worker dies before its next call. Default: those of the last
   * pulse.
   */
  readonly running?: readonly ItemRef[];
  /** This worker runs one item at a time in a process of its own: it takes suspects, and nothing else. */
  readonly alone?: boolean;
}

export interface ClaimedItem extends ItemRef {
  readonly lease: number;
  readonly job: string;
  /** Of the job: with which versions of its scrapers the item is run. */
  readonly revision: number;
  readonly lane: string;
  readonly key: string;
  readonly input: string;
  /** Which of the job's scrapers it is for. */
  readonly scraper: number;
  /** 1-based number of the try that now begins; throttles do not count. */
  readonly attempt: number;
  readonly throttles: number;
}

export interface SlotGrant {
  readonly lane: string;
  /** The queue they were booked for: they count in its client's share of the lane. */
  readonly queue: number;
  /** Of a job with a pace of its own: only for requests of that queue, also in a lane without a rate. */
  readonly isOwn?: true;
  /** Only for requests to this address: they also use a slot of it. */
  readonly address?: string;
  /** From the moment of the answer, ascending. */
  readonly delaysMs: readonly number[];
  /** A slot used later than this is void and booked again. */
  readonly lateMs: number;
}

export interface Grant {
  readonly items: readonly ClaimedItem[];
  readonly slots: readonly SlotGrant[];
  /** Lanes without a rate: requests start at once, no slots are needed. */
  readonly unpaced: readonly string[];
  /** When asking again may bring something, 0 for at once; undefined when nothing is left to wait for. */
  readonly againInMs?: number;
  /** Work was left behind because all places of a lane or a client are taken: worth asking when an item in flight has ended. */
  readonly isCrowded?: boolean;
  /** Suspects that wait for a process of their own. */
  readonly suspects: number;
  /** Requests also need a slot of their address, until the next answer says otherwise. */
  readonly pacesAddresses?: true;
  /** What is known about the proxy tiers of the items' lanes. */
  readonly tiers?: readonly TierReply[];
}

export interface OutcomeReport {
  readonly queue: number;
  /** Which of the job's scrapers ran it: its failure policy applies. Default: the root. */
  readonly scraper?: number;
  readonly result: "done" | "absent" | FailureKind;
  /** 1-based. A repeated failure says more about the item than about the site: only first failures move the breaker. */
  readonly attempt: number;
  /** Required fields that were missing in a record that came through. */
  readonly missing?: readonly string[];
}

/** Seen at a lane, by any request: what slows it, or lets it recover. */
export interface LaneReport {
  readonly lane: string;
  readonly kind: "ok" | FailureKind;
  readonly count: number;
  readonly retryAfterMs?: number;
  /** Whether it slows the lane, by the scraper's failure policy; default: the table of failures. */
  readonly slows?: boolean;
}

export interface SlotWish {
  readonly lane: string;
  /** The queue that asks for it: a stopped queue gets none. */
  readonly queue: number;
  readonly count: number;
  /** How many of these had a slot that was dropped or returned: they already count in the client's share. Default 0. */
  readonly again?: number;
  /** The lane of the address that the request goes to, where addresses are paced. */
  readonly address?: string | undefined;
}

/**
 * Slots that were booked for a queue and not used by it, or used by another queue of the same worker, whose count is then negative. A client's share
 * of a lane is what its queues have used and what their requests wait for.
 */
export interface SlotRefund {
  readonly lane: string;
  readonly queue: number;
  readonly count: number;
}

export interface PulseReport {
  readonly worker: string;
  /** As in a claim: a pulse that was answered before changes nothing. */
  readonly number?: number;
  /** Items that may be running from now on: the suspects if this worker dies. */
  readonly running: readonly ItemRef[];
  /** What its unsettled items have cost so far: counted for their jobs if this worker is lost. */
  readonly unsettled: readonly UnsettledCost[];
  /** Items whose acting request is about to be sent. */
  readonly acting: readonly ItemRef[];
  readonly inFlight: ReadonlyMap<string, number>;
  readonly wishes: readonly SlotWish[];
  /** Unused slots, as delays from now. */
  readonly returned: readonly { readonly lane: string; readonly delaysMs: readonly number[] }[];
  readonly refunds: readonly SlotRefund[];
  readonly outcomes: readonly OutcomeReport[];
  readonly lanes: readonly LaneReport[];
  /** Requests that were sent since this was last reported. */
  readonly used?: readonly { readonly lane: string; readonly requests: number }[];
  /** Learned from robots.txt. */
  readonly crawlDelays: readonly { readonly lane: string; readonly delayMs: number }[];
  /** What was learned from items of `auto` scrapers. */
  readonly ways?: readonly WayReport[];
  /** Results of items on the proxy tiers of their lanes. */
  readonly tiers?: readonly TierReport[];
}

export interface TierReport {
  readonly lane: string;
  /** Names of the tiers, from cheap to expensive. */
  readonly ladder: readonly string[];
  readonly sign: TierSign;
}

/** What all workers together know. */
export interface TierReply extends Omit<TierReport, "sign"> {
  readonly state: LadderState;
  /** The ledger's clock when it was answered: the times of the state are by it. */
  readonly now: number;
}

export interface WayReport {
  readonly lane: string;
  /** The scraper's version and the template of the page. */
  readonly key: string;
  readonly saw: Observation;
}

/** What all workers together have learned. */
export interface WayReply extends Omit<WayReport, "saw"> {
  readonly state: AutoState;
}

export interface UnsettledCost {
  readonly queue: number;
  readonly requests: number;
  readonly bytes: number;
  /** As of an attempt. */
  readonly proxied?: readonly TierCost[];
}

export interface PulseReply {
  /** False if this worker was given up: its leases are gone, and it must drop its items. */
  readonly isAlive: boolean;
  readonly slots: readonly SlotGrant[];
  /** The lanes in use or requested that have no rate now: requests start at once, until the next pulse says otherwise. */
  readonly unpaced: readonly string[];
  /** Queues with leased items that were paused, cancelled or held: no new request may start for them. */
  readonly stopped: readonly number[];
  /** Wishes not (fully) granted may be repeated after this. */
  readonly againInMs: number;
  /** As in a claim's answer. */
  readonly pacesAddresses?: true;
  /** About the pages that were reported. */
  readonly ways?: readonly WayReply[];
  /** About the ladders that were reported. */
  readonly tiers?: readonly TierReply[];
}

export interface SettledItem extends ItemRef {
  readonly lease: number;
  /** The versions with which it was run: the claim's revision, or that of the job's canary. Default: the job's own. */
  readonly revision?: number;
  /** Which of the job's scrapers it belongs to; default: the root. */
  readonly scraper?: number;
  readonly outcome: Outcome;
  readonly attempt: Attempt;
  readonly captures: readonly CaptureRef[];
  readonly records: RecordRange | null;
  /** Four numbers a field, see `JobView.fieldCounts`. */
  readonly fieldCounts: readonly number[] | null;
  /**
   * Inputs found on its pages, for items with this parent: one step deeper, or on the same level if they are for the same scraper. Large numbers may
   * be added before the item itself is settled, and stay if its worker is then lost: when found again, they are folded.
   */
  readonly emitted: readonly PlannedItem[];
  /** Inputs found that did not fit their scraper. */
  readonly rejected?: readonly RejectedInput[];
  /** What is stored for later jobs: its client's own entry, and a shared one if the response allows it. */
  readonly fresh?: FreshNote;
}

export interface SettleReply {
  readonly refused: readonly ItemRef[];
}

export interface ReapRequest {
  /** A worker whose death was seen; without it, every worker whose deadline has passed. */
  readonly worker?: string;
  /** How it ended, as far as known. `alone` deaths with a cause in the scraper count against the item sooner. */
  readonly cause?: { readonly blame: "scraper" | "unknown"; readonly detail: string };
  readonly id?: CallId;
}

export interface ReapReply {
  readonly workers: number;
  readonly suspects: number;
  readonly returned: number;
}

export type LedgerErrorCode =
  | "no-such-job"
  | "job-exists"
  | "job-ended"
  | "lower-cap"
  | "job-running"
  | "job-removed"
  | "locked"
  | "no-space"
  | "read-only"
  | "newer-version"
  | "other-version"
  | "damaged"
  | "damaged-row"
  | "bad-document"
  | "no-access"
  | "unavailable";

export class LedgerError extends Error {
  readonly code: LedgerErrorCode;
  constructor(code: LedgerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LedgerError";
    this.code = code;
  }
}
