import type { Cap } from "../../domain/job.ts";
import type { PlannedItem } from "../ledger.ts";
import type { ModelItem, ModelJob } from "./ledger-model.ts";

/** An input that a limit keeps out. */
export interface ModelCapped extends ModelOrigin {
  readonly item: PlannedItem;
  readonly cap: Cap;
  /** In the order in which they were placed, whatever comes of them. */
  readonly place: number;
}

export interface ModelOrigin {
  readonly depth: number;
  readonly chain: number;
  readonly parent: string | undefined;
}

export const originOf = ({ scraper = 0 }: PlannedItem, parent: ModelItem | undefined): ModelOrigin => {
  if (!parent) return { depth: 0, chain: 0, parent: undefined };
  const isOwn = parent.scraper === scraper;
  return {
    depth: parent.depth + (isOwn ? 0 : 1),
    chain: isOwn ? parent.chain + 1 : 0,
    parent: parent.key,
  };
};

export const capOf = (job: ModelJob, { depth, chain }: ModelOrigin): Cap | undefined => {
  if (depth > job.maxDepth) return "depth";
  if (chain > job.maxChain) return "chain";
  return job.items.size >= job.maxItems || job.state === "cancelled" ? "items" : undefined;
};
