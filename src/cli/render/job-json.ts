import { costOfJob, fromMicro } from "../../domain/cost.ts";
import { versionsOf } from "../../domain/job-version.ts";
import type { JobView } from "../../domain/job.ts";
import { FIELD_STATUSES } from "../../domain/record.ts";

/** A job as JSON: the same terms and numbers as in the report. */
export const jobJson = ({ spec, fieldCounts, createdAt, endedAt, ...view }: JobView) => ({
  job: spec.id,
  scraper: spec.scraper,
  version: spec.version,
  scrapers: versionsOf(spec),
  extracts: spec.extracts,
  state: view.state,
  isSealed: view.isSealed,
  createdAt: new Date(createdAt).toISOString(),
  endedAt: endedAt === undefined ? undefined : new Date(endedAt).toISOString(),
  paused: view.paused && { ...view.paused, at: new Date(view.paused.at).toISOString() },
  counts: view.counts,
  cappedBy: view.cappedBy,
  partial: view.partial,
  failures: view.failures,
  attemptFailures: view.attemptFailures,
  fields: Object.fromEntries(
    fieldTallies({ spec, fieldCounts }).map(({ field, counts }) => [
      field,
      Object.fromEntries(FIELD_STATUSES.map((status, at) => [status, counts[at]])),
    ]),
  ),
  held: view.held,
  rejects: view.rejects,
  requests: view.requests,
  bytes: view.bytes,
  costs: Object.fromEntries(
    Object.entries(view.costs ?? {}).map(([tier, { microCost, ...rest }]) => [
      tier,
      { ...rest, cost: fromMicro(microCost) },
    ]),
  ),
  totalCost: fromMicro(costOfJob(view).microCost),
  budgetSpentAt: view.budgetSpentAt === undefined ? undefined : new Date(view.budgetSpentAt).toISOString(),
  changes: view.changes,
  pagesRemoved: view.pagesRemoved && {
    ...view.pagesRemoved,
    at: new Date(view.pagesRemoved.at).toISOString(),
  },
});

export interface ScraperTallies {
  readonly scraper: string;
  readonly required: readonly string[];
  readonly tallies: readonly { readonly field: string; readonly counts: readonly number[] }[];
}

/** Field counts for each of the job's scrapers. */
export const scraperTallies = (view: Pick<JobView, "spec" | "fieldCounts">): ScraperTallies[] => {
  const all = fieldTallies(view);
  return view.spec.scrapers.map(({ name, fields, required }) => ({
    scraper: name,
    required,
    tallies: all.splice(0, fields.length).map(({ counts }, at) => ({ field: fields[at]!, counts })),
  }));
};

/** How often each field had each status, in the order of FIELD_STATUSES. */
const fieldTallies = ({
  spec,
  fieldCounts,
}: Pick<JobView, "spec" | "fieldCounts">): { readonly field: string; readonly counts: readonly number[] }[] =>
  spec.fields.map((field, at) => ({
    field,
    counts: FIELD_STATUSES.map((_, status) => fieldCounts[at * FIELD_STATUSES.length + status] ?? 0),
  }));
