import { absoluteBlobPath, type StorageLocation, type Storage } from "../../ports/storage.ts";
import { isPacked, readCapture } from "../../archive/read-capture.ts";
import { findItemRecords, withSource } from "../../export/export-rows.ts";
import type { CaptureRef } from "../../domain/capture.ts";
import type { ItemView } from "../../domain/item.ts";
import type { Blobs } from "../../ports/blobs.ts";
import { attemptsOf, type ShownCapture, type ShownItem } from "./verbs.ts";

/** Items with this key, of any scraper of the job. */
export const localItems = async (storage: Storage, job: string, key: string): Promise<ShownItem[]> => {
  const { items } = await storage.ledger.listItems(job, { keys: [key], limit: 100 });
  return await Promise.all(items.map((item) => show(storage, job, item)));
};

const show = async (
  { location, ledger, blobs }: Storage,
  job: string,
  stored: ItemView,
): Promise<ShownItem> => {
  const found = await findItemRecords({ ledger, blobs }, job, await withSource(ledger, stored));
  const { item, set, records } = found;
  return {
    key: item.key,
    scraper: item.scraper,
    lane: item.lane,
    ...(item.parent !== undefined && { parent: item.parent }),
    input: item.input,
    state: item.state,
    ...(item.quality && { quality: item.quality }),
    ...(item.change && { change: item.change }),
    ...(item.failure && { failure: item.failure }),
    ...(item.skipped && { skipReason: item.skipped.reason }),
    ...(item.skipped?.from && { source: item.skipped.from.job }),
    ...(item.dueInMs !== undefined && { dueAt: Date.now() + item.dueInMs }),
    ...(item.endedAt !== undefined && { endedAt: item.endedAt }),
    attemptCount: item.attempts,
    attempts: attemptsOf(stored.state, item.history, item.lastAttempt),
    captures: await Promise.all(
      item.captures.map((ref, number) => showCapture(blobs, location, ref, number)),
    ),
    extraction: set.slice(set.indexOf("@") + 1),
    records,
    read: (number) => readCapture(blobs, item.captures[number]!),
  };
};

const showCapture = async (
  blobs: Blobs,
  location: StorageLocation,
  ref: CaptureRef,
  number: number,
): Promise<ShownCapture> => {
  const { name, url, mediaType, digest, blob, offset, length } = ref;
  const shown = {
    number,
    name,
    url,
    mediaType,
    digest,
    storedBytes: length,
    isFile: !isPacked(ref),
    blob,
    path: absoluteBlobPath(location, blob),
    offset,
  };
  // A file may be very large, and it is only stored after an accepted response.
  if (shown.isFile) return shown;
  try {
    return { ...shown, status: (await readCapture(blobs, ref)).status };
  } catch (error) {
    return { ...shown, problem: error instanceof Error ? error.message : String(error) };
  }
};
