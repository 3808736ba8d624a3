import type { DueAlerts } from "../domain/alert-rules.ts";
import type { Removal } from "../domain/removal.ts";
import type { LedgerEvent } from "../ports/ledger.ts";
import type { Delivery, DeliveryEnd } from "../ports/registry.ts";
import type { ControllerLog } from "./controller-context.ts";

/** What the tasks have to say for the log. URLs of receivers are not written: some open doors. */
export interface TaskLog {
  readonly report: (task: string, error: unknown) => void;
  readonly onReaped: (reaped: { readonly workers: number; readonly suspects: number }) => void;
  readonly onEvent: (event: LedgerEvent) => void;
  readonly onDeliveryEnd: (delivery: Delivery, end: DeliveryEnd) => void;
  readonly onRemoved: (removal: Removal) => void;
  readonly onAlerts: (channel: string, told: DueAlerts) => void;
}

export const taskLog = (log: ControllerLog): TaskLog => ({
  report(task, error) {
    log.error("duty failed", { task, message: error instanceof Error ? error.message : String(error) });
  },
  onReaped(reaped) {
    log.warn("workers given up", { ...reaped });
  },
  onEvent({ id, type, job, facts }) {
    log.info(type, { ...shortFacts(facts), job, id });
  },
  onDeliveryEnd({ id, client, job, type, attempts }, { state, ...end }) {
    const facts = { delivery: id, client, job, type, attempt: attempts + 1, state, ...end };
    if (state === "delivered") log.info("delivery", facts);
    else log.warn("delivery", facts);
  },
  onRemoved({ job, client, scraper, what, removed, kept }) {
    log.info("removed", { job, client, scraper, what, ...removed, keptObjects: kept.objects });
  },
  onAlerts(channel, { raised, over }) {
    log.info("alerts told", { channel, raised, over });
  },
});

/** Evidence and lists of items are large, and in the ledger. */
const LONGEST_FACT = 200;

const shortFacts = (facts: LedgerEvent["facts"]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).filter(([, value]) => (JSON.stringify(value) ?? "").length <= LONGEST_FACT),
  );
