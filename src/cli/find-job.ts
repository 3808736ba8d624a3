import { type JobView, TRIAL_CLIENT } from "../domain/job.ts";
import type { Removal } from "../domain/removal.ts";
import type { Ledger } from "../ports/ledger.ts";
import { UsageError } from "./exit.ts";
import { bytesText, counted } from "./text.ts";

/** Jobs of `sluice try` and `sluice capture`: one item each, of use to nobody but the one who tried. */
export const isTrial = ({ spec }: JobView): boolean => spec.client === TRIAL_CLIENT;

/** Names are looked for among so many of the newest, trials aside. */
export const RECENT = 200;

/** By its id, by a beginning or the last part of it that no other recent job has, or `last` for the newest that has had items. Trials go by their whole id. */
export const findJob = async (
  ledger: Pick<Ledger, "readJob" | "listJobs" | "removals">,
  named: string,
): Promise<JobView> =>
  (await ledger.readJob(named)) ??
  (await findAmong(allJobs(ledger), named, "in this data folder", () =>
    ledger.removals.list({ limit: RECENT }),
  ));

/** All jobs, or those of one scraper, the newest first. */
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

/** The newest of them, without trials unless they are wanted too. */
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

/** A job that never had an item is not what anybody means by the last one. */
async function* withItems(all: AsyncIterable<JobView>): AsyncGenerator<JobView> {
  for await (const view of all) if (view.counts.accepted > 0) yield view;
}

/** By a part of its id, or `last` for the newest that has had items, among jobs that come the newest first. One that was removed is told with what is left of it. */
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
        ? `${named}: there is no job ${place}. Start one with \`sluice run\` or \`sluice submit\`, or name another place with --data DIR or --server URL.`
        : `${named}: no such job. \`sluice jobs ls\` lists them; --data DIR or --server URL names another place.`,
    );
  if (others.length > 0) throw new UsageError(`${named}: ${ambiguity(matches)}`);
  return found;
};

const isNamed = (id: string, named: string): boolean =>
  named !== "" && (id.startsWith(named) || id.endsWith(`-${named}`));

/** For `--scraper NAME`: a job knows its scrapers. */
export const checkScraperName = ({ id, scrapers }: JobView["spec"], named: string | undefined): void => {
  const names = scrapers.map(({ name }) => name);
  if (named !== undefined && !names.includes(named))
    throw new UsageError(`${named}: job ${id} has no such scraper. It has ${names.join(", ")}.`);
};

const SHOWN = 5;

const ambiguity = (matches: readonly JobView[]): string => {
  const ids = matches.slice(0, SHOWN).map(({ spec }) => spec.id);
  const rest = matches.length > SHOWN ? ` and ${matches.length - SHOWN} more` : "";
  return `${matches.length} jobs are named so: ${ids.join(", ")}${rest}. Give more of the name, or \`last\` for the newest.`;
};

/** The job that was meant is gone; what is left of it says when and how much. */
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
      : ` ${counted(kept.objects, "object")} (${bytesText(kept.bytes)}) stay${kept.objects === 1 ? "s" : ""}: items of other jobs point there.`;
  return isComplete
    ? `${subject} removed on ${time}: ${gone.join(", ")}, ${bytesText(bytes)}.${stays}`
    : `${subject} marked for removal on ${time}, which is not complete: so far ${gone.join(", ")}, ${bytesText(bytes)}.`;
};

export const removalJson = ({ createdAt, endedAt, removedAt, ...removal }: Removal) => ({
  ...removal,
  createdAt: new Date(createdAt).toISOString(),
  endedAt: new Date(endedAt).toISOString(),
  removedAt: new Date(removedAt).toISOString(),
});
