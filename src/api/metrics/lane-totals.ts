import type { LaneState } from "../../domain/job.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { giveWay } from "./give-way.ts";

const PAGE = 200;
/** Lanes are as many as sites: only so many have series of their own. */
const MOST_LANES = 50;

/** Lanes by what stands in their way; one may be in several. */
export interface LaneTotals {
  readonly all: number;
  readonly busy: number;
  /** `Retry-After`, or what was learned: the lane starts nothing for a while. */
  readonly spared: number;
  readonly heldByOperator: number;
  readonly slowed: number;
  /** Those with the most items, the busiest first. */
  readonly busiest: readonly LaneState[];
}

export const laneTotals = async (ledger: Pick<Ledger, "listLanes">): Promise<LaneTotals> => {
  const totals = { all: 0, busy: 0, spared: 0, heldByOperator: 0, slowed: 0 };
  let busiest: LaneState[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await ledger.listLanes({ limit: PAGE, ...(after !== undefined && { after }) });
    totals.all += page.length;
    for (const { backlog, holdMs, isHeldByOperator, factor } of page) {
      if (backlog > 0) totals.busy++;
      if (holdMs > 0) totals.spared++;
      if (isHeldByOperator) totals.heldByOperator++;
      if (factor < 1) totals.slowed++;
    }
    busiest = [...busiest, ...page.filter(({ backlog }) => backlog > 0)]
      .sort((a, b) => b.backlog - a.backlog)
      .slice(0, MOST_LANES);
    if (page.length < PAGE) return { ...totals, busiest };
    after = page.at(-1)!.lane;
    await giveWay();
  }
};
