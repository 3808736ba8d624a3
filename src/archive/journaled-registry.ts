import type { Blobs } from "../ports/blobs.ts";
import type { ClientCard, KeyCard, Registry } from "../ports/registry.ts";
import { sealJson } from "./sealed-json.ts";

/** Clients without the secrets that sign their webhooks, and keys as the hashes that the registry has of them. */
export interface RegistryFile {
  readonly clients: readonly ClientCard[];
  readonly keys: readonly KeyCard[];
}

export const REGISTRY_FILE = "service/registry.json";

/** A registry whose clients and keys are written down in the archive whenever they change, so that they can be rebuilt from there. */
export const journaledRegistry = (registry: Registry, blobs: Blobs): Registry => {
  const read = async (): Promise<Uint8Array> => {
    const clients = (await registry.listClients()).map(withoutSecrets);
    const keys = (await registry.listKeys()).map(({ usedAt: _usedAt, ...key }) => key);
    return sealJson({ clients, keys } satisfies RegistryFile);
  };
  const keep = async (): Promise<void> => {
    // Written, and then looked: another may have changed something meanwhile, and have written before.
    for (let now = await read(), before; !before || !Buffer.from(now).equals(before); now = await read())
      await blobs.put(REGISTRY_FILE, (before = now));
  };
  return {
    ...registry,
    async saveClient(client) {
      await registry.saveClient(client);
      await keep();
    },
    async changeClient(name, change) {
      const card = await registry.changeClient(name, change);
      await keep();
      return card;
    },
    async saveKey(key) {
      await registry.saveKey(key);
      await keep();
    },
    async revokeKey(id, at) {
      const isRevoked = await registry.revokeKey(id, at);
      await keep();
      return isRevoked;
    },
  };
};

const withoutSecrets = ({ secrets: _secrets, ...card }: ClientCard): ClientCard => ({
  ...card,
  webhooks: card.webhooks.map((endpoint) => ({ ...endpoint, secrets: [] })),
});
