import type { ClientCard } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";

interface CardRow {
  readonly card: string;
}

const readCard = ({ card }: CardRow): ClientCard => JSON.parse(card) as ClientCard;

export const saveClient = async (db: Database, client: ClientCard): Promise<void> =>
  await db.write(
    () =>
      void db.run(
        "INSERT OR REPLACE INTO client_cards (name, card) VALUES (?, ?)",
        client.name,
        JSON.stringify(client),
      ),
  );

export const readClient = async (db: Database, name: string): Promise<ClientCard | undefined> =>
  await db.read(() => {
    const row = db.get<CardRow>("SELECT card FROM client_cards WHERE name = ?", name);
    return row && readCard(row);
  });

export const listClients = async (db: Database): Promise<ClientCard[]> =>
  await db.read(() => db.all<CardRow>("SELECT card FROM client_cards ORDER BY name").map(readCard));
