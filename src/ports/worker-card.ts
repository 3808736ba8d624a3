import type { CollectorKind } from "../model/collector-kind.ts";

/** Who a worker is and what it takes. */
export interface WorkerCard {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** Names what its `pid` counts in: the machine since it was started, and the container. Left out where the system does not tell. */
  readonly space?: string;
  readonly version: string;
  readonly concurrency: number;
  readonly lanes?: readonly string[];
  readonly kinds?: readonly CollectorKind[];
  /** Finishes what it has in hand and takes nothing more. */
  readonly isDraining: boolean;
}

export interface WorkerView extends Partial<WorkerCard> {
  readonly name: string;
  readonly isAlone: boolean;
  /** In its hands: claimed and not settled. */
  readonly items: number;
  readonly holds: readonly { readonly job: string; readonly lane: string; readonly items: number }[];
  /** Until its leases end, should it stay silent. */
  readonly leaseMs: number;
}
