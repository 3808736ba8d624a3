import type { BlobRange, CaptureRef, Exchange, RecordRange } from "../domain/capture.ts";
import { entryLength } from "./packer.ts";
import { mediaTypeOf } from "./cdxj.ts";
import type { Entry } from "./pack-segment.ts";
import type { SegmentGroup } from "./segment-group.ts";
import type { StoredFile } from "./warc-record.ts";

/** What one item stores in the archive, collected while it runs. A dropped bundle is harmless: its responses stay, unreferenced. */
export interface ItemBundle {
  /** Adds a response. Waits only while too many bytes are in flight. Returns the number for `keep`. */
  exchange(exchange: Exchange): Promise<number>;
  /** Streams a large file to a separate object; durable when it returns. */
  file(head: Omit<Exchange, "body">, body: AsyncIterable<Uint8Array>): Promise<FileTicket>;
  /** Names a response or file, so that its ref is returned by `commit`. */
  keep(name: string, number: number): void;
  /** Names a capture that is already in the archive. */
  point(name: string, ref: CaptureRef): void;
  /**
   * Adds the item's records (JSON texts, one each), and resolves when all of the item's bytes are durable.
   * Rejects if one of its segments could not be stored: then the item must not be settled as done.
   * `end` returns a JSON text with the item's outcome, stored with the rest; an item that stores nothing else does not wait for it.
   */
  commit(records: readonly string[], end?: (kept: Kept) => string): Promise<Kept>;
}

interface FileTicket {
  readonly number: number;
  readonly size: number;
  readonly digest: string;
}

export interface Kept {
  /** In the order in which they were kept. */
  readonly captures: readonly CaptureRef[];
  /** The item's records, one after the other; null when it has none. */
  readonly records: RecordRange | null;
}

/** The job's archive as a bundle uses it. */
interface BundleTools {
  /** Adds it to the open group as soon as this many more bytes fit in memory. */
  readonly capture: (
    entry: Entry,
    bytes: number,
  ) => Promise<{ readonly group: SegmentGroup; readonly number: number }>;
  readonly records: (lines: readonly string[]) => {
    readonly group: SegmentGroup;
    readonly range: RecordRange;
  };
  /** Adds it to the open group. */
  readonly end: (line: () => Promise<string>) => SegmentGroup;
  readonly storeFile: (head: Omit<Exchange, "body">, body: AsyncIterable<Uint8Array>) => Promise<StoredFile>;
}

/** The approximate size of an exchange without its bodies. */
const HEAD_BYTES = 2_048;

interface Taken {
  readonly group: SegmentGroup;
  readonly place: () => BlobRange & { readonly digest: string };
  readonly url: string;
  readonly mediaType: string;
}

export const openBundle = (tools: BundleTools): ItemBundle => {
  const taken: Taken[] = [];
  const kept: { readonly name: string; readonly at: number | CaptureRef }[] = [];

  const take = (head: Omit<Exchange, "body">, group: SegmentGroup, place: Taken["place"]): number =>
    taken.push({ group, place, url: head.url, mediaType: mediaTypeOf(head.responseHeaders) }) - 1;

  return {
    async exchange(exchange) {
      const bytes = entryLength({ exchange }) + HEAD_BYTES;
      const { group, number } = await tools.capture({ exchange }, bytes);
      return take(exchange, group, () => group.place(number));
    },
    async file(head, body) {
      const stored = await tools.storeFile(head, body);
      const { group } = await tools.capture({ exchange: head, stored }, HEAD_BYTES);
      const { blob, size, digest } = stored;
      return { number: take(head, group, () => ({ blob, offset: 0, length: size, digest })), size, digest };
    },
    keep(name, number) {
      if (taken[number] === undefined)
        throw new RangeError(`cannot keep ${name}: there is no response ${number}`);
      kept.push({ name, at: number });
    },
    point(name, ref) {
      kept.push({ name, at: ref });
    },
    async commit(lines, end) {
      const records = lines.length > 0 ? tools.records(lines) : undefined;
      const groups = new Set(taken.map(({ group }) => group));
      if (records !== undefined) groups.add(records.group);
      const isEmpty = groups.size === 0;
      const keptNow = (): Kept => ({
        captures: kept.map(({ name, at }): CaptureRef => {
          if (typeof at !== "number") return { ...at, name };
          const { url, mediaType, place } = taken[at]!;
          return { name, url, mediaType, ...place() };
        }),
        records: records?.range ?? null,
      });
      if (end) {
        const last = tools.end(async () => {
          // Earlier groups, already sealed.
          await Promise.all([...groups].filter((group) => group !== last).map((group) => group.durable));
          return end(keptNow());
        });
        if (!isEmpty) groups.add(last);
      }
      await Promise.all([...groups].map((group) => group.durable));
      return keptNow();
    },
  };
};
