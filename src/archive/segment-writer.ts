import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Exchange, StoredBody } from "../domain/capture.ts";
import type { Blobs } from "../ports/blobs.ts";
import { mediaTypeOf } from "./cdxj.ts";
import { type ItemBundle, openBundle } from "./item-bundle.ts";
import type { Packer } from "./packer.ts";
import { SegmentGroup } from "./segment-group.ts";
import type { StoredFile } from "./warc-record.ts";

export interface ArchiveOptions {
  readonly blobs: Blobs;
  readonly packer: Packer;
  readonly job: string;
  /** Name and version, for the segments' `warcinfo`. */
  readonly software: string;
  /** A group is sealed when its segments reach this size. */
  readonly maxBytes?: number;
  /** … or this long after its first byte: the longest time before an item can be settled. By default `blobs.gatherMs`. */
  readonly maxAgeMs?: number;
  /** Bytes held in memory before `exchange` waits. */
  readonly maxInFlightBytes?: number;
  readonly now?: () => number;
}

/**
 * One job's archive, as one worker writes it. Entries go to the open group. A group is sealed by size, by age or by
 * `seal`, and stored while the next one fills. A group that cannot be stored fails only its own items.
 */
export interface JobArchive extends AsyncDisposable {
  item(): ItemBundle;
  /** Bodies that are stored, by their `bodyKey`, for responses that repeat them. */
  readonly bodies: Map<string, StoredBody>;
  /** Seals the open group and waits until every group is stored or has failed. */
  seal(): Promise<void>;
  /** Seals the open group if it is at least this old. */
  sealOlder(ageMs: number): void;
}

const MB = 1024 * 1024;

export const openArchive = (options: ArchiveOptions): JobArchive => {
  const { blobs, packer, job, software } = options;
  const {
    maxBytes = 8 * MB,
    maxAgeMs = blobs.gatherMs,
    maxInFlightBytes = 16 * MB,
    now = Date.now,
  } = options;
  // Clients see it in manifests: it reveals nothing of the worker, and no two workers get the same.
  const series = randomBytes(12).toString("hex");
  // Otherwise a group that fills the memory alone would block all items until its time is up.
  const sealBytes = Math.min(maxBytes, maxInFlightBytes);
  const inFlight = new InFlight(maxInFlightBytes);
  const unfinished = new Set<Promise<void>>();
  let count = 0;
  let open:
    | { readonly group: SegmentGroup; readonly timer: NodeJS.Timeout; readonly openedAt: number }
    | undefined;

  const sealOpen = (): void => {
    if (open === undefined) return;
    const { group, timer } = open;
    open = undefined;
    clearTimeout(timer);
    const ended = group.durable.then(
      () => undefined,
      () => undefined,
    );
    unfinished.add(ended);
    void ended.then(() => unfinished.delete(ended));
    group.seal();
  };

  const sealIfBig = (group: SegmentGroup): void => {
    if (open?.group === group && group.size >= sealBytes) sealOpen();
  };

  const openGroup = (): SegmentGroup => {
    const name = `${series}-${String(count++).padStart(6, "0")}`;
    const openedAt = now();
    const captures = { name: `jobs/${job}/captures/${name}.warc.gz`, job, software, openedAt };
    const onBytes = (change: number): void => {
      inFlight.change(change);
      sealIfBig(group);
    };
    const group = new SegmentGroup({ blobs, packer, onBytes }, captures, name);
    // Not unref'ed: the process must stay alive for its last items.
    open = { group, timer: setTimeout(sealOpen, maxAgeMs), openedAt };
    return group;
  };

  const seal = async (): Promise<void> => {
    sealOpen();
    await Promise.all(unfinished);
  };

  return {
    bodies: new Map(),
    item: () =>
      openBundle({
        async capture(entry, bytes) {
          await inFlight.take(bytes);
          const group = open?.group ?? openGroup();
          const number = group.capture(entry, bytes);
          sealIfBig(group);
          return { group, number };
        },
        records(lines) {
          const group = open?.group ?? openGroup();
          const range = group.records(lines);
          sealIfBig(group);
          return { group, range };
        },
        end(line) {
          const group = open?.group ?? openGroup();
          group.end(line);
          return group;
        },
        storeFile: (head, body) => storeFile(blobs, job, head, body),
      }),
    seal,
    sealOlder(ageMs) {
      if (open && now() - open.openedAt >= ageMs) sealOpen();
    },
    [Symbol.asyncDispose]: seal,
  };
};

/** Counts the bytes held in memory; callers that add more wait in line while there are too many. */
class InFlight {
  readonly #limit: number;
  #bytes = 0;
  #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get #isFull(): boolean {
    return this.#bytes > this.#limit;
  }

  change(by: number): void {
    this.#bytes += by;
    while (!this.#isFull) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#bytes += next.bytes;
      next.go();
    }
  }

  /** Adds the bytes as soon as the count is within the limit; only these may exceed it. */
  async take(bytes: number): Promise<void> {
    if (!this.#isFull && this.#waiting.length === 0) this.#bytes += bytes;
    else await new Promise<void>((go) => this.#waiting.push({ bytes, go }));
  }
}

/** Streams a file to a separate object; durable when it returns, and absent if the stream breaks. */
export const storeFile = async (
  blobs: Blobs,
  job: string,
  head: Omit<Exchange, "body">,
  body: AsyncIterable<Uint8Array>,
): Promise<StoredFile> => {
  const blob = `jobs/${job}/files/${randomUUID()}.${fileExtension(head)}`;
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const { size } = await blobs.put(blob, hashed());
  return { blob, size, digest: `sha256:${hash.digest("hex")}` };
};

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "pdf"],
  ["application/zip", "zip"],
  ["application/json", "json"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["text/csv", "csv"],
  ["text/html", "html"],
  ["text/plain", "txt"],
  ["image/jpeg", "jpg"],
  ["image/png", "png"],
  ["image/tiff", "tif"],
]);

/** By media type, since `bill.aspx` may be a PDF; then by URL. People open the file by its extension. */
const fileExtension = (head: Omit<Exchange, "body">): string =>
  EXTENSIONS.get(mediaTypeOf(head.responseHeaders)) ??
  /\.([a-z0-9]{1,8})$/.exec(URL.parse(head.url)?.pathname.toLowerCase() ?? "")?.[1] ??
  "bin";
