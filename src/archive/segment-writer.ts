import { randomBytes } from "node:crypto";
import type { Blobs } from "../ports/blobs.ts";
import { InFlight } from "./in-flight.ts";
import { type ItemBundle, openBundle } from "./item-bundle.ts";
import type { Packer } from "./packer.ts";
import { SegmentGroup } from "./segment-group.ts";
import { storeFile } from "./stored-file.ts";

export interface ArchiveOptions {
  readonly blobs: Blobs;
  readonly packer: Packer;
  readonly job: string;
  /** Name and version, for the segments' `warcinfo`. */
  readonly software: string;
  /** A group is sealed when its segments reach this size. */
  readonly maxBytes?: number;
  /** …or this long after the first byte came, the time an item waits at most before it can be settled; what the blobs ask for when left out. */
  readonly maxAgeMs?: number;
  /** Bytes held in memory before `exchange` waits. */
  readonly maxInFlightBytes?: number;
  readonly now?: () => number;
}

/**
 * One job's archive, as one worker writes it. What comes in goes to the open group; a group is sealed by size, by age or by
 * `seal`, packed and stored while the next one fills. A group that cannot be stored fails the items in it and no others.
 */
export interface JobArchive extends AsyncDisposable {
  item(): ItemBundle;
  /** Seals what is open and waits until every group is stored or has failed; its items hear which. */
  seal(): Promise<void>;
  /** The same for a group that has been open for so long. */
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
  // Clients read it in manifests: it tells nothing of the worker, and no two workers draw the same.
  const series = randomBytes(12).toString("hex");
  // A group that alone fills the memory would otherwise keep everybody waiting until its time is up.
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
    // Not unref'ed: a process that only waits for its last items must stay for them.
    open = { group, timer: setTimeout(sealOpen, maxAgeMs), openedAt };
    return group;
  };

  const seal = async (): Promise<void> => {
    sealOpen();
    await Promise.all(unfinished);
  };

  return {
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
