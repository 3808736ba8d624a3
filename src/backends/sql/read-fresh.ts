import type { FreshAnswer } from "../../ledger/records.ts";
import type { FreshEntry, FreshKey } from "../../ports/ledger.ts";
import { load, type Steps } from "./steps.ts";

/** The last good response for each key. */
export function* readFresh(keys: readonly FreshKey[]): Steps<(FreshEntry | undefined)[]> {
  const entries: (FreshEntry | undefined)[] = [];
  for (const { client, scraper, key } of keys) {
    const good = (yield* load("fresh", key, scraper, client ?? "")).find(({ isFailure }) => !isFailure);
    entries.push(good && entryOf(good));
  }
  return entries;
}

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
