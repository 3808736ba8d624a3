import type { ItemBundle, Kept } from "../archive/item-bundle.ts";
import type { JobArchive } from "../archive/segment-writer.ts";
import { sha256 } from "../archive/stored-bytes.ts";
import type { Exchange } from "../domain/capture.ts";
import type { CollectorTools, CollectSession } from "../ports/collector.ts";

/** Scripts, styles and pictures of a site. */
const MOST_BODIES = 1000;

/** One item's part of the archive: stores every response, and resolves at the end when all of it is durable. */
interface ItemArchive {
  readonly tools: Pick<CollectorTools, "archive" | "archiveFile" | "storedBody">;
  /** Names the pages for extraction, adds the records, and waits until all bytes are durable: only then may the item be settled. `end`: see `ItemBundle`. */
  commit(session: CollectSession, records: readonly string[], end?: (kept: Kept) => string): Promise<Kept>;
}

/** `keepsPages: false` for scrapers that opt out: then only files and records are stored. */
export const openItemArchive = (archive: JobArchive, keepsPages: boolean): ItemArchive => {
  const bundle: ItemBundle = archive.item();
  const numbers = new Map<Exchange, number>();
  const files = new Map<string, number>();
  const repeatable = new Map<string, Exchange>();
  return {
    tools: {
      async archive(exchange, key) {
        if (!keepsPages) return;
        if (key !== undefined) repeatable.set(key, exchange);
        numbers.set(exchange, await bundle.exchange(exchange));
      },
      storedBody: (key) => archive.bodies.get(key),
      async archiveFile(head, body) {
        const { number, size, digest } = await bundle.file(head, body);
        files.set(digest, number);
        return { size, digest };
      },
    },
    async commit(session, records, end) {
      for (const { name, exchange, stored } of session.kept.pages) {
        if (stored) bundle.point(name, stored);
        const number = numbers.get(exchange);
        if (number !== undefined) bundle.keep(name, number);
      }
      for (const { name, digest } of session.kept.files) {
        const number = files.get(digest);
        if (number !== undefined) bundle.keep(name, number);
      }
      numbers.clear();
      const kept = await bundle.commit(records, end);
      // Only now: a later response must not refer to what may be lost.
      for (const [key, { startedAt, body }] of repeatable)
        if (archive.bodies.size < MOST_BODIES)
          archive.bodies.set(key, { at: startedAt, length: body.length, digest: sha256(body) });
      return kept;
    },
  };
};
