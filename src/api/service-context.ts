import type { LaneOf } from "../pipeline/plan.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Registry } from "../ports/registry.ts";
import type { PruneTools } from "../retention/plan-prune.ts";
import type { StreamTimes } from "./open-streams.ts";
import type { Reads } from "./reading/reads.ts";
import type { ScraperCatalog } from "./scraper-catalog.ts";

/** What the controller is given; opened, and closed, by whoever starts it. */
export interface ServiceContext {
  readonly ledger: Ledger;
  readonly registry: Registry;
  readonly blobs: Blobs;
  readonly scrapers: ScraperCatalog;
  readonly laneOf: LaneOf;
  readonly log: ControllerLog;
  /** What is answered under `/metrics`, in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /** How long a job's pages and records are kept, for one prune; as the job's scraper said when it began unless given. */
  readonly retentionOf?: () => PruneTools["retentionOf"];
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly now?: () => number;
  /** Why no webhook may go there; undefined where it may. All may go everywhere unless given. */
  readonly whyNotCall?: (url: URL) => Promise<string | undefined>;
  /** A link by which a whole object can be fetched without the API, where the store of the blobs has such. */
  readonly linkTo?: (blob: string) => Promise<string>;
  /** How often jobs are looked at for their progress while somebody listens; a second unless given. */
  readonly watchMs?: number;
  /** How often a silent listener hears that the connection stands; 15 seconds unless given. */
  readonly heartbeatMs?: number;
  readonly version?: string;
  /** Where long reads are answered, by themselves and apart from pages of lists; on the API's own thread unless given. */
  readonly reads?: { readonly exports: Reads; readonly pages: Reads };
  /** Whether there is less room for the data than is wanted. */
  readonly isDiskFull?: () => Promise<boolean>;
  /** A certificate and its key in PEM form; plain HTTP unless given. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  /** After how long streams that stand still are cut. */
  readonly streamTimes?: StreamTimes;
}

/** As the worker's: one line an event. */
export type ControllerLog = Readonly<
  Record<
    "debug" | "info" | "warn" | "error",
    (event: string, facts?: Readonly<Record<string, unknown>>) => void
  >
>;
