import type { CollectorKind } from "../domain/job-version.ts";
import type { ControllerPlace } from "./controller-place.ts";
import type { LogLevel } from "./log.ts";

/** What a worker process is told. */
export type ToWorker =
  | {
      readonly type: "start";
      readonly name: string;
      readonly data: string;
      /** Where ledger and archive are; in the data folder when left out. */
      readonly controller?: ControllerPlace;
      /** Of all jobs when left out. */
      readonly jobs?: readonly string[];
      readonly lanes?: readonly string[];
      readonly kinds?: readonly CollectorKind[];
      readonly capacity?: number;
      readonly allowTargets?: readonly string[];
      readonly isAlone: boolean;
      readonly logLevel: LogLevel;
    }
  | { readonly type: "stop" };

/** What it says. `beat` comes from its event loop: silence means that the loop stands still. */
export type FromWorker =
  | { readonly type: "beat"; readonly suspects: number }
  | { readonly type: "ended" }
  | { readonly type: "failed"; readonly name: string; readonly code?: string; readonly message: string };
