import type { AutoState, Observation } from "../domain/auto-mode.ts";
import type { LadderState, TierSign } from "../domain/proxy-ladder.ts";
import type { Cost } from "../domain/cost.ts";
import type { CaptureRef, RecordRange } from "../domain/capture.ts";
import type { FailureKind } from "../domain/failure.ts";
import type { Change } from "../domain/freshness.ts";
import type { Attempt, ItemRef, ItemState, ItemView, Outcome, TierCost } from "../domain/item.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type {
  JobCaps,
  JobSpec,
  JobState,
  JobSums,
  JobView,
  LaneState,
  PauseReason,
  RejectedInput,
} from "../domain/job.ts";
import type { LaneBacklog, RunningWorker } from "../domain/scale.ts";
import type { WorkSums } from "../domain/work-sums.ts";
import type { Documents } from "./documents.ts";
import type { CallId, EventLog } from "./event-log.ts";
import type { FreshEntry, FreshKey, FreshNote } from "./fresh-entry.ts";
import type { WorkerInfo, WorkerView } from "./registry.ts";
import type { Removals, VersionLedger } from "./removals.ts";
import type { RobotsCache } from "./robots-cache.ts";

export type { FreshEntry, FreshKey, FreshNote } from "./fresh-entry.ts";
export type { EventLog, LedgerEvent } from "./event-log.ts";
export type { CallId } from "./event-log.ts";
export type { AmendedItem } from "./removals.ts";
export type { RobotsAnswer, RobotsCache, RobotsReply } from "./robots-cache.ts";
export type { WorkerInfo, WorkerView } from "./registry.ts";

interface SpendingLedger {
  /** What was spent for a client's jobs today (UTC), and what it may spend in a day. */
  readSpending(client: string): Promise<ClientSpending>;
}

/** How work is given out and comes back. */
export interface WorkLedger extends SpendingLedger {
  /** A worker says what it is before it claims, and again now and then, with what has come to its sums since it last did. */
  registerWorker(worker: WorkerInfo, sums?: WorkSums, id?: CallId): Promise<void>;
  /** Leases items whose lane has room now or within the next second, each with its first slot. */
  claim(request: ClaimRequest): Promise<Grant>;
  /**
   * For a worker whose last claim was told to wait: true as soon as a claim may bring something after all, false after `ms`. Writes nothing. What was
   * only crowded counts as well.
   */
  awaitWork(filter: WorkFilter, ms: number): Promise<boolean>;
  /** What is kept of the last good answer for these keys, for conditional requests and comparison. */
  readFresh(keys: readonly FreshKey[]): Promise<readonly (FreshEntry | undefined)[]>;
  /** Renews the worker's leases, books and returns slots, reports outcomes at once, hears what has stopped. */
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
  /** Folds keys the job already has, and keeps what its limits shut out. Bad inputs are counted and the first of them kept as examples. */
  addItems(
    job: string,
    items: readonly PlannedItem[],
    rejected: readonly RejectedInput[],
    id?: CallId,
  ): Promise<AddReply>;
  /** No more inputs will come from outside: the job is done when its items are. */
  sealJob(job: string): Promise<void>;
  /** `why`: told with the event, and by a paused job for as long as it is; that somebody asked for it, when left out. */
  controlJob(job: string, to: "pause" | "resume" | "cancel", why?: PauseReason, id?: CallId): Promise<void>;
  /** Whether no request of a stopped job can start any more: all workers with a part in it have heard so, or are given up. Else when to ask. */
  isQuiet(
    job: string,
  ): Promise<{ readonly quiet: true } | { readonly quiet: false; readonly againInMs: number }>;
  /** Puts failed items back as if they had never been tried; answers how many. */
  retryItems(
    job: string,
    filter: { readonly kinds?: readonly FailureKind[]; readonly keys?: readonly string[] },
    id?: CallId,
  ): Promise<number>;
  /**
   * Raises limits of a job, which goes on with the capped inputs that now fit; answers how many. May be repeated with the same limits, which
   * takes up what a crash broke off. Lower ones than the job has are refused.
   */
  raiseCaps(job: string, caps: JobCaps, id?: CallId): Promise<number>;
  readJob(job: string): Promise<JobView | undefined>;
  /** The newest first. Without a query, the newest 200 of all clients. */
  listJobs(query?: JobQuery): Promise<readonly JobView[]>;
  /** The jobs that have not ended, summed by state: costs little more with thousands of them than with a few. */
  sumOpenJobs(): Promise<OpenJobs>;
  listItems(job: string, query: ItemQuery): Promise<ItemPage>;
}

export interface LaneLedger {
  listLanes(query: LaneQuery): Promise<readonly LaneState[]>;
  /** An operator's word. */
  controlLane(lane: string, to: LaneControl): Promise<void>;
}

export interface ClientLedger extends SpendingLedger {
  /**
   * The weight by which a client shares lanes and workers, and how many of its items may run at a time, over all workers: a claim counts those
   * that workers last named as running, and what was claimed since, until it is settled. What its jobs find beyond `itemsPerDay` (UTC) is kept as capped. The client is made
   * when it is not there.
   */
  setShare(client: string, share: ClientShares): Promise<void>;
  /** Items that a client's jobs have accepted since the beginning of that day (UTC): what its daily quota is counted by. */
  countAccepted(client: string, sinceAt: number): Promise<number>;
  /** Of a client's jobs, how many have not ended. */
  countOpenJobs(client: string): Promise<number>;
  /** Bytes that were fetched for a client's jobs, without those of which something was removed. */
  countKeptBytes(client: string): Promise<number>;
}

/** What workers have told of themselves. */
interface WorkStats {
  /** Of all workers that there ever were: what they have told, and what was lost with them. */
  readWorkSums(): Promise<WorkSums>;
  /**
   * What could run now, for how many workers that is. Held and paused lanes, and those of clients that may run no more, have only what is in flight.
   * Costs little with ten thousand lanes.
   */
  readBacklog(of?: Pick<WorkFilter, "lanes">): Promise<Backlog>;
}

export interface Backlog {
  /** Lanes that are alike are one entry. */
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

  /** Housekeeping, now and then, by a process that has no slot timers to keep. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface LaneQuery {
  /** Only of this job, those that are being spared first; all lanes, by name, when left out. */
  readonly job?: string;
  /** Name of the last one of the page before; not with a job. */
  readonly after?: string;
  readonly limit: number;
}

export interface ClientShares {
  readonly weight: number;
  readonly maxRunning?: number;
  readonly itemsPerDay?: number;
  /** What its jobs may spend in a day (UTC): requests to sites, bytes, and the price of proxies in the configured currency. Workers see to it. */
  readonly requestsPerDay?: number;
  readonly bytesPerDay?: number;
  readonly costPerDay?: number;
}

export interface ClientSpending {
  readonly spent: Cost;
  readonly perDay: Pick<ClientShares, "requestsPerDay" | "bytesPerDay" | "costPerDay">;
}

export interface LaneControl {
  /** At most so many requests a second; null takes it back. */
  readonly perSecond?: number | null;
  /** A held lane starts nothing. Released, it also goes on where a site's `Retry-After` has stopped it. */
  readonly isHeld?: boolean;
  /** Forgets what was learned of the lane: its speed, `Crawl-delay`, holds and bookings. What an operator allows at most stays. */
  readonly isReset?: boolean;
}

export interface PlannedItem {
  readonly key: string;
  /** JSON text. */
  readonly input: string;
  readonly lane: string;
  /** Which of the job's scrapers it is for; the root when left out. Keys are folded per scraper. */
  readonly scraper?: number;
}

export interface JobQuery {
  readonly client?: string;
  readonly states?: readonly JobState[];
  readonly scraper?: string;
  readonly label?: readonly [name: string, value: string];
  /** Only those that want to hear of their progress. */
  readonly tellsProgress?: true;
  /** Only those that are paused for this cause. */
  readonly pausedBy?: PauseReason["cause"];
  /** Only those that have ended, then or later. */
  readonly endedSince?: number;
  /** Only those that ended before then. */
  readonly endedBefore?: number;
  /** Id of the last one of the page before. */
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

export interface ItemQuery {
  readonly states?: readonly ItemState[];
  readonly kinds?: readonly FailureKind[];
  /** Only items with a record of this quality. */
  readonly quality?: "complete" | "partial";
  readonly changes?: readonly Change[];
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
  /** Only items of these jobs; all jobs when left out. */
  readonly jobs?: readonly string[];
  /** Only these lanes; all when left out. */
  readonly lanes?: readonly string[];
  /** Only items of jobs all of whose scrapers are of these kinds; of all jobs when left out. */
  readonly kinds?: readonly CollectorKind[];
}

export interface ClaimRequest extends WorkFilter {
  readonly worker: string;
  /**
   * Rises with every claim and pulse of this worker. A claim with the number of the last one is that one, sent again: it brings the same. With a lower
   * number it comes too late and brings nothing. Left out, the claim cannot be sent twice.
   */
  readonly number?: number;
  /** How many more items the worker can take. */
  readonly room: number;
  /** Items in flight by lane, these keep their part of the lane's concurrency. */
  readonly inFlight: ReadonlyMap<string, number>;
  /**
   * Items that may be running: with those of this claim, the suspects should this worker die before it is heard of again. Left out, the last
   * pulse's word stands.
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
  /** For which they were booked: they count in its client's share of the lane. */
  readonly queue: number;
  /** Of a job with a pace of its own: only for requests of that queue, also in a lane without a rate. */
  readonly isOwn?: true;
  /** Only for requests that go to this address: they have spent a slot of it as well. */
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
  /** Requests need a slot of the address that they go to as well, until the next answer says otherwise. */
  readonly pacesAddresses?: true;
  /** Of the items' lanes, what is known of their proxy tiers. */
  readonly tiers?: readonly TierReply[];
}

export interface OutcomeReport {
  readonly queue: number;
  /** Which of the job's scrapers ran it: its failure policy holds. The root when left out. */
  readonly scraper?: number;
  readonly result: "done" | "absent" | FailureKind;
  /** 1-based. That an item fails again says more about the item than about the site: only first failures move the breaker. */
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
  /** Whether it slows the lane, as the scraper's failure policy has it; by the table of failures when left out. */
  readonly slows?: boolean;
}

export interface SlotWish {
  readonly lane: string;
  /** The queue on whose behalf it is asked: a stopped queue gets none. */
  readonly queue: number;
  readonly count: number;
  /** Of these, so many had a slot that was void or given back: they count in the client's share already. None when left out. */
  readonly again?: number;
  /** The lane of the address that the request goes to, where addresses are paced. */
  readonly address?: string | undefined;
}

/**
 * Slots that were booked for a queue and that it neither used nor will ask for again, or that another queue of the same worker used, whose count
 * is below 0. A client's share of a lane is what its queues have used, and what their requests wait for.
 */
export interface SlotRefund {
  readonly lane: string;
  readonly queue: number;
  readonly count: number;
}

export interface PulseReport {
  readonly worker: string;
  /** As of a claim: one that was answered before changes nothing. */
  readonly number?: number;
  /** Items that may be running from now on: the suspects should this worker die. */
  readonly running: readonly ItemRef[];
  /** What its items that are not settled have cost so far: counted for their jobs should this worker be lost. */
  readonly unsettled: readonly UnsettledCost[];
  /** Items whose acting request is about to leave. */
  readonly acting: readonly ItemRef[];
  readonly inFlight: ReadonlyMap<string, number>;
  readonly wishes: readonly SlotWish[];
  /** Unused slots, as delays from now. */
  readonly returned: readonly { readonly lane: string; readonly delaysMs: readonly number[] }[];
  readonly refunds: readonly SlotRefund[];
  readonly outcomes: readonly OutcomeReport[];
  readonly lanes: readonly LaneReport[];
  /** Learned from robots.txt. */
  readonly crawlDelays: readonly { readonly lane: string; readonly delayMs: number }[];
  /** What items of `auto` scrapers have taught. */
  readonly ways?: readonly WayReport[];
  /** What items have shown about the proxy tiers of their lanes. */
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
  /** False when this worker was given up: its leases are gone, what it holds must be dropped. */
  readonly isAlive: boolean;
  readonly slots: readonly SlotGrant[];
  /** Of the lanes in use or asked for, those without a rhythm now: requests start at once, until the next pulse says otherwise. */
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
  readonly outcome: Outcome;
  readonly attempt: Attempt;
  readonly captures: readonly CaptureRef[];
  readonly records: RecordRange | null;
  /** Four numbers a field, see `JobView.fieldCounts`. */
  readonly fieldCounts: readonly number[] | null;
  /**
   * Inputs found on its pages, for items whose parent it is: one step deeper, or on the same level where they are for its own scraper. Very many may arrive before the item itself is settled, and
   * stay should its worker then be lost: found again, they are folded.
   */
  readonly emitted: readonly PlannedItem[];
  /** Inputs found that did not fit their scraper. */
  readonly rejected?: readonly RejectedInput[];
  /** What is remembered of it for later jobs: its own client's entry, and the shared one where the response allows it. */
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
