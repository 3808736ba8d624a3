import type { JobLane, LaneState } from "../domain/job.ts";

export interface LaneLedger {
  listLanes(query: LaneQuery): Promise<readonly LaneState[]>;
  /** Lanes in which a job has or had items, in the order in which they were first used by any job. */
  listJobLanes(job: string, query: JobLaneQuery): Promise<readonly JobLane[]>;
  /** An operator's word. */
  controlLane(lane: string, to: LaneControl): Promise<void>;
}

export interface LaneQuery {
  /** Only lanes of this job, slowed ones first; default: all lanes, by name. */
  readonly job?: string;
  /** Only lanes that are held now: by an operator, by the site, or by the breaker for some job. Not with a job. */
  readonly isHeld?: boolean;
  /** Last name of the previous page; not with a job. */
  readonly after?: string;
  readonly limit: number;
}

export interface JobLaneQuery {
  /** Only those with items that have not ended. */
  readonly isOpen?: boolean;
  /** Last name of the previous page. */
  readonly after?: string;
  readonly limit: number;
}

export interface LaneControl {
  /** Maximum requests per second; null removes the limit. */
  readonly perSecond?: number | null;
  /** A held lane starts nothing. A release also ends a hold by a site's `Retry-After`. */
  readonly isHeld?: boolean;
  /** Forgets what was learned about the lane: its speed, `Crawl-delay`, holds and bookings. The operator's limit stays. */
  readonly isReset?: boolean;
}
