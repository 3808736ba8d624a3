import { changeShare } from "../domain/client.ts";
import { fromMicro } from "../domain/cost.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { ClientLedger } from "../ports/ledger.ts";
import type { ClientInfo, KeyInfo, Role } from "../ports/registry.ts";
import type {
  Client,
  ClientChange,
  CreatedClient,
  CreatedKey,
  Key,
  Me,
  NewClient,
} from "../schemas/client.ts";
import { type Actor, type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";
import { itemsLeft } from "./quotas.ts";
import { type Creation, idOf, KEY_ID_LENGTH, makeKey, newSecret } from "./secrets.ts";

interface Clients extends Pick<ServiceContext, "registry" | "now"> {
  readonly ledger: ClientLedger;
}
type Keys = Pick<ServiceContext, "registry" | "now">;

export const findClient = async (
  { registry }: Pick<ServiceContext, "registry">,
  name: string,
): Promise<ClientInfo> => {
  const info = await registry.readClient(name);
  if (!info)
    throw new Problem("not-found", `${shown(name)}: no such client. \`sluice clients add\` adds one.`);
  return info;
};

export const createClient = async (
  { registry, ledger, now }: Clients,
  { name, ...share }: NewClient,
  creation?: Creation,
): Promise<CreatedClient> => {
  const webhookSecret = newSecret();
  const made: ClientInfo = {
    ...changeShare({ name, weight: 1, webhooks: [], createdAt: now() }, share),
    secrets: [webhookSecret],
    ...(creation && { madeAs: creation.name }),
  };
  const info = await registry.changeClient(name, (known) =>
    known === undefined || (creation && known.madeAs === creation.name) ? made : undefined,
  );
  if (info !== made) throw new Problem("client-exists", `${name}: a client with this name exists.`);
  await ledger.setShare(name, made);
  return { ...clientView(made), webhookSecret };
};

/** Null removes a limit; limits that are not named stay unchanged. */
export const changeClient = async (context: Clients, name: string, to: ClientChange): Promise<Client> => {
  const info =
    (await context.registry.changeClient(name, (known) => known && changeShare(known, to))) ??
    (await findClient(context, name));
  await context.ledger.setShare(name, info);
  return clientView(info);
};

export const listClients = async ({ registry }: Pick<ServiceContext, "registry">): Promise<Client[]> =>
  (await registry.listClients()).map(clientView);

export const clientView = (info: ClientInfo): Client => ({
  name: info.name,
  createdAt: isoTime(info.createdAt),
  weight: info.weight,
  itemsPerDay: info.itemsPerDay ?? null,
  requestsPerDay: info.requestsPerDay ?? null,
  bytesPerDay: info.bytesPerDay ?? null,
  costPerDay: info.costPerDay ?? null,
  maxRunning: info.maxRunning ?? null,
  requestsPerMinute: info.requestsPerMinute ?? null,
  maxOpenJobs: info.maxOpenJobs ?? null,
  maxStoredBytes: info.maxStoredBytes ?? null,
});

const spentToday = async ({ ledger }: Pick<Clients, "ledger">, client: string): Promise<Me["spentToday"]> => {
  const { requests, bytes, microCost } = (await ledger.readSpending(client)).spent;
  return { requests, bytes, cost: fromMicro(microCost) };
};

/** Including what it has spent. */
export const showClient = async (context: Clients, name: string): Promise<Client> => ({
  ...clientView(await findClient(context, name)),
  today: await spentToday(context, name),
});

export const describeActor = async (context: Clients, { client, role, key }: Actor): Promise<Me> => {
  const info = await context.registry.readClient(client);
  const {
    name: _name,
    createdAt: _at,
    ...quotas
  } = clientView(info ?? { name: client, weight: 1, webhooks: [], createdAt: 0 });
  const left = await itemsLeft(context, client, context.now());
  return {
    client,
    role,
    ...(key !== undefined && { key }),
    quotas,
    itemsLeftToday: Number.isFinite(left) ? left : null,
    spentToday: await spentToday(context, client),
  };
};

const saveNewKey = async (
  { registry, now }: Keys,
  client: string,
  role: Role,
  creation?: Creation,
): Promise<CreatedKey> => {
  // A repeated creation keeps the id and gets a new secret: nobody has seen the first one.
  const { key, info } = makeKey(client, role, now(), creation && idOf(creation, KEY_ID_LENGTH));
  await registry.saveKey(info);
  return { ...keyView(info), key };
};

export const createKey = async (
  context: Keys,
  client: string,
  role: Role,
  creation?: Creation,
): Promise<CreatedKey> => await saveNewKey(context, (await findClient(context, client)).name, role, creation);

export const listKeys = async (context: Keys, client: string): Promise<Key[]> =>
  (await context.registry.listKeys((await findClient(context, client)).name)).map(keyView);

const findKey = async ({ registry }: Keys, client: string, id: string): Promise<KeyInfo> => {
  const info = (await registry.listKeys(client)).find((key) => key.id === id);
  if (!info) throw new Problem("not-found", `${shown(id)}: client ${shown(client)} has no such key.`);
  return info;
};

/** A new key with the same role. The old one works until the grace period ends. */
export const rotateKey = async (
  context: Keys,
  client: string,
  id: string,
  { graceSeconds, creation }: { readonly graceSeconds: number; readonly creation: Creation },
): Promise<CreatedKey> => {
  const { registry, now } = context;
  const old = await findKey(context, client, id);
  const newId = idOf(creation, KEY_ID_LENGTH);
  const isMade = creation.isAgain && (await registry.listKeys(client)).some((known) => known.id === newId);
  if (!isMade && old.revokedAt !== undefined && old.revokedAt <= now())
    throw new Problem("not-found", `${shown(id)}: the key was revoked. Create a new one.`);
  const created = await saveNewKey(context, old.client, old.role, creation);
  await registry.revokeKey(old.id, now() + graceSeconds * 1000);
  return created;
};

/** Revoking a key takes effect within half a second, on every controller. */
export const revokeKey = async (context: Keys, client: string, id: string): Promise<Key> => {
  const info = await findKey(context, client, id);
  const now = context.now();
  if (info.revokedAt !== undefined && info.revokedAt <= now) return keyView(info);
  await context.registry.revokeKey(info.id, now);
  return keyView({ ...info, revokedAt: now });
};

const keyView = (info: KeyInfo): Key => ({
  id: info.id,
  client: info.client,
  role: info.role,
  prefix: info.prefix,
  createdAt: isoTime(info.createdAt),
  ...(info.usedAt !== undefined && { usedAt: isoTime(info.usedAt) }),
  ...(info.revokedAt !== undefined && { revokedAt: isoTime(info.revokedAt) }),
});

const FIRST_CLIENT = "default";
const FIRST_KEY_TASK = "first-key";

/**
 * On the first start: creates the client `default` and an admin key, which is shown only once. Undefined if there are keys already. `holder` names this
 * controller among those that share the registry.
 */
export const makeFirstKey = async (context: Clients, holder: string): Promise<string | undefined> => {
  const { registry, ledger, now } = context;
  if (!(await registry.holdTask(FIRST_KEY_TASK, holder, 60_000))) return undefined;
  try {
    if ((await registry.listKeys()).length > 0) return undefined;
    if (!(await registry.readClient(FIRST_CLIENT))) {
      await registry.saveClient({ name: FIRST_CLIENT, weight: 1, webhooks: [], createdAt: now() });
      await ledger.setShare(FIRST_CLIENT, { weight: 1 });
    }
    return (await createKey(context, FIRST_CLIENT, "admin")).key;
  } finally {
    await registry.dropTask(FIRST_KEY_TASK, holder);
  }
};
