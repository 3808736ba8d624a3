import { setTimeout as delay } from "node:timers/promises";
import { hasWork, workWants } from "../../ledger/claim.ts";
import type { PulseLimits } from "../../ledger/pulse.ts";
import { resending } from "../../ledger/resend.ts";
import { ledgerVerbs } from "../../ledger/verbs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { lastEvent, openEventLog } from "../sql/event-log.ts";
import { openDocuments } from "../sql/read-documents.ts";
import { openReads } from "../sql/open-reads.ts";
import { openRemovals } from "../sql/removals/open-removals.ts";
import { tidyRecords } from "../sql/tidy.ts";
import { migrate } from "./migrate.ts";
import { openPool, type PoolOptions } from "./pool.ts";
import { RecentWrites, type SteppedBack } from "./recent-writes.ts";
import { postgresSteps } from "./run-steps.ts";
import { postgresStore, type StoreOptions } from "./store.ts";

export interface PostgresOptions
  extends Omit<PoolOptions, "onBack">, Omit<StoreOptions, "onDurable">, Partial<PulseLimits> {
  /** The database has returned to an earlier state: what this process knows to be lost, by job. */
  readonly onSteppedBack?: (lost: Readonly<Record<keyof SteppedBack, unknown>>) => void;
}

/** Interval between two checks for changes. */
const LOOK_MS = 250;

/** Any number of machines may have the same database open. The first process creates and upgrades the tables. */
export const openPostgres = async (url: string, options: PostgresOptions = {}): Promise<Ledger> => {
  const recent = new RecentWrites();
  let onBack = (): void => undefined;
  const pool = await openPool(url, { ...options, onBack: () => onBack() });
  try {
    await migrate(pool);
  } catch (error) {
    await pool.close();
    throw error;
  }
  const store = postgresStore(pool, { ...options, onDurable: (changes) => recent.note(changes) });
  const noticeStepBack = async (): Promise<void> => {
    const { lost, resend } = await recent.forgotten(store);
    if (lost.length === 0) return;
    for (const each of lost) options.onSteppedBack?.(each);
    await resend(verbs);
    await store.transact([], (tx) => {
      for (const { job, ...facts } of lost) if (job !== undefined) tx.tell("ledger.stepped-back", job, facts);
    });
  };
  // If the connection is lost again, the next connection repeats this.
  onBack = () => void noticeStepBack().catch(() => undefined);
  const steps = postgresSteps(pool, options);
  const verbs = ledgerVerbs(store, options);
  const closing = new AbortController();
  /** True as soon as the condition holds, false after `ms`. If nothing was written, the condition cannot have changed. */
  const awaitChange = async (isSo: () => Promise<boolean>, ms: number): Promise<boolean> => {
    const until = performance.now() + ms;
    let seen: number | undefined;
    while (!closing.signal.aborted) {
      const version = await store.version();
      if (version !== seen && (await isSo())) return true;
      seen = version;
      const leftMs = until - performance.now();
      if (leftMs <= 0) break;
      await delay(Math.min(LOOK_MS, leftMs));
    }
    return false;
  };
  const ledger: Ledger = {
    ...verbs,
    ...recent.watch(verbs),
    ...openReads(steps),
    awaitWork: (filter, ms) =>
      awaitChange(() => store.read(workWants(filter), (tx) => hasWork(tx, filter)), ms),
    events: {
      ...verbs.events,
      ...openEventLog(steps),
      await: (after, ms) => awaitChange(async () => (await steps.read(lastEvent)) > after, ms),
    },
    removals: openRemovals(steps),
    documents: { ...verbs.documents, ...openDocuments(steps) },
    tidy: () => tidyRecords(steps),
    close: async () => {
      closing.abort();
      await pool.close();
    },
  };
  // A connection may be lost after a commit: every call has an id by which the ledger recognizes it when it runs again.
  return resending(ledger, async () => false);
};
