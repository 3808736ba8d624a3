import { type JobView, TRIAL_CLIENT } from "../domain/job.ts";
import type { Removal } from "../domain/removal.ts";
import type { Ledger } from "../ports/ledger.ts";
import { UsageError } from "./exit.ts";
import { bytesText, counted } from "./text.ts";

/** Jobs of `sluice try` and `sluice capture`, with one item each. */
export const isTrial = ({ spec }: JobView): boolean => spec.client === TRIAL_CLIENT;

/** Partial IDs are searched among this many of the newest jobs, without trials. */
export const RECENT = 200;

/** By its ID, by a unique beginning or the last part of it, or by `last`: the newest job that has items. Trials are found only by their full ID. */
export const findJob = async (
  ledger: Pick<Ledger, "readJob" | "listJobs" | "removals">,
  named: string,
): Promise<JobView> =>
  (await ledger.readJob(named)) ??
  (await findAmong(allJobs(ledger), named, "in this data folder", () =>
    ledger.removals.list({ limit: RECENT }),
  ));

/** All jobs, or those of one scraper, newest first. */
export async function* allJobs(
  ledger: Pick<Ledger, "listJobs">,
  of: { readonly scraper?: string } = {},
): AsyncGenerator<JobView> {
  for (let after: string | undefined; ;) {
    const page = await ledger.listJobs({ ...of, limit: RECENT, ...(after !== undefined && { after }) });
    yield* page;
    if (page.length < RECENT) return;
    after = page.at(-1)!.spec.id;
  }
}

export const newestJobs = async (
  jobs: AsyncIterable<JobView>,
  { most = RECENT, withTrials = false }: { readonly most?: number; readonly withTrials?: boolean } = {},
): Promise<JobView[]> => {
  const newest: JobView[] = [];
  for await (const view of jobs) {
    if (withTrials || !isTrial(view)) newest.push(view);
    if (newest.length === most) break;
  }
  return newest;
};

/** Nobody means an empty job by `last`. */
async function* withItems(all: AsyncIterable<JobView>): AsyncGenerator<JobView> {
  for await (const view of all) if (view.counts.accepted > 0) yield view;
}

/** By a part of its ID or by `last`, among jobs that come newest first. Throws `RemovedJobError` for a job that was removed. */
export const findAmong = async (
  all: AsyncIterable<JobView>,
  named: string,
  place: string,
  removed: () => Promise<readonly Removal[]> = async () => [],
): Promise<JobView> => {
  const isLast = named === "last";
  const jobs = await newestJobs(isLast ? withItems(all) : all, isLast ? { most: 1 } : {});
  const matches = isLast ? jobs : jobs.filter(({ spec: { id } }) => isNamed(id, named));
  const [found, ...others] = matches;
  const [gone] = found || isLast ? [] : (await removed()).filter(({ job }) => isNamed(job, named));
  if (gone) throw new RemovedJobError(gone);
  if (found === undefined)
    throw new UsageError(
      jobs.length === 0
        ? `${named}: there are no jobs ${place}. Start one with \`sluice run\` or \`sluice submit\`, or look elsewhere with --data DIR or --server URL.`
        : `${named}: no such job. \`sluice jobs ls\` lists the jobs; use --data DIR or --server URL to look elsewhere.`,
    );
  if (others.length > 0) throw new UsageError(`${named}: ${ambiguity(matches)}`);
  return found;
};

const isNamed = (id: string, named: string): boolean =>
  named !== "" && (id.startsWith(named) || id.endsWith(`-${named}`));

/** Checks `--scraper NAME`. */
export const checkScraperName = ({ id, scrapers }: JobView["spec"], named: string | undefined): void => {
  const names = scrapers.map(({ name }) => name);
  if (named !== undefined && !names.includes(named))
    throw new UsageError(`${named}: job ${id} has no such scraper. Its scrapers are ${names.join(", ")}.`);
};

const SHOWN = 5;

const ambiguity = (matches: readonly JobView[]): string => {
  const ids = matches.slice(0, SHOWN).map(({ spec }) => spec.id);
  const rest = matches.length > SHOWN ? ` and ${matches.length - SHOWN} more` : "";
  return `${matches.length} jobs match: ${ids.join(", ")}${rest}. Use more of the ID, or \`last\` for the newest job.`;
};

/** The job was removed; the message says when, and how much. */
export class RemovedJobError extends UsageError {
  readonly removal: Removal;
  constructor(removal: Removal) {
    super(`${removal.job}: ${removalText(removal)}`);
    this.removal = removal;
  }
}

export const removalText = ({ what, removedAt, isComplete, removed, kept }: Removal): string => {
  const time = `${new Date(removedAt).toISOString().replace("T", " ").slice(0, 19)}Z`;
  const { items, captures, bytes } = removed;
  const gone = [...(what === "job" ? [counted(items, "item")] : []), counted(captures, "capture")];
  const subject = what === "job" ? "the job was" : "its pages were";
  const stays =
    kept.objects === 0
      ? ""
      : ` ${counted(kept.objects, "object")} (${bytesText(kept.bytes)}) kept: items of other jobs refer to them.`;
  return isComplete
    ? `${subject} removed on ${time}: ${gone.join(", ")}, ${bytesText(bytes)}.${stays}`
    : `${subject} marked for removal on ${time}; the removal is not complete. So far: ${gone.join(", ")}, ${bytesText(bytes)}.`;
};

export const removalJson = ({ createdAt, endedAt, removedAt, ...removal }: Removal) => ({
  ...removal,
  createdAt: new Date(createdAt).toISOString(),
  endedAt: new Date(endedAt).toISOString(),
  removedAt: new Date(removedAt).toISOString(),
});
