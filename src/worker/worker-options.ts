import type { Packer } from "../archive/packer.ts";
import type { LaneOf } from "../pipeline/plan.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Collectors } from "../ports/collector.ts";
import type { ClaimedItem, JobLedger, RobotsCache, WorkerInfo, WorkLedger } from "../ports/ledger.ts";
import type { LoadedJob } from "../scrapers/load-pinned.ts";
import type { Log } from "./log.ts";
import type { KnownTiers } from "./proxy-tiers.ts";

/** What a worker needs. */
export interface WorkerOptions {
  readonly name: string;
  readonly ledger: WorkLedger & JobLedger & RobotsCache;
  readonly blobs: Blobs;
  readonly packer: Packer;
  readonly collectors: Collectors;
  /** The proxy tiers of the configuration; default: none. */
  readonly proxies?: KnownTiers | undefined;
  readonly laneOf: LaneOf;
  readonly robotName: string;
  /** For the archive: name and version. */
  readonly software: string;
  /** Loads the scrapers with which an item is run: those of the job's revision, or its canary. */
  readonly loadJob: (item: Pick<ClaimedItem, "job" | "revision" | "key">) => Promise<LoadedJob>;
  /** Holds a job whose scrapers cannot be loaded, so that other jobs continue; without it the worker fails. */
  readonly holdJob?: (job: string, reason: string) => Promise<void>;
  /** What it registers about itself; if omitted, it does not register. */
  readonly info?: Pick<WorkerInfo, "host" | "pid" | "space" | "version" | "cores" | "memoryMb">;
  readonly jobs?: readonly string[];
  readonly lanes?: readonly string[];
  /** Only jobs that need no other kind. */
  readonly kinds?: readonly CollectorKind[];
  /** Items in flight at once, over all lanes. */
  readonly capacity?: number;
  /** Items of jobs that need a browser, included in these. Default: no separate limit. */
  readonly browserCapacity?: number;
  /** Runs suspects, one at a time, and ends when none are left. */
  readonly isAlone?: boolean;
  readonly log: Log;
  /** When aborted: claim no more, finish and settle the items in flight. */
  readonly signal: AbortSignal;
  /** When aborted, after `signal`: items that still run go back unchanged. Without it, a stop waits for them. */
  readonly giveUp?: AbortSignal;
  readonly onSuspects?: (count: number) => void;
}
