import type { JobView } from "../../model/job.ts";
import type { Ledger, LedgerEvent } from "../../ports/ledger.ts";
import type { ClientCard, NewDelivery, Registry } from "../../ports/registry.ts";
import { deliveriesOf } from "./delivery-of.ts";

export interface OutboxTools {
  readonly ledger: Ledger;
  readonly registry: Registry;
  /** Hears each event of all jobs once it is on its way. */
  readonly onEvent?: (event: LedgerEvent) => void;
}

const PAGE = 100;

/**
 * Empties the outbox into deliveries. They are there before their events are acknowledged, and made again they are the same: a crash in between
 * loses nothing and doubles nothing.
 */
export const makeDeliveries = async (
  { ledger, registry, onEvent }: OutboxTools,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const events = await ledger.readEvents(PAGE);
    const last = events.at(-1);
    if (!last) return;
    const jobs = new Map<string, JobView | undefined>();
    const clients = new Map<string, ClientCard | undefined>();
    const deliveries: NewDelivery[] = [];
    for (const event of events) {
      const job = await kept(jobs, event.job, () => ledger.readJob(event.job));
      if (!job) continue;
      const { client } = job.spec;
      const card = await kept(clients, client, () => registry.readClient(client));
      deliveries.push(...deliveriesOf(event, job.spec, card));
    }
    await registry.addDeliveries(deliveries);
    await ledger.ackEvents(last.id);
    if (onEvent) events.forEach(onEvent);
  }
};

const kept = async <T>(known: Map<string, T>, name: string, read: () => Promise<T>): Promise<T> => {
  if (!known.has(name)) known.set(name, await read());
  return known.get(name) as T;
};
