import type { JobView } from "../domain/job.ts";
import { dueRemoval, type RemovalScope, type Retention } from "../domain/removal.ts";
import { type Ledger, LedgerError } from "../ports/ledger.ts";

export interface PruneFilter {
  /** Jobs that ended longer ago than this; by default, what each scraper's `retention` says is due. */
  readonly olderThanMs?: number;
  /** Removes only pages and files. */
  readonly keepsRecords?: boolean;
  readonly scraper?: string;
}

/** The part of one job that is due for removal. */
export interface DuePart {
  readonly job: string;
  readonly scraper: string;
  readonly what: RemovalScope;
  readonly endedAt: number;
  readonly items: number;
}

export interface PruneTools {
  readonly ledger: Pick<Ledger, "listJobs">;
  /** The current setting of the job's scraper, or else the one from when the job started. */
  readonly retentionOf: (view: JobView) => Promise<Retention | undefined>;
  readonly now?: () => number;
}

const PAGE = 200;

/** Everything that a prune removes, the newest job first. Never includes jobs that have not ended. */
export async function* planPrune(
  { ledger, retentionOf, now = Date.now }: PruneTools,
  { olderThanMs, keepsRecords = false, scraper }: PruneFilter,
): AsyncGenerator<DuePart> {
  for (let after: string | undefined; ;) {
    const page = await ledger.listJobs({
      endedBefore: now() - (olderThanMs ?? 0),
      limit: PAGE,
      ...(scraper !== undefined && { scraper }),
      ...(after !== undefined && { after }),
    });
    for (const view of page) {
      const scope = keepsRecords ? "pages" : "job";
      const what = olderThanMs === undefined ? await dueOf(view, retentionOf, now()) : scope;
      if (what === undefined || (what === "pages" && hasLostPages(view))) continue;
      const { spec, endedAt = 0, counts } = view;
      yield { job: spec.id, scraper: spec.scraper, what, endedAt, items: counts.accepted };
    }
    if (page.length < PAGE) return;
    after = page.at(-1)!.spec.id;
  }
}

const dueOf = async (
  view: JobView,
  retentionOf: PruneTools["retentionOf"],
  now: number,
): Promise<RemovalScope | undefined> => {
  const retention = await retentionOf(view);
  return retention && dueRemoval(retention, view.endedAt ?? now, now);
};

/** Pages that it has now were collected later. */
const hasLostPages = ({ pagesRemoved, endedAt = 0 }: JobView): boolean =>
  pagesRemoved !== undefined && pagesRemoved.at >= endedAt;

/** False if the job was retried since it was planned. */
export const markDue = async (
  { removals }: Pick<Ledger, "removals">,
  { job, what }: Pick<DuePart, "job" | "what">,
): Promise<boolean> => {
  try {
    await removals.mark(job, what);
    return true;
  } catch (error) {
    if (error instanceof LedgerError && error.code === "job-running") return false;
    throw error;
  }
};
