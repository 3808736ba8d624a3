import type { ClientInfo, KeyInfo, Role } from "../../../ports/registry.ts";
import { all, arrays, run, type StepEngine, type Steps } from "../steps.ts";

const readInfo = ([card]: [string]): ClientInfo => JSON.parse(card) as ClientInfo;

function* find(name: string): Steps<ClientInfo | undefined> {
  const [row] = yield* arrays<[string]>("SELECT card FROM client_cards WHERE name = ?", name);
  return row && readInfo(row);
}

const save = (client: ClientInfo): Steps<number> =>
  run(
    "INSERT INTO client_cards (name, card) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET card = excluded.card",
    client.name,
    JSON.stringify(client),
  );

export const saveClient = async (db: StepEngine, client: ClientInfo): Promise<void> => {
  await db.write("registry", () => save(client));
};

/** `change` may be called again, with the newly stored value. */
export const changeClient = async (
  db: StepEngine,
  name: string,
  change: (client: ClientInfo | undefined) => ClientInfo | undefined,
): Promise<ClientInfo | undefined> =>
  await db.write("registry", function* () {
    const client = yield* find(name);
    const changed = change(client);
    if (changed) yield* save(changed);
    return changed ?? client;
  });

export const readClient = async (db: StepEngine, name: string): Promise<ClientInfo | undefined> =>
  await db.read(() => find(name));

export const listClients = async (db: StepEngine): Promise<ClientInfo[]> =>
  (await db.read(() => arrays<[string]>("SELECT card FROM client_cards ORDER BY name"))).map(readInfo);

interface KeyRow {
  readonly id: string;
  readonly client: string;
  readonly role: Role;
  readonly hash: string;
  readonly prefix: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
  readonly used_at: number | null;
}

const TOUCH_MS = 60_000;

const keyInfo = (row: KeyRow): KeyInfo => ({
  id: row.id,
  client: row.client,
  role: row.role,
  hash: row.hash,
  prefix: row.prefix,
  createdAt: row.created_at,
  ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
  ...(row.used_at === null ? {} : { usedAt: row.used_at }),
});

export const saveKey = async (db: StepEngine, key: KeyInfo): Promise<void> => {
  await db.write("registry", () =>
    run(
      `INSERT INTO api_keys (id, client, role, hash, prefix, created_at, revoked_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET client = excluded.client, role = excluded.role, hash = excluded.hash, prefix = excluded.prefix,
         created_at = excluded.created_at, revoked_at = excluded.revoked_at, used_at = excluded.used_at`,
      key.id,
      key.client,
      key.role,
      key.hash,
      key.prefix,
      key.createdAt,
      key.revokedAt ?? null,
      key.usedAt ?? null,
    ),
  );
};

export const findKey = async (db: StepEngine, hash: string): Promise<KeyInfo | undefined> => {
  const [row] = await db.read(() => all<KeyRow>("SELECT * FROM api_keys WHERE hash = ?", hash));
  return row && keyInfo(row);
};

export const listKeys = async (db: StepEngine, client?: string): Promise<KeyInfo[]> => {
  const rows = await db.read(() =>
    all<KeyRow>(
      "SELECT * FROM api_keys WHERE CAST(?1 AS TEXT) IS NULL OR client = ?1 ORDER BY client, created_at, id",
      client ?? null,
    ),
  );
  return rows.map(keyInfo);
};

/** False if there is no such key, or it was already revoked. */
export const revokeKey = async (db: StepEngine, id: string, at: number): Promise<boolean> => {
  const text = "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
  return (await db.write("registry", () => run(text, at, id))) > 0;
};

/** Called for every request, and hardly ever needs the write lock. */
export const touchKey = async (db: StepEngine, id: string, at: number): Promise<void> => {
  const [row] = await db.read(() => arrays<[number | null]>("SELECT used_at FROM api_keys WHERE id = ?", id));
  if (!row || (row[0] !== null && at - row[0] < TOUCH_MS)) return;
  const text = "UPDATE api_keys SET used_at = ?1 WHERE id = ?2 AND (used_at IS NULL OR used_at < ?1)";
  await db.write("registry", () => run(text, at, id), false);
};
