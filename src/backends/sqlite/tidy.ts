import { forgetAddresses } from "./address-pace.ts";
import { forgetAccepted } from "./count-accepted.ts";
import type { Database } from "./database.ts";
import { tidyFresh } from "./fresh-tidy.ts";
import { forgetCards } from "./worker-cards.ts";

export const tidy = async (db: Database): Promise<void> => {
  await db.write(() => {
    forgetAccepted(db);
    forgetCards(db);
    forgetAddresses(db);
  }, false);
  await tidyFresh(db);
  await db.checkpoint();
};
