import type { ClientCard } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";

interface CardRow {
  readonly card: string;
}

const readCard = ({ card }: CardRow): ClientCard => JSON.parse(card) as ClientCard;

const find = (db: Database, name: string): ClientCard | undefined => {
  const row = db.get<CardRow>("SELECT card FROM client_cards WHERE name = ?", name);
  return row && readCard(row);
};

const save = (db: Database, client: ClientCard): void => {
  db.run(
    "INSERT OR REPLACE INTO client_cards (name, card) VALUES (?, ?)",
    client.name,
    JSON.stringify(client),
  );
};

export const saveClient = async (db: Database, client: ClientCard): Promise<void> =>
  await db.write(() => save(db, client));

export const changeClient = async (
  db: Database,
  name: string,
  change: (card: ClientCard | undefined) => ClientCard | undefined,
): Promise<ClientCard | undefined> =>
  await db.write(() => {
    const card = find(db, name);
    const changed = change(card);
    if (changed) save(db, changed);
    return changed ?? card;
  });

export const readClient = async (db: Database, name: string): Promise<ClientCard | undefined> =>
  await db.read(() => find(db, name));

export const listClients = async (db: Database): Promise<ClientCard[]> =>
  await db.read(() => db.all<CardRow>("SELECT card FROM client_cards ORDER BY name").map(readCard));
