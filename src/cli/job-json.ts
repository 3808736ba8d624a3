import type { JobView } from "../model/job.ts";
import { FIELD_STATUSES } from "../model/record.ts";

/** A job for programs: the same words and numbers as the report. */
export const jobJson = ({ spec, fieldCounts, createdAt, endedAt, ...view }: JobView) => ({
  job: spec.id,
  scraper: spec.scraper,
  version: spec.version,
  state: view.state,
  isSealed: view.isSealed,
  createdAt: new Date(createdAt).toISOString(),
  endedAt: endedAt === undefined ? undefined : new Date(endedAt).toISOString(),
  counts: view.counts,
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
});

/** How often each field had each status, in the order of FIELD_STATUSES. */
export const fieldTallies = ({
  spec,
  fieldCounts,
}: Pick<JobView, "spec" | "fieldCounts">): { readonly field: string; readonly counts: readonly number[] }[] =>
  spec.fields.map((field, at) => ({
    field,
    counts: FIELD_STATUSES.map((_, status) => fieldCounts[at * FIELD_STATUSES.length + status] ?? 0),
  }));
