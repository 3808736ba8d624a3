import type { CollectorKind } from "../domain/job-version.ts";
import type { StorageLocation } from "../ports/storage.ts";
import type { LogLevel } from "./log.ts";

/** What a worker process works on. */
export interface WorkOrder {
  readonly location: StorageLocation;
  /** Only items of these jobs; of all jobs if left out. */
  readonly jobs?: readonly string[];
  /** Only items of these lanes. */
  readonly lanes?: readonly string[];
  /** Only jobs that need no other kind of collector. */
  readonly kinds?: readonly CollectorKind[];
  /** Items in flight at once, for each process. */
  readonly capacity?: number;
  /** Private hosts, addresses and networks that jobs of clients may reach. */
  readonly allowTargets?: readonly string[];
  readonly logLevel: LogLevel;
}

/** Messages to a worker process. */
export type ToWorker =
  | (WorkOrder & {
      readonly type: "start";
      readonly name: string;
      /** Runs suspects, one at a time, and ends when none are left. */
      readonly isAlone: boolean;
    })
  | { readonly type: "stop" };

/** Messages from it. `beat` comes from its event loop: without beats, the loop is blocked. */
export type FromWorker =
  | { readonly type: "beat"; readonly suspects: number }
  | { readonly type: "ended" }
  | { readonly type: "failed"; readonly name: string; readonly code?: string; readonly message: string };
