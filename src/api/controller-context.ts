import type { AlertSettings } from "../services/alerts.ts";
import type { Capture } from "../archive/read-capture.ts";
import type { ServiceContext } from "../services/context.ts";
import type { StreamTimes } from "./open-streams.ts";
import type { Reads } from "./reading/reads.ts";

/** What the controller is given; opened and closed by its caller. */
export interface ControllerContext extends Omit<ServiceContext, "now"> {
  /** Milliseconds since 1970; the machine's clock by default. */
  readonly now?: () => number;
  readonly log: ControllerLog;
  /** The answer of `/metrics`, in the Prometheus text format. */
  readonly metrics: () => Promise<string>;
  /** A link to fetch a whole object without the API, if the blob store supports it. */
  readonly linkTo?: (blob: string) => Promise<string>;
  /** How often progress is checked while somebody listens; every second by default. */
  readonly watchMs?: number;
  /** Interval of heartbeats to listeners; 15 seconds by default. */
  readonly heartbeatMs?: number;
  /** Shown with the alerts. */
  readonly alerts?: AlertSettings;
  readonly version?: string;
  /** Where long reads run, separate from pages of lists; on the API's own thread by default. */
  readonly reads?: { readonly exports: Reads; readonly pages: Reads };
  /** Whether the disk has less free space than required. */
  readonly isDiskFull?: () => Promise<boolean>;
  /** A certificate and its key in PEM form; plain HTTP by default. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  /** A stored page as HTML for a frame without rights, with the places of fields marked. Without it, pages can only be downloaded. */
  readonly viewPage?: (
    name: string,
    capture: Capture,
    wish: {
      readonly as: "page" | "source";
      readonly marks: readonly {
        readonly number: number;
        readonly field: string;
        readonly at: number;
        readonly length: number;
        readonly isChosen: boolean;
      }[];
    },
  ) => string;
  /** When stalled streams are cut. */
  readonly streamTimes?: StreamTimes;
}

/** Like the worker's log: one line per event. */
export type ControllerLog = Readonly<
  Record<
    "debug" | "info" | "warn" | "error",
    (event: string, facts?: Readonly<Record<string, unknown>>) => void
  >
>;
