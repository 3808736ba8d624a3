import type { Packer } from "../archive/packer.ts";
import type { LaneOf } from "../pipeline/plan.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Collectors } from "../ports/collector.ts";
import type { JobLedger, RobotsCache, WorkerInfo, WorkLedger } from "../ports/ledger.ts";
import type { LoadedJob } from "../scrapers/load-pinned.ts";
import type { Log } from "./log.ts";

/** What a worker is handed. */
export interface WorkerOptions {
  readonly name: string;
  readonly ledger: WorkLedger & JobLedger & RobotsCache;
  readonly blobs: Blobs;
  readonly packer: Packer;
  readonly collectors: Collectors;
  readonly laneOf: LaneOf;
  readonly robotName: string;
  /** For the archive: name and version. */
  readonly software: string;
  /** In the versions of one of its revisions. */
  readonly loadJob: (job: string, revision: number) => Promise<LoadedJob>;
  /** Stops a job whose scrapers cannot be loaded, so that the others go on; without it the worker fails. */
  readonly holdJob?: (job: string, reason: string) => Promise<void>;
  /** What it tells about itself; nothing when left out. */
  readonly card?: Pick<WorkerInfo, "host" | "pid" | "space" | "version">;
  readonly jobs?: readonly string[];
  readonly lanes?: readonly string[];
  /** Takes no job that needs another kind; of all kinds when left out. */
  readonly kinds?: readonly CollectorKind[];
  /** Items in inFlight at once, over all lanes. */
  readonly capacity?: number;
  /** Runs suspects, one at a time, and ends when there are none. */
  readonly isAlone?: boolean;
  readonly log: Log;
  /** Aborted: take no more, finish and settle what is in inFlight. */
  readonly signal: AbortSignal;
  readonly onSuspects?: (count: number) => void;
}
