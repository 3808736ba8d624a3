import { setTimeout as delay } from "node:timers/promises";
import { type LaneOf, planInput } from "../pipeline/plan.ts";
import { pinnedOf } from "../pipeline/submit.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobSpec, JobView } from "../domain/job.ts";
import type { JobLedger } from "../ports/ledger.ts";
import { type JobScraper, jobScrapers } from "../scrapers/load-pinned.ts";
import { deployedSource } from "../scrapers/bundle.ts";
import { keepBundle } from "../scrapers/keep-bundle.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import type { Blobs } from "../ports/blobs.ts";
import { type CompiledScraper, compileScraper } from "../scrapers/compiled-scraper.ts";
import { ReextractError } from "../archive/extractions.ts";

interface TakeOptions {
  /** Has the scrapers that clients registered or operators deployed, and receives the new version. */
  readonly store?: Pick<Blobs, "get" | "list" | "put">;
  readonly laneOf: LaneOf;
  /** The stored version to continue with; by default that of the scraper's file, or the newest deployed one. */
  readonly version?: string | undefined;
  /** How long to wait for items in flight. */
  readonly waitMs: number;
  /** Receives their number when waiting begins. */
  readonly onWait?: (inFlight: number) => void;
}

const LOOK_MS = 100;
/** Items for each scraper of the job whose inputs are planned again with the new version. */
const SAMPLE = 1000;
/** Pages of the ledger that are searched for them. */
const PAGES = 5;

/**
 * Pins a job to its scrapers as they are now. The job then stays paused until `amendJob` has read its stored pages with them. False if the job is
 * already pinned to these versions.
 */
export const takeNewVersion = async (
  ledger: JobLedger,
  { spec, state }: JobView,
  { store, laneOf, version, waitMs, onWait }: TakeOptions,
): Promise<boolean> => {
  const { extracts } = spec;
  const source = version === undefined ? spec.source : deployedSource(spec.scraper);
  const root = await compileScraper(await loadScraper(source, store, version), { extracts });
  const scrapers = jobScrapers(root, spec.scrapers);
  if (isPinned(spec, scrapers)) return false;
  if (state === "cancelled") throw refuse(spec.id, "the job was cancelled");
  await checkFits(ledger, spec, scrapers, laneOf);
  if (store) await keepBundle(store, root);
  if (state === "running" || state === "loading") await ledger.controlJob(spec.id, "pause");
  const endsAt = performance.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const { inFlight } = await ledger.pinVersions(spec.id, pinnedOf(scrapers));
    if (inFlight === 0) return true;
    if (performance.now() > endsAt)
      throw new ReextractError(
        "items-in-flight",
        `${spec.id}: workers still run ${inFlight} of its items with the previous version. The job is paused; try again when they have ended.`,
      );
    if (isFirst) onWait?.(inFlight);
    await delay(LOOK_MS);
  }
};

const isPinned = ({ scrapers: pinned }: JobSpec, now: readonly JobScraper[]): boolean =>
  now.length === pinned.length &&
  now.every(
    ({ ready }, at) => ready.scraper.name === pinned[at]!.name && ready.version === pinned[at]!.version,
  );

/** Keys and lanes of items must not change: otherwise the job would have them twice, or send requests in a lane with another pace. */
export const checkFits = async (
  ledger: JobLedger,
  spec: JobSpec,
  now: readonly JobScraper[],
  laneOf: LaneOf,
): Promise<void> => {
  for (const [at, { name }] of spec.scrapers.entries()) {
    const ready = now[at]?.ready;
    if (ready?.scraper.name !== name)
      throw refuse(
        spec.id,
        at === 0
          ? `its scraper is now named ${ready?.scraper.name}, not ${name}`
          : `${spec.scraper} no longer emits to ${name}, and the job may have items of it`,
      );
    for (const item of await sample(ledger, spec.id, name)) {
      const why = misfit(ready, item, laneOf);
      if (why !== undefined) throw refuse(spec.id, `for item ${item.key} of ${name}, ${why}`);
    }
  }
};

const misfit = ({ scraper }: CompiledScraper, item: ItemView, laneOf: LaneOf): string | undefined => {
  const planned = planInput(scraper, { line: 1, value: item.input as Record<string, unknown> }, laneOf);
  if ("rejected" in planned)
    return `the new \`input\` schema rejects the stored input: ${planned.rejected.problem}`;
  const { key, lane } = planned.item;
  if (key !== item.key) return `the new version gives another key: ${key}`;
  if (lane !== item.lane) return `the new version gives another lane: ${lane} instead of ${item.lane}`;
  return undefined;
};

const sample = async (ledger: JobLedger, job: string, scraper: string): Promise<readonly ItemView[]> => {
  const items: ItemView[] = [];
  let after: ItemView["ref"] | undefined;
  for (let page = 0; page < PAGES && items.length < SAMPLE; page++) {
    const limit = SAMPLE - items.length;
    const found = await ledger.listItems(job, { scraper, limit, ...(after && { after }) });
    items.push(...found.items);
    after = found.next;
    if (after === undefined) break;
  }
  return items;
};

const refuse = (job: string, why: string): ReextractError =>
  new ReextractError(
    "does-not-fit",
    `${job}: the job cannot continue with the new version: ${why}. Start a new job, or restore the old version.`,
  );
