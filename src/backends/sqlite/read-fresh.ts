import type { FreshEntry, FreshKey } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { entryOf, EVERYBODY, goodEntry } from "./fresh-entry.ts";

export const readFresh = (db: Database, keys: readonly FreshKey[]): Promise<(FreshEntry | undefined)[]> =>
  db.read(() =>
    keys.map(({ client, scraper, key }) => {
      const row = goodEntry(db, { key, scraper, owner: client ?? EVERYBODY });
      return row && entryOf(row);
    }),
  );
