import { tell } from "../../pipeline/notify.ts";
import type { JobView } from "../../domain/job.ts";
import type { Ledger, LedgerEvent } from "../../ports/ledger.ts";
import type { ClientInfo, NewDelivery, Registry } from "../../ports/registry.ts";
import { deliveriesOf } from "./delivery-of.ts";

export interface DeliveryTools {
  readonly ledger: Pick<Ledger, "events" | "readJob">;
  readonly registry: Registry;
  /** Hears each event of all jobs once it is on its way. */
  readonly onEvent?: (event: LedgerEvent) => void;
}

/** How the log knows the deliveries. */
const CONSUMER = "webhooks";

/**
 * Makes deliveries of the events that are new. They are there before the cursor moves, and made again they are the same: a crash in between
 * loses nothing and doubles nothing. Answers how far it has come.
 */
export const makeDeliveries = async (
  { ledger, registry, onEvent }: DeliveryTools,
  signal: AbortSignal,
): Promise<number> =>
  await tell(
    ledger.events,
    { consumer: CONSUMER },
    async (events) => {
      const jobs = new Map<string, JobView | undefined>();
      const clients = new Map<string, ClientInfo | undefined>();
      const deliveries: NewDelivery[] = [];
      for (const event of events) {
        const job = await kept(jobs, event.job, () => ledger.readJob(event.job));
        if (!job) continue;
        const { client } = job.spec;
        const card = await kept(clients, client, () => registry.readClient(client));
        deliveries.push(...deliveriesOf(event, job.spec, card));
      }
      await registry.addDeliveries(deliveries);
      if (onEvent) events.forEach(onEvent);
    },
    signal,
  );

const kept = async <T>(known: Map<string, T>, name: string, read: () => Promise<T>): Promise<T> => {
  if (!known.has(name)) known.set(name, await read());
  return known.get(name) as T;
};
