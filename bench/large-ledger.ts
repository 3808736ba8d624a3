import type { Outcome } from "../src/domain/item.ts";
import { seededRandom } from "../src/domain/testing/seeded-random.ts";
import type { Ledger } from "../src/ports/ledger.ts";
import { queueItems, queueJob } from "./queue-job.ts";
import { settledPage } from "./settled-page.ts";

const WORKER = "bench-worker";
const ADD = 20_000;
const CLAIM = 1_000;

/** Items of the jobs that `fillLedger` makes. The last thousand claimed items stay leased. */
export interface LedgerSize {
  /** Of each large job. */
  readonly items: number;
  /** Small jobs, each with a tenth of that. */
  readonly jobs: number;
}

export const smallJob = (n: number): string => `job-${n}`;

/**
 * Three large jobs and many small ones, by the ledger's own verbs. `large`: seven in ten items have ended, nearly all well. `rare`: only one of a
 * thousand is done. `failing`: nearly half have failed, one in ten thousand of them by another kind.
 */
export const fillLedger = async (ledger: Ledger, { items, jobs }: LedgerSize): Promise<void> => {
  const random = seededRandom(7);
  await loadJob(ledger, "large", items);
  await workOn(ledger, "large", items * 0.7, () => usual(random()));
  await loadJob(ledger, "rare", items);
  await workOn(ledger, "rare", items * 0.9, () => (random() < 0.001 ? DONE : ABSENT));
  await loadJob(ledger, "failing", items);
  await workOn(ledger, "failing", items * 0.9, () => failing(random()));
  for (let n = 0; n < jobs; n++) await loadJob(ledger, smallJob(n), items / 10);
};

const loadJob = async (ledger: Ledger, job: string, count: number): Promise<void> => {
  await ledger.createJob(queueJob(job));
  for (let from = 0; from < count; from += ADD)
    await ledger.addItems(job, queueItems(from, Math.min(count, from + ADD)), []);
};

const workOn = async (
  ledger: Ledger,
  job: string,
  count: number,
  outcomeOf: () => Outcome,
): Promise<void> => {
  const claim = { worker: WORKER, room: CLAIM, inFlight: new Map(), jobs: [job] };
  for (let settled = 0; settled < count; settled += CLAIM) {
    const { items } = await ledger.claim(claim);
    await ledger.settle(
      WORKER,
      items.map((item) => ({ ...settledPage(item), outcome: outcomeOf() })),
    );
  }
  await ledger.claim(claim);
};

const DONE: Outcome = { state: "done", quality: "complete" };
const ABSENT: Outcome = { state: "absent", detail: "none" };
const TIMEOUT = { kind: "timeout", detail: "no answer within 30 s" } as const;
const BLOCKED = { kind: "blocked", detail: "status 403" } as const;

const usual = (at: number): Outcome => {
  if (at < 0.001) return { state: "failed", failure: TIMEOUT };
  if (at < 0.002) return { state: "waiting", delayMs: 3_600_000, failure: TIMEOUT, countsAttempt: true };
  if (at < 0.003) return { state: "skipped", reason: "unchanged", quality: "complete" };
  return at < 0.01 ? ABSENT : DONE;
};

const failing = (at: number): Outcome => {
  if (at < 0.5) return DONE;
  return { state: "failed", failure: at > 0.99995 ? BLOCKED : TIMEOUT };
};
