import { createHash } from "node:crypto";
import type { ItemRef } from "../../domain/item.ts";
import type { JobSpec } from "../../domain/job.ts";
import { hidePlaces } from "../../domain/record.ts";
import type { LedgerEvent } from "../../ports/ledger.ts";
import { type ClientInfo, JOB_ENDPOINT, type NewDelivery } from "../../ports/registry.ts";
import { itemId } from "../../services/items.ts";
import { evidenceView } from "../../services/job-view.ts";

/** Who is told of an event: the client's endpoints that want its type, and the webhook that the job names itself. */
export const deliveriesOf = (
  event: LedgerEvent,
  spec: JobSpec,
  client: ClientInfo | undefined,
): NewDelivery[] => {
  const endpoints = (client?.webhooks ?? []).filter(({ events }) => events?.includes(event.type) ?? true);
  const targets = endpoints.map(({ id, url }) => ({ id, url }));
  const { webhook } = spec;
  if (webhook !== undefined && targets.every(({ url }) => url !== webhook))
    targets.push({ id: JOB_ENDPOINT, url: webhook });
  const body = bodyOf(event, spec);
  return targets.map(({ id, url }) => ({
    id: messageId(event, id),
    event: event.id,
    client: spec.client,
    job: event.job,
    endpoint: id,
    url,
    type: event.type,
    body,
  }));
};

/** Made of the event and its receiver: told again after a crash, it is the same message. */
const messageId = (event: LedgerEvent, endpoint: string): string => {
  const text = JSON.stringify([event.id, event.at, event.job, endpoint]);
  return `msg_${createHash("sha256").update(text).digest("base64url").slice(0, 27)}`;
};

const bodyOf = (event: LedgerEvent, { client, scraper, labels }: JobSpec): string =>
  JSON.stringify(
    {
      type: event.type,
      timestamp: new Date(event.at).toISOString(),
      data: { ...factsOf(event), job: event.job, client, scraper, ...(labels && { labels }) },
    },
    hidePlaces,
  );

/** Items and evidence go out as the API shows them. */
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
