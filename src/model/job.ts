import type { FailureKind } from "./failure.ts";
import type { PolicyOverrides } from "./failure-policy.ts";
import type { StateCounts } from "./item.ts";
import type { Pace } from "./pace.ts";

/** `loading` takes inputs and already runs. `paused` waits for a person; a job whose lanes may heal by themselves runs on. */
export type JobState = "loading" | "running" | "paused" | "done" | "cancelled";

export interface JobSpec {
  readonly id: string;
  readonly client: string;
  readonly scraper: string;
  /** Where the scraper's code is, for workers to load: a file URL or the name of a built-in. */
  readonly source: string;
  readonly version: string;
  readonly pace: Pace;
  /** Names of the extracted fields, in the order in which field counts are given. */
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** Rows of the failure policy that this scraper has changed. */
  readonly policy: PolicyOverrides;
  /** Items in all, emitted ones included; what comes beyond is counted as capped. */
  readonly maxItems: number;
}

/** received = accepted + folded + rejected + capped, and accepted = the sum of the states, at any moment. */
export interface JobCounts {
  readonly received: number;
  readonly accepted: number;
  readonly folded: number;
  readonly rejected: number;
  readonly capped: number;
  readonly states: StateCounts;
}

export interface FailureTally {
  readonly kind: FailureKind;
  readonly count: number;
  readonly exampleKey: string;
  readonly exampleDetail: string;
}

export interface HeldLane {
  readonly lane: string;
  readonly reason: string;
  readonly evidence: unknown;
  readonly heldAt: number;
  /** When a single item is let through to see whether the site has healed; absent when a person must decide. */
  readonly probeAt?: number;
}

export interface RejectedInput {
  readonly line: number;
  readonly problem: string;
}

export interface JobView {
  readonly spec: JobSpec;
  readonly state: JobState;
  readonly isSealed: boolean;
  readonly createdAt: number;
  readonly endedAt?: number;
  readonly counts: JobCounts;
  readonly partial: number;
  /** Final failures only. */
  readonly failures: readonly FailureTally[];
  /** Failed attempts by kind, retried ones included. */
  readonly attemptFailures: Readonly<Partial<Record<FailureKind, number>>>;
  /** Four numbers a field (see FIELD_STATUSES), in the order of `spec.fields`. */
  readonly fieldCounts: readonly number[];
  readonly held: readonly HeldLane[];
  /** The first rejected inputs, as examples. */
  readonly rejects: readonly RejectedInput[];
  readonly requests: number;
  readonly bytes: number;
}

export interface LaneView {
  readonly lane: string;
  readonly perSecond: number;
  /** 1 when the lane runs at its full pace; less while the site is being spared. */
  readonly factor: number;
  readonly holdMs: number;
  readonly holdReason?: string;
}
