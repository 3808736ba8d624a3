/** What can happen to a job or a schedule. Events without a job name their client in `facts.client`. */
const EVENTS = {
  "job.started": "The job was created.",
  "job.progress": "Progress of the job; sent every `progressMs` of the job.",
  "job.paused": "The job was paused.",
  "job.resumed": "The job continues, even after its end: items were retried or limits were raised.",
  "job.completed": "All items have ended.",
  "job.cancelled": "The job was cancelled, and its last item in flight has ended.",
  "item.failed": "Some items failed, collected over a short time.",
  "batch.completed": "All items of a batch have ended.",
  "version.activated": "Another version of a scraper is used by new jobs.",
  "version.refused": "A version of a scraper was not activated, because of its results on stored pages.",
  "canary.rolled-back": "A canary was worse than the active version, or a person rolled it back.",
  "canary.promoted": "A canary has become the active version.",
  "canary.undecided": "A canary has run long enough, and a person has to decide.",
  "lane.held": "The breaker or an operator holds a lane of the job.",
  "lane.released": "The lane is open again.",
  "lane.tier": "Items of a lane of the job go through another proxy tier.",
  "proxy.down":
    "A proxy tier does not work and is skipped for a while; with `isHeld`, no tier works and the lane waits.",
  "drift.found": "A run differs from earlier ones of its scraper by more than they differ from each other.",
  "release.published": "Another release of a dataset is current; with `rollback`, an earlier one.",
  "release.late": "The last release of a dataset is older than allowed.",
  "release.held": "A release did not pass its audit. The last good one stays current.",
  "schedule.fired": "A schedule started a job.",
  "schedule.skipped": "A schedule could not fire at one of its times; the reason says why.",
  "schedule.missed": "A time of a schedule passed while no controller was running.",
  "schedule.completed": "A firing has completed all stages.",
  "schedule.late": "Three or more times of a schedule have passed since its last success.",
  "schedule.failed": "A firing could not start, or one of its stages failed.",
  "ledger.stepped-back":
    "The database went back to an earlier state: items that had ended run again. `segments` are stored pages that it no longer refers to.",
} satisfies Readonly<Record<string, string>>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** What happened to a job, written in the transaction in which it did. */
export interface LedgerEvent {
  /** Ascending, and never used again. */
  readonly id: number;
  readonly at: number;
  readonly type: EventType;
  /** "" for what happened to no job in particular: then `facts.client` names the client it belongs to. */
  readonly job: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Whose event it is, where it belongs to no job. */
export const clientOfEvent = ({ job, facts }: Pick<LedgerEvent, "job" | "facts">): string | undefined =>
  job === "" && typeof facts["client"] === "string" ? facts["client"] : undefined;

export type NewEvent = Pick<LedgerEvent, "type" | "job" | "facts">;

export interface EventQuery {
  /** Whose cursor the events come after. */
  readonly consumer?: string;
  /** Only events after this one; for a consumer only while it has no cursor. Default: from the oldest stored event. */
  readonly after?: number;
  readonly job?: string;
  readonly types?: readonly EventType[];
  readonly limit: number;
  /** The newest that match instead of the oldest, also in ascending order. */
  readonly newest?: boolean;
}

/**
 * What happened to jobs, in order. Reading removes nothing: every consumer has its own cursor, or remembers its position itself. Events are kept for
 * a week, and longer for consumers that have not read them. An event becomes visible only after all events with lower ids.
 */
export interface EventLog {
  /** Oldest first. */
  read(query: EventQuery): Promise<readonly LedgerEvent[]>;
  /** The consumer is done with all events up to this one. Its cursor never moves back; the call may be repeated. */
  move(consumer: string, upTo: number): Promise<void>;
  /** A consumer that will not come back keeps no events. */
  forget(consumer: string): Promise<void>;
  /** Id of the newest event; 0 when none is kept. */
  last(): Promise<number>;
  /** True as soon as there is an event after this one, false after `ms`. */
  await(after: number, ms: number): Promise<boolean>;
  /** Events that no other verb of the ledger writes: progress. */
  write(events: readonly NewEvent[], id?: CallId): Promise<void>;
}

/**
 * Identifies one call. If it is sent again within a quarter of an hour, also while the first is in progress, it takes effect once and gets the same
 * answer. Verbs without an id can be repeated as they are.
 */
export type CallId = string;
