import type { FromWorker } from "../worker/worker-process.ts";
import type { KeptByItem, Step } from "./watch-collector.ts";

/** What the process of a trial says, besides what every worker process does. */
export type FromTrial =
  | FromWorker
  | { readonly type: "wait"; readonly url: string }
  | { readonly type: "step"; readonly step: Step }
  | { readonly type: "kept"; readonly kept: KeptByItem }
  /** The scraper's code threw where nobody could catch it: in a timer, or in a promise that nobody waits for. */
  | { readonly type: "crashed"; readonly detail: string };
