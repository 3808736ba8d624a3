import { createHash } from "node:crypto";
import type { ItemRef } from "../../domain/item.ts";
import type { JobSpec, JobView } from "../../domain/job.ts";
import { hidePlaces } from "../../domain/record.ts";
import { notify } from "../../pipeline/notify.ts";
import { clientOfEvent } from "../../ports/event-log.ts";
import type { Ledger, LedgerEvent } from "../../ports/ledger.ts";
import { type ClientInfo, JOB_ENDPOINT, type NewDelivery, type Registry } from "../../ports/registry.ts";
import { itemId } from "../../services/items.ts";
import { evidenceView } from "../../services/job-view.ts";

export interface DeliveryTools {
  readonly ledger: Pick<Ledger, "events" | "readJob">;
  readonly registry: Registry;
  /** Called for each event once its deliveries are stored. */
  readonly onEvent?: (event: LedgerEvent) => void;
}

/** The name of this reader of the event log. */
const CONSUMER = "webhooks";

/**
 * Turns new events into deliveries. They are stored before the cursor moves, and making them again gives the same ones: a crash in between loses nothing and
 * duplicates nothing. Returns the position reached.
 */
export const makeDeliveries = async (
  { ledger, registry, onEvent }: DeliveryTools,
  signal: AbortSignal,
): Promise<number> =>
  await notify(
    ledger.events,
    { consumer: CONSUMER },
    async (events) => {
      const jobs = new Map<string, JobView | undefined>();
      const clients = new Map<string, ClientInfo | undefined>();
      const deliveries: NewDelivery[] = [];
      for (const event of events) {
        const client = clientOfEvent(event);
        const job =
          client === undefined ? await kept(jobs, event.job, () => ledger.readJob(event.job)) : undefined;
        const about: EventSubject | undefined = client === undefined ? job?.spec : { client };
        if (!about) continue;
        const info = await kept(clients, about.client, () => registry.readClient(about.client));
        deliveries.push(...deliveriesOf(event, about, info));
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

/** What an event is about: a job, or something else of a client. */
type EventSubject = Pick<JobSpec, "client"> & Partial<Pick<JobSpec, "scraper" | "labels" | "webhook">>;

/** The receivers of an event: the client's webhooks that want its type, and the webhook that the job names. */
export const deliveriesOf = (
  event: LedgerEvent,
  subject: EventSubject,
  client: ClientInfo | undefined,
): NewDelivery[] => {
  const endpoints = (client?.webhooks ?? []).filter(({ events }) => events?.includes(event.type) ?? true);
  const targets = endpoints.map(({ id, url }) => ({ id, url }));
  const { webhook } = subject;
  if (webhook !== undefined && targets.every(({ url }) => url !== webhook))
    targets.push({ id: JOB_ENDPOINT, url: webhook });
  const body = bodyOf(event, subject);
  return targets.map(({ id, url }) => ({
    id: messageId(event, id),
    event: event.id,
    client: subject.client,
    ...(event.job !== "" && { job: event.job }),
    endpoint: id,
    url,
    type: event.type,
    body,
  }));
};

/** Derived from the event and its receiver, so that a repeated delivery has the same id. */
const messageId = (event: LedgerEvent, endpoint: string): string => {
  const text = JSON.stringify([event.id, event.at, event.job, endpoint]);
  return `msg_${createHash("sha256").update(text).digest("base64url").slice(0, 27)}`;
};

const bodyOf = (event: LedgerEvent, { client, scraper, labels }: EventSubject): string =>
  JSON.stringify(
    {
      type: event.type,
      timestamp: new Date(event.at).toISOString(),
      data: {
        ...factsOf(event),
        ...(event.job !== "" && { job: event.job }),
        client,
        ...(scraper !== undefined && { scraper }),
        ...(labels && { labels }),
      },
    },
    hidePlaces,
  );

/** Items and evidence as the API shows them. */
export const factsOf = ({ facts }: LedgerEvent): LedgerEvent["facts"] => {
  const { items, evidence, held, ...rest } = facts as EventFacts;
  return {
    ...rest,
    ...(items && {
      items: items.map(({ queue, seq, ...item }) => ({ id: itemId({ queue, seq }), ...item })),
    }),
    ...(evidence !== undefined && { evidence: evidenceView(evidence) }),
    ...(held && { held: held.map((lane) => ({ ...lane, evidence: evidenceView(lane.evidence) })) }),
  };
};

interface EventFacts {
  readonly [fact: string]: unknown;
  readonly items?: readonly ItemRef[];
  readonly evidence?: unknown;
  readonly held?: readonly { readonly lane: string; readonly evidence: unknown }[];
}
