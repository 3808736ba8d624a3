import { type LaneOf, planInput } from "../pipeline/plan.ts";
import { createJob, loadInputs } from "../pipeline/submit.ts";
import type { KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { ItemRef, ItemView } from "../domain/item.ts";
import { TRIAL_CLIENT } from "../domain/job.ts";
import type { JobLedger } from "../ports/ledger.ts";
import type { Storage } from "../ports/storage.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { FoundRecord } from "./fixture.ts";
import { judgePages } from "./run-case.ts";
import { runTrialProcess, type TrialProcessEnd, type TrialProcessOptions } from "./trial-process.ts";
import type { KeptByItem } from "./watch-collector.ts";

interface Trial extends Omit<TrialProcessOptions, "location"> {
  /** Called after the input has been validated. */
  readonly openStorage: () => Promise<Storage>;
  readonly laneOf: LaneOf;
  readonly ready: CompiledScraper;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The result of trying one item. */
export interface Tried extends Omit<KeptByItem, "pages"> {
  readonly key: string;
  /** As the scraper's schema returns it. */
  readonly input: unknown;
  readonly outcome: "done" | "absent" | "failed" | "interrupted";
  readonly failure?: Failure;
  readonly pages: readonly KeptPage[];
  readonly records: readonly FoundRecord[];
  /** Items that this one emits. They are listed, not run. */
  readonly emitted: readonly ItemView[];
}

type TrialEnd = Tried | { readonly rejected: string };

const NOTHING_KEPT: KeptByItem = { pages: [], files: [] };

/**
 * Runs one item against the site, once, as a separate job: it shares the pace with all workers of this data folder, and its responses are
 * archived like those of any job. The job has always ended when this returns.
 */
export const tryItem = async (trial: Trial): Promise<TrialEnd> => {
  const { job, ready, input, laneOf } = trial;
  const row = { line: 1, value: input };
  const planned = planInput(ready.scraper, row, laneOf);
  if ("rejected" in planned) return { rejected: planned.rejected.problem };
  await using storage = await trial.openStorage();
  const submission = {
    job,
    client: TRIAL_CLIENT,
    ready,
    laneOf,
    inputs: (async function* () {
      yield [row];
    })(),
  };
  await createJob(storage.ledger, submission);
  let end: TrialProcessEnd;
  try {
    await loadInputs(storage.ledger, submission);
    end = await runTrialProcess({ ...trial, location: storage.location });
    if (end.death) await storage.ledger.reap({ worker: end.worker, cause: end.death });
  } finally {
    const view = await storage.ledger.readJob(job);
    if (view !== undefined && view.state !== "done") await storage.ledger.controlJob(job, "cancel");
  }
  if (end.error) throw end.error;
  const items = await allItems(storage.ledger, job);
  const own = items.find(({ depth }) => depth === 0);
  return {
    ...endOf(own, trial, end),
    key: planned.item.key,
    input: JSON.parse(planned.item.input) as unknown,
    emitted: items.filter((item) => item !== own),
  };
};

const allItems = async (ledger: JobLedger, job: string): Promise<ItemView[]> => {
  const found: ItemView[] = [];
  for (let after: ItemRef | undefined; ;) {
    const { items, next } = await ledger.listItems(job, { limit: 1000, ...(after && { after }) });
    found.push(...items);
    if (next === undefined) return found;
    after = next;
  }
};

type End = Omit<Tried, "key" | "input" | "emitted">;

const endOf = (
  item: ItemView | undefined,
  { ready, job, signal }: Trial,
  { kept = NOTHING_KEPT, death }: TrialProcessEnd,
): End => {
  if (death !== undefined && !(signal.aborted && death.blame === "unknown"))
    return { ...kept, outcome: "failed", failure: failureBy(death), records: [] };
  if (kept === NOTHING_KEPT || item === undefined) return { ...kept, outcome: "interrupted", records: [] };
  const { records } = judgePages(ready, kept.pages, { job, key: item.key, input: item.input });
  if (item.state === "done") return { ...kept, outcome: "done", records };
  if (item.state === "absent") return { ...kept, outcome: "absent", records: [] };
  // An item that would be retried was cancelled with its job; its failure is in its history.
  const failure = item.failure ?? item.history.at(-1)?.failure;
  if (failure === undefined) return { ...kept, outcome: "interrupted", records };
  return { ...kept, outcome: "failed", failure, records };
};

const failureBy = ({ blame, detail }: NonNullable<TrialProcessEnd["death"]>): Failure =>
  blame === "scraper"
    ? { kind: "scraper-error", detail: `the scraper's code ended its process: ${detail}` }
    : { kind: "worker-lost", detail: `the process that ran the item is gone: ${detail}` };
