import type { Ledger } from "../ports/ledger.ts";
import type { Registry } from "../ports/registry.ts";
import { makeKey } from "./api-key.ts";

export interface FirstKeyOptions {
  readonly registry: Registry;
  readonly ledger: Pick<Ledger, "setShare">;
  /** Names this controller among those that share the ledger. */
  readonly holder: string;
  readonly now?: () => number;
}

export const FIRST_CLIENT = "default";
const DUTY = "first-key";

/** On the first start: the client `default` and a key for its admin, which is shown once. Undefined where there are keys already. */
export const makeFirstKey = async (options: FirstKeyOptions): Promise<string | undefined> => {
  const { registry, ledger, holder, now = Date.now } = options;
  if (!(await registry.holdTask(DUTY, holder, 60_000))) return undefined;
  try {
    if ((await registry.listKeys()).length > 0) return undefined;
    await saveFirstClient(registry, ledger, now());
    const { key, card } = makeKey(FIRST_CLIENT, "admin", now());
    await registry.saveKey(card);
    return key;
  } finally {
    await registry.dropTask(DUTY, holder);
  }
};

const saveFirstClient = async (
  registry: Registry,
  ledger: FirstKeyOptions["ledger"],
  createdAt: number,
): Promise<void> => {
  if (await registry.readClient(FIRST_CLIENT)) return;
  await registry.saveClient({ name: FIRST_CLIENT, weight: 1, webhooks: [], createdAt });
  await ledger.setShare(FIRST_CLIENT, { weight: 1 });
};
