import type { ClientInfo } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";

interface CardRow {
  readonly card: string;
}

const readCard = ({ card }: CardRow): ClientInfo => JSON.parse(card) as ClientInfo;

const find = (db: Database, name: string): ClientInfo | undefined => {
  const row = db.get<CardRow>("SELECT card FROM client_cards WHERE name = ?", name);
  return row && readCard(row);
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
  change: (card: ClientInfo | undefined) => ClientInfo | undefined,
): Promise<ClientInfo | undefined> =>
  await db.write(() => {
    const card = find(db, name);
    const changed = change(card);
    if (changed) save(db, changed);
    return changed ?? card;
  });

export const readClient = async (db: Database, name: string): Promise<ClientInfo | undefined> =>
  await db.read(() => find(db, name));

export const listClients = async (db: Database): Promise<ClientInfo[]> =>
  await db.read(() => db.all<CardRow>("SELECT card FROM client_cards ORDER BY name").map(readCard));
