import { isoTime } from "../domain/iso-time.ts";
import {
  type ClientInfo,
  type Delivery as StoredDelivery,
  JOB_ENDPOINT,
  type WebhookEndpoint,
} from "../ports/registry.ts";
import type { Delivery, NewWebhook, Webhook, WebhookWithSecret } from "../schemas/webhook.ts";
import { type Actor, isAtLeast, noteOther, type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";
import { type Creation, idOf, newSecret, rotated } from "./secrets.ts";

type Webhooks = Pick<ServiceContext, "registry" | "now" | "whyNotCall">;

const MOST_WEBHOOKS = 20;

/** A webhook makes this service send requests, so its address is checked like any target. */
export const checkWebhook = async (
  { whyNotCall }: Pick<ServiceContext, "whyNotCall">,
  webhook: string | undefined,
): Promise<void> => {
  if (webhook === undefined) return;
  const url = new URL(webhook);
  if (url.username !== "" || url.password !== "")
    throw new Problem(
      "forbidden-target",
      "A webhook URL must not contain a user name or password. Deliveries are signed instead.",
    );
  const reason = await whyNotCall?.(url);
  if (reason !== undefined) throw new Problem("forbidden-target", `${url.host}: ${reason}`);
};

/** Admins may name another client. */
const findOwner = async (context: Webhooks, actor: Actor, asked: string | undefined): Promise<ClientInfo> => {
  const name = isAtLeast(actor.role, "admin") ? (asked ?? actor.client) : actor.client;
  noteOther(actor, name);
  const info = await context.registry.readClient(name);
  if (info) return info;
  if (asked !== undefined) throw new Problem("not-found", `${shown(name)}: no such client.`);
  return { name, weight: 1, webhooks: [], createdAt: context.now() };
};

/** In one step, because another request may be changing the client too. */
const changeOwner = async (
  { registry }: Webhooks,
  owner: ClientInfo,
  change: (info: ClientInfo) => ClientInfo | undefined,
): Promise<ClientInfo> => (await registry.changeClient(owner.name, (info) => change(info ?? owner))) ?? owner;

const findWebhook = ({ webhooks }: ClientInfo, id: string): WebhookEndpoint => {
  const found = webhooks.find((webhook) => webhook.id === id);
  if (!found) throw new Problem("not-found", `${shown(id)}: the client has no such webhook.`);
  return found;
};

export const createWebhook = async (
  context: Webhooks,
  actor: Actor,
  { url, events }: NewWebhook,
  { client, creation }: { readonly client: string | undefined; readonly creation: Creation },
): Promise<WebhookWithSecret> => {
  const owner = await findOwner(context, actor, client);
  await checkWebhook(context, url);
  const secret = newSecret();
  // A repeated creation keeps the id and gets a new secret: nobody has seen the first one.
  const webhook: WebhookEndpoint = {
    id: `wh_${idOf(creation, 12)}`,
    url,
    secrets: [secret],
    ...(events && { events }),
  };
  const { webhooks } = await changeOwner(context, owner, (info) => {
    const others = info.webhooks.filter(({ id }) => id !== webhook.id);
    return others.length < MOST_WEBHOOKS ? { ...info, webhooks: [...others, webhook] } : undefined;
  });
  if (!webhooks.includes(webhook))
    throw new Problem("forbidden", `A client can have at most ${MOST_WEBHOOKS} webhooks. Remove one first.`);
  return { ...webhookView(webhook), secret };
};

export const listWebhooks = async (
  context: Webhooks,
  actor: Actor,
  client: string | undefined,
): Promise<Webhook[]> => (await findOwner(context, actor, client)).webhooks.map(webhookView);

/** The id `job` stands for the webhooks that jobs name. Deliveries are signed with the new and the previous secret. */
export const rotateWebhook = async (
  context: Webhooks,
  actor: Actor,
  id: string,
  { client, creation }: { readonly client: string | undefined; readonly creation: Creation },
): Promise<WebhookWithSecret> => {
  const owner = await findOwner(context, actor, client);
  const secret = newSecret();
  if (id === JOB_ENDPOINT) {
    const { secrets = [] } = await changeOwner(context, owner, (info) => ({
      ...info,
      ...rotated(info, secret, creation.name),
    }));
    return { ...webhookView({ id, url: "", secrets }), secret };
  }
  const changed = await changeOwner(context, owner, (info) => ({
    ...info,
    webhooks: info.webhooks.map((one) =>
      one.id === id ? { ...one, ...rotated(one, secret, creation.name) } : one,
    ),
  }));
  return { ...webhookView(findWebhook(changed, id)), secret };
};

export const removeWebhook = async (
  context: Webhooks,
  actor: Actor,
  id: string,
  client: string | undefined,
): Promise<Webhook> => {
  const owner = await findOwner(context, actor, client);
  const webhook = findWebhook(owner, id);
  await changeOwner(context, owner, (info) => ({
    ...info,
    webhooks: info.webhooks.filter((one) => one.id !== webhook.id),
  }));
  return webhookView(webhook);
};

const webhookView = ({ id, url, events, secrets }: WebhookEndpoint): Webhook => ({
  id,
  url,
  ...(events && { events }),
  secrets: secrets.length,
});

const TEST_TYPE = "webhook.test";

/** Sends a made-up event, signed and retried like any other. */
export const testWebhook = async (
  context: Webhooks,
  actor: Actor,
  webhook: string,
  { client, creation }: { readonly client: string | undefined; readonly creation: Creation },
): Promise<Delivery> => {
  const owner = await findOwner(context, actor, client);
  const { id: endpoint, url } = findWebhook(owner, webhook);
  const id = `msg_${idOf(creation, 27)}`;
  const data = {
    client: owner.name,
    webhook: endpoint,
    text: "A test of this webhook. Nothing has happened.",
  };
  const body = JSON.stringify({ type: TEST_TYPE, timestamp: isoTime(context.now()), data });
  const delivery = { id, event: 0, client: owner.name, endpoint, url, type: TEST_TYPE, body };
  await context.registry.addDeliveries([delivery]);
  return deliveryView(await findDelivery(context, actor, id));
};

/** The client whose deliveries the actor may see; all clients for operators. */
export const deliveryScope = ({ role, client }: Actor): { readonly client?: string } =>
  isAtLeast(role, "operator") ? {} : { client };

const findDelivery = async ({ registry }: Webhooks, actor: Actor, id: string): Promise<StoredDelivery> => {
  const [found] = await registry.listDeliveries({ ...deliveryScope(actor), id, limit: 1 });
  if (!found) throw new Problem("not-found", `${shown(id)}: no such delivery.`);
  noteOther(actor, found.client);
  return found;
};

/** Sends it again now, even if it was delivered or parked. */
export const replayDelivery = async (
  context: Webhooks,
  actor: Actor,
  delivery: string,
): Promise<Delivery> => {
  const { id } = await findDelivery(context, actor, delivery);
  await context.registry.replayDelivery(id);
  return deliveryView(await findDelivery(context, actor, id));
};

export const deliveryView = (delivery: StoredDelivery): Delivery => ({
  id: delivery.id,
  client: delivery.client,
  ...(delivery.job !== undefined && { job: delivery.job }),
  webhook: delivery.endpoint,
  url: delivery.url,
  type: delivery.type,
  state: delivery.state,
  attempts: delivery.attempts,
  createdAt: isoTime(delivery.createdAt),
  ...(delivery.state === "due" && { dueAt: isoTime(delivery.dueAt) }),
  ...(delivery.lastStatus !== undefined && { lastStatus: delivery.lastStatus }),
  ...(delivery.lastError !== undefined && { lastError: delivery.lastError }),
});
