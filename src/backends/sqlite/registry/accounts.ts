import type { ClientInfo, KeyInfo, Role } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";

interface InfoRow {
  readonly card: string;
}

const readInfo = ({ card }: InfoRow): ClientInfo => JSON.parse(card) as ClientInfo;

const find = (db: Database, name: string): ClientInfo | undefined => {
  const row = db.get<InfoRow>("SELECT card FROM client_cards WHERE name = ?", name);
  return row && readInfo(row);
};

const save = (db: Database, client: ClientInfo): void => {
  db.run(
    "INSERT OR REPLACE INTO client_cards (name, card) VALUES (?, ?)",
    client.name,
    JSON.stringify(client),
  );
};

export const saveClient = async (db: Database, client: ClientInfo): Promise<void> =>
  await db.write(() => save(db, client));

export const changeClient = async (
  db: Database,
  name: string,
  change: (client: ClientInfo | undefined) => ClientInfo | undefined,
): Promise<ClientInfo | undefined> =>
  await db.write(() => {
    const client = find(db, name);
    const changed = change(client);
    if (changed) save(db, changed);
    return changed ?? client;
  });

export const readClient = async (db: Database, name: string): Promise<ClientInfo | undefined> =>
  await db.read(() => find(db, name));

export const listClients = async (db: Database): Promise<ClientInfo[]> =>
  await db.read(() => db.all<InfoRow>("SELECT card FROM client_cards ORDER BY name").map(readInfo));

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

export const saveKey = async (db: Database, key: KeyInfo): Promise<void> =>
  await db.write(
    () =>
      void db.run(
        `INSERT OR REPLACE INTO api_keys (id, client, role, hash, prefix, created_at, revoked_at, used_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
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

export const findKey = async (db: Database, hash: string): Promise<KeyInfo | undefined> =>
  await db.read(() => {
    const row = db.get<KeyRow>("SELECT * FROM api_keys WHERE hash = ?", hash);
    return row && keyInfo(row);
  });

export const listKeys = async (db: Database, client?: string): Promise<KeyInfo[]> =>
  await db.read(() =>
    db
      .all<KeyRow>(
        "SELECT * FROM api_keys WHERE ?1 IS NULL OR client = ?1 ORDER BY client, created_at, id",
        client ?? null,
      )
      .map(keyInfo),
  );

/** False when there is no such key, or it was revoked before. */
export const revokeKey = async (db: Database, id: string, at: number): Promise<boolean> =>
  await db.write(
    () => db.run("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id) > 0,
  );

/** Every request asks, and nearly none needs the write lock. */
export const touchKey = async (db: Database, id: string, at: number): Promise<void> => {
  const row = await db.read(() =>
    db.get<Pick<KeyRow, "used_at">>("SELECT used_at FROM api_keys WHERE id = ?", id),
  );
  if (!row || (row.used_at !== null && at - row.used_at < TOUCH_MS)) return;
  await db.write(
    () => void db.run("UPDATE api_keys SET used_at = max(ifnull(used_at, 0), ?) WHERE id = ?", at, id),
    false,
  );
};
