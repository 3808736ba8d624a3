import type { FreshAnswer } from "../../ledger/records.ts";
import type { FreshEntry, FreshKey } from "../../ports/ledger.ts";
import { readRecords, type Rows } from "./rows.ts";

/** The last good answer for each key. */
export const readFresh = (rows: Rows, keys: readonly FreshKey[]): (FreshEntry | undefined)[] =>
  keys.map(({ client, scraper, key }) => {
    const good = readRecords(rows, "fresh", key, scraper, client ?? "").find(({ isFailure }) => !isFailure);
    return good && entryOf(good);
  });

const entryOf = (answer: FreshAnswer): FreshEntry => {
  const { owner, queue, seq, isFailure: _, etag, lastModified, url, digest, ...entry } = answer;
  return {
    ...entry,
    client: owner === "" ? null : owner,
    item: { queue, seq },
    ...(etag !== null && { etag }),
    ...(lastModified !== null && { lastModified }),
    ...(url !== null && { url }),
    ...(digest !== null && { digest }),
  };
};
