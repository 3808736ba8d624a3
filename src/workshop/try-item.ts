import { laneOf, openHouse, work } from "../compose.ts";
import { planInput } from "../flow/plan.ts";
import { createJob, loadInputs } from "../flow/submit.ts";
import type { KeptPage } from "../model/capture.ts";
import type { Failure } from "../model/failure.ts";
import type { ItemView } from "../model/item.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import type { FoundRecord } from "./fixture.ts";
import { judgePages } from "./judge-pages.ts";
import { type KeptByItem, watchCollector, type Watcher } from "./watch-collector.ts";

export interface Trial {
  readonly data: string;
  readonly job: string;
  readonly ready: ReadyScraper;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly watcher: Omit<Watcher, "onEnd">;
}

/** What came of one item that was tried. */
export interface Tried extends Omit<KeptByItem, "pages"> {
  readonly key: string;
  /** As the scraper's schema has it. */
  readonly input: unknown;
  readonly outcome: "done" | "absent" | "failed" | "interrupted";
  readonly failure?: Failure;
  readonly pages: readonly KeptPage[];
  readonly records: readonly FoundRecord[];
  /** Items that this one leads to. They are listed, and not run. */
  readonly emitted: readonly ItemView[];
}

export type TrialEnd = Tried | { readonly rejected: string };

const NOTHING_KEPT: KeptByItem = { pages: [], files: [] };

/**
 * Runs one item against the site, once, as a job of its own: it keeps the pace that all workers of this data folder keep
 * together, and what it fetches is in the archive like that of any job.
 */
export const tryItem = async (trial: Trial): Promise<TrialEnd> => {
  const { data, job, ready, input, signal } = trial;
  const row = { line: 1, value: input };
  const planned = planInput(ready.scraper, row, laneOf);
  if ("rejected" in planned) return { rejected: planned.rejected.problem };
  await using house = await openHouse(data);
  const submission = {
    job,
    client: "local",
    ready,
    pace: ready.pace,
    laneOf,
    inputs: (async function* () {
      yield [row];
    })(),
  };
  await createJob(house.ledger, submission);
  await loadInputs(house.ledger, submission);

  let kept: KeptByItem | undefined;
  const over = new AbortController();
  const watcher: Watcher = {
    ...trial.watcher,
    onEnd: (all) => {
      kept = all;
      // No second attempt: the worker settles what it has in hand, and goes.
      over.abort();
    },
  };
  try {
    await work({
      data,
      jobs: [job],
      logLevel: "warn",
      signal: AbortSignal.any([over.signal, signal]),
      watch: (collector) => watchCollector(collector, watcher),
    });
  } finally {
    const view = await house.ledger.readJob(job);
    if (view !== undefined && view.state !== "done") await house.ledger.steerJob(job, "cancel");
  }
  const { items } = await house.ledger.listItems(job, { limit: 1000 });
  const [item, ...emitted] = items;
  return {
    ...endOf(item, ready, kept),
    key: planned.item.key,
    input: JSON.parse(planned.item.input) as unknown,
    emitted,
  };
};

const endOf = (
  item: ItemView | undefined,
  ready: ReadyScraper,
  kept: KeptByItem | undefined,
): Omit<Tried, "key" | "input" | "emitted"> => {
  const found = kept ?? NOTHING_KEPT;
  if (kept === undefined || item === undefined) return { ...found, outcome: "interrupted", records: [] };
  const { records } = judgePages(ready, found.pages, item.key);
  if (item.state === "done") return { ...found, outcome: "done", records };
  if (item.state === "absent") return { ...found, outcome: "absent", records: [] };
  // One that would be tried again was cancelled with its job; why it failed is in its history.
  const failure = item.failure ?? item.history.at(-1)?.failure;
  if (failure === undefined) return { ...found, outcome: "interrupted", records };
  return { ...found, outcome: "failed", failure, records };
};
