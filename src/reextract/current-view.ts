import { openRecordSet } from "../archive/extracted-records.ts";
import { specOf, type StoredExtraction } from "../archive/extractions.ts";
import { itemPages } from "../archive/manifest.ts";
import type { FailureKind } from "../domain/failure.ts";
import type { FailureTally, JobView } from "../domain/job.ts";
import { FIELD_STATUSES, fieldPrefix } from "../domain/record.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { JobLedger } from "../ports/ledger.ts";

/** A job with the states, failures and fields of its current set of records. */
export const currentView = async (
  storage: { readonly ledger: JobLedger; readonly blobs: Blobs },
  view: JobView,
  current: StoredExtraction | undefined,
): Promise<JobView> =>
  current === undefined ? view : (viewOf(view, current) ?? (await countedView(storage, view, current)));

/**
 * The same from counts alone. Undefined if they are not enough: the extraction is of an older version of Sluice, or items were
 * queued again later and their newer run counts.
 */
export const viewOf = (view: JobView, current: StoredExtraction): JobView | undefined => {
  const { replaces, failed, counts } = current;
  if (!replaces || !failed || (view.reopenedAt ?? -Infinity) >= current.startedAt) return undefined;
  const failures = new Map(view.failures.map((one) => [one.kind, one]));
  for (const [kind, count] of Object.entries(replaces.failed))
    more(failures, { kind: kind as FailureKind, count: -count });
  for (const one of failed) more(failures, one);
  const wasFailed = Object.values(replaces.failed).reduce((sum, count) => sum + count, 0);
  return viewWith(view, current, {
    done: view.counts.states.done - replaces.done + counts.done,
    failed: view.counts.states.failed - wasFailed + counts.failed,
    partial: view.partial - replaces.partial + counts.partial,
    failures: [...failures.values()],
  });
};

type Failures = Map<FailureKind, FailureTally>;

const more = (
  failures: Failures,
  {
    kind,
    count,
    exampleKey = "",
    exampleDetail = "",
  }: Pick<FailureTally, "kind" | "count"> & Partial<FailureTally>,
): void => {
  const known = failures.get(kind);
  const isNew = count > 0 || !known;
  failures.set(kind, {
    kind,
    count: (known?.count ?? 0) + count,
    exampleKey: isNew ? exampleKey : known.exampleKey,
    exampleDetail: isNew ? exampleDetail : known.exampleDetail,
  });
};

const countedView = async (
  { ledger, blobs }: { readonly ledger: JobLedger; readonly blobs: Blobs },
  view: JobView,
  current: StoredExtraction,
): Promise<JobView> => {
  await using set = await openRecordSet(blobs, view.spec.id, current.id);
  const sums = { done: 0, failed: 0, partial: 0 };
  const failures: Failures = new Map();
  for await (const page of itemPages(ledger, view.spec.id))
    for await (const batch of set.recordsOf(page))
      for (const { item } of batch) {
        if (item.state === "done") sums.done++;
        if (item.state === "done" && item.quality === "partial") sums.partial++;
        if (item.state !== "failed") continue;
        sums.failed++;
        const { kind, detail } = item.failure!;
        more(failures, { kind, count: 1, exampleKey: item.key, exampleDetail: detail });
      }
  return viewWith(view, current, { ...sums, failures: [...failures.values()] });
};

interface CurrentCounts extends Pick<JobView, "partial" | "failures"> {
  readonly done: number;
  readonly failed: number;
}

const viewWith = (view: JobView, current: StoredExtraction, counts: CurrentCounts): JobView => {
  const { done, failed, partial, failures } = counts;
  const spec = specOf(view.spec, current);
  const named = (of: "fields" | "required"): string[] =>
    spec.scrapers.flatMap((one) => one[of].map((name) => fieldPrefix(spec.scraper, one.name) + name));
  const fields = named("fields");
  return {
    ...view,
    spec: { ...spec, fields, required: named("required") },
    counts: { ...view.counts, states: { ...view.counts.states, done, failed } },
    partial,
    failures: failures.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count),
    fieldCounts: fields.flatMap((field) =>
      FIELD_STATUSES.map((status) => current.fieldCounts[field]?.[status] ?? 0),
    ),
  };
};
