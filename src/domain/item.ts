import type { CaptureRef, RecordRange } from "./capture.ts";
import type { Failure } from "./failure.ts";
import type { Change } from "./freshness.ts";

/**
 * An item is in exactly one state. `leased` is a property of a run of items, not a write per item: a backend may derive it
 * from the leases that are alive.
 */
export const ITEM_STATES = [
  "queued",
  "leased",
  "waiting",
  "done",
  "absent",
  "failed",
  "skipped",
  "cancelled",
] as const;
export type ItemState = (typeof ITEM_STATES)[number];
export type StateCounts = Readonly<Record<ItemState, number>>;

/** Items that are at their end. */
export const endedCount = ({ done, absent, failed, skipped, cancelled }: StateCounts): number =>
  done + absent + failed + skipped + cancelled;

/** Identifies an item in the ledger: the queue of one job in one lane, and `seq`, its place there. */
export interface ItemRef {
  readonly queue: number;
  readonly seq: number;
}

/** Of items that came through. */
export interface ItemFilter {
  readonly quality?: "complete" | "partial";
  readonly changes?: readonly Change[];
}

/** How one try at an item ended. */
export type Outcome =
  | { readonly state: "done"; readonly quality: "complete" | "partial" }
  | { readonly state: "absent"; readonly detail: string }
  | {
      readonly state: "waiting";
      readonly delayMs: number;
      readonly failure: Failure;
      /** False for a throttle that the lane answers for. */
      readonly countsAttempt: boolean;
    }
  | { readonly state: "failed"; readonly failure: Failure }
  /** It is as it was the last time, and the job wants only what changed. */
  | { readonly state: "skipped"; readonly reason: "unchanged"; readonly quality: "complete" | "partial" }
  /** Given back untouched: it was not tried, and goes to the front again. */
  | { readonly state: "returned" };

export interface Attempt {
  readonly startedAt: number;
  readonly ms: number;
  readonly requests: number;
  readonly bytes: number;
  /** What went through proxies; omitted if nothing did. */
  readonly proxied?: readonly TierCost[];
}

/** What a tier has carried, and its price. */
export interface TierCost {
  /** As the scraper names it: `residential:us-tx`. */
  readonly tier: string;
  readonly requests: number;
  /** Bytes on the connection to the proxy, in both directions. */
  readonly bytes: number;
  /** In millionths of the configured currency: whole numbers add up exactly. */
  readonly microCost: number;
}

/** A failed attempt as the ledger keeps it. */
export interface PastAttempt {
  readonly at: number;
  readonly ms: number;
  readonly worker: string;
  readonly failure: Failure;
  /** Left out in ledgers of older versions. */
  readonly requests?: number;
  readonly bytes?: number;
  readonly proxied?: readonly TierCost[];
  /** Of the scraper that ran it. */
  readonly version?: string;
}

/** The attempt that was settled last, however it ended. */
interface LastAttempt extends Omit<Required<PastAttempt>, "failure" | "version" | "proxied"> {
  readonly proxied?: readonly TierCost[];
  /** For an absent item: how the site says so. */
  readonly detail?: string;
}

/** Why an item was not fetched or not stored again, and where its data is. */
export interface Skipped {
  readonly reason: "fresh" | "unchanged";
  /** The item whose captures and records hold. */
  readonly from?: ItemRef & { readonly job: string };
}

/** Everything the ledger knows of an item, as lists and the manifest show it. */
export interface ItemView {
  readonly ref: ItemRef;
  readonly lane: string;
  /** Name of the scraper that it is for. */
  readonly scraper: string;
  readonly key: string;
  /** Steps from an input that was given: 0 for those. */
  readonly depth: number;
  /** Key of the item that found it; absent on inputs that were given. */
  readonly parent?: string;
  readonly input: unknown;
  readonly state: ItemState;
  readonly attempts: number;
  readonly failure?: Failure;
  readonly quality?: "complete" | "partial";
  /** Of the scraper that made its result; absent while there is none. */
  readonly version?: string;
  readonly skipped?: Skipped;
  /** Since the client last got it; only in a job with `freshness`. */
  readonly change?: Change;
  readonly dueInMs?: number;
  readonly endedAt?: number;
  readonly history: readonly PastAttempt[];
  /** Unknown where an older version settled it, and of an item that was never tried. */
  readonly lastAttempt?: LastAttempt;
  readonly captures: readonly CaptureRef[];
  readonly records: RecordRange | null;
}
