import type { ItemState, Outcome } from "../../../domain/item.ts";
import type { JobCounts } from "../../../domain/job.ts";

/**
 * Calls of a ledger as their callers saw them, reduced to what `checkHistory` needs. `begin` and `end` order the calls: one that ended before
 * another began took effect before it. `beginMs` and `endMs` are the same moments on the clock of leases and slots.
 */
export type Call = CallTimes & Fact;

export interface CallTimes {
  readonly begin: number;
  readonly beginMs: number;
  /** Infinity when no answer came. */
  end: number;
  endMs: number;
  /** `unknown`: it threw or its answer was lost, so it may have taken effect or not. `refused`: it changed nothing. */
  answer: "known" | "unknown" | "refused";
}

export type Fact =
  | CreateFact
  | JobFact
  | AddFact
  | ControlLaneFact
  | ClaimFact
  | PulseFact
  | SettleFact
  | ReapFact
  | ReadJobFact
  | ListItemsFact;

interface CreateFact {
  readonly verb: "createJob";
  readonly job: string;
  /** What the sites of its scrapers allow, by the scraper's place in the job. */
  readonly paces: readonly { readonly perSecond: number; readonly burst: number }[];
  readonly maxAttempts: number;
}

/** A call whose arguments beside the job do not matter. */
export interface JobFact {
  readonly verb:
    | "pause"
    | "resume"
    | "cancel"
    | "retryItems"
    | "raiseCaps"
    | "amendItems"
    | "pinVersions"
    | "changeVersions"
    | "remove";
  readonly job: string;
}

interface AddFact {
  readonly verb: "addItems";
  readonly job: string;
  /** Inputs, rejected ones included. */
  readonly inputs: number;
}

interface ControlLaneFact {
  readonly verb: "controlLane";
  readonly lane: string;
  readonly perSecond?: number | null | undefined;
  readonly isHeld?: boolean | undefined;
  readonly isReset?: boolean | undefined;
}

export interface Slots {
  readonly lane: string;
  readonly delaysMs: readonly number[];
}

export interface GrantedItem {
  /** Its queue and its place there, as `refOf` writes them. */
  readonly item: string;
  readonly queue: number;
  readonly lease: number;
  readonly job: string;
  readonly lane: string;
  readonly scraper: number;
  readonly attempt: number;
}

interface ClaimFact {
  readonly verb: "claim";
  readonly worker: string;
  readonly room: number;
  readonly items: readonly GrantedItem[];
  readonly slots: readonly Slots[];
  readonly unpaced: readonly string[];
}

interface PulseFact {
  readonly verb: "pulse";
  readonly worker: string;
  readonly isAlive: boolean;
  readonly wishes: readonly { readonly lane: string; readonly queue: number }[];
  readonly slots: readonly Slots[];
  readonly returned: readonly Slots[];
  readonly holds: readonly { readonly lane: string; readonly forMs: number }[];
  readonly unsettled: readonly {
    readonly queue: number;
    readonly requests: number;
    readonly bytes: number;
  }[];
}

export interface ToldEnd {
  readonly item: string;
  readonly queue: number;
  readonly lease: number;
  readonly state: Outcome["state"];
  readonly countsAttempt: boolean;
  /** Inputs that it found, rejected ones included. */
  readonly inputs: number;
  readonly requests: number;
  readonly bytes: number;
  readonly hasCaptures: boolean;
  readonly isRefused: boolean;
}

interface SettleFact {
  readonly verb: "settle";
  readonly worker: string;
  readonly items: readonly ToldEnd[];
}

interface ReapFact {
  readonly verb: "reap";
  readonly worker: string | undefined;
}

interface ReadJobFact {
  readonly verb: "readJob";
  readonly job: string;
  /** Undefined: there is no such job. */
  readonly counts: JobCounts | undefined;
  readonly requests: number;
  readonly bytes: number;
}

interface ListItemsFact {
  readonly verb: "listItems";
  readonly job: string;
  readonly items: readonly { readonly item: string; readonly state: ItemState; readonly attempts: number }[];
}

export type CallOf<V extends Fact["verb"]> = Call & { readonly verb: V };

/** Something that no ledger which keeps its laws can have answered. */
export interface Violation {
  readonly law:
    | "one holder"
    | "one end"
    | "final state"
    | "pace"
    | "conservation"
    | "attempts"
    | "stop means stop";
  readonly what: string;
}
