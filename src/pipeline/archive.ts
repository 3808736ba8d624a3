import type { ItemBundle, Kept } from "../archive/item-bundle.ts";
import type { JobArchive } from "../archive/segment-writer.ts";
import type { Exchange } from "../domain/capture.ts";
import type { CollectorTools, CollectSession } from "../ports/collector.ts";

/** One item's part of the archive: stores every response, and resolves at the end when all of it is durable. */
interface ItemArchive {
  readonly tools: Pick<CollectorTools, "archive" | "archiveFile">;
  /** Names the pages for extraction, adds the records, and waits until all bytes are durable: only then may the item be settled. `end`: see `ItemBundle`. */
  commit(session: CollectSession, records: readonly string[], end?: (kept: Kept) => string): Promise<Kept>;
}

/** `keepsPages: false` for scrapers that opt out: then only files and records are stored. */
export const openItemArchive = (archive: JobArchive, keepsPages: boolean): ItemArchive => {
  const bundle: ItemBundle = archive.item();
  const numbers = new Map<Exchange, number>();
  const files = new Map<string, number>();
  return {
    tools: {
      async archive(exchange) {
        if (keepsPages) numbers.set(exchange, await bundle.exchange(exchange));
      },
      async archiveFile(head, body) {
        const { number, size, digest } = await bundle.file(head, body);
        files.set(digest, number);
        return { size, digest };
      },
    },
    commit(session, records, end) {
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
      return bundle.commit(records, end);
    },
  };
};
