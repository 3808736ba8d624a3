import type { ManifestEntry } from "../archive/manifest.ts";
import { isPacked } from "../archive/read-capture.ts";
import { ArchiveError } from "../archive/stored-bytes.ts";
import type { BlobRange, CaptureRef } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import { isoTime } from "../domain/iso-time.ts";
import { type Cost, fromMicro } from "../domain/cost.ts";
import type { ItemView, TierCost } from "../domain/item.ts";
import { withoutPlaces } from "../domain/record.ts";
import type { Capture, Item } from "../schemas/item.ts";
import { itemId } from "./items.ts";

export const captureView = (ref: CaptureRef, number: number): Capture => ({
  number,
  name: ref.name,
  url: ref.url,
  mediaType: ref.mediaType,
  digest: ref.digest,
  storedBytes: ref.length,
  isFile: !isPacked(ref),
});

const failureView = (failure: Failure): Failure => ({ ...failure, detail: withoutPlaces(failure.detail) });

/** The worker's name is left out, because it reveals the machines. It is in the log. */
const attemptView = <Attempt extends StoredAttempt>(attempt: Attempt) => {
  const { worker: _worker, at, proxied, ...rest } = attempt;
  return { ...rest, at: isoTime(at), ...(proxied && { proxied: proxied.map(tierCostView) }) };
};

interface StoredAttempt {
  readonly at: number;
  readonly worker: string;
  readonly proxied?: readonly TierCost[];
}

/** Money in the currency's own units. */
export const tierCostView = <C extends Cost>({
  microCost,
  ...rest
}: C): Omit<C, "microCost"> & { cost: number } => ({
  ...rest,
  cost: fromMicro(microCost),
});

export const itemView = (item: ItemView, now: number): Item => ({
  id: itemId(item.ref),
  key: item.key,
  scraper: item.scraper,
  lane: item.lane,
  state: item.state,
  ...(item.skipped && { reason: item.skipped.reason }),
  ...(item.quality && { quality: item.quality }),
  ...(item.version !== undefined && { version: item.version }),
  ...(item.change && { change: item.change }),
  input: item.input,
  ...(item.parent !== undefined && { parent: item.parent }),
  depth: item.depth,
  attempts: item.attempts,
  ...(item.dueInMs !== undefined && { dueAt: isoTime(now + item.dueInMs) }),
  ...(item.endedAt !== undefined && { endedAt: isoTime(item.endedAt) }),
  ...(item.failure && { failure: failureView(item.failure) }),
  history: item.history.map((past) => ({ ...attemptView(past), failure: failureView(past.failure) })),
  ...(item.lastAttempt && { lastAttempt: attemptView(item.lastAttempt) }),
  captures: item.captures.map(captureView),
});

export const isOfJob = ({ blob }: Pick<BlobRange, "blob">, job: string): boolean =>
  blob.startsWith(`jobs/${job}/`);

/** A capture of another job, without its place. */
type Told = Partial<BlobRange> & Omit<ManifestEntry["captures"][number], keyof BlobRange>;

/**
 * An item that was answered from the archive has captures of another job, perhaps of another client: their place is left out. They are read through the
 * item itself.
 */
export const withOwnPlaces = (
  item: ItemView,
  job: string,
): Omit<ItemView, "captures"> & { readonly captures: readonly Told[] } => ({
  ...item,
  ...(item.failure && { failure: { ...item.failure, detail: withoutPlaces(item.failure.detail) } }),
  captures: item.captures.map((ref): Told => {
    const { blob: _blob, offset: _offset, length: _length, ...told } = ref;
    return isOfJob(ref, job) ? ref : told;
  }),
  records: item.records && isOfJob(item.records, job) ? item.records : null,
});

/** Reports damage to an object of another job without that job's name. Throws other errors unchanged. */
export const tellDamage = (error: unknown, job: string): never => {
  if (!(error instanceof ArchiveError) || isOfJob(error, job)) throw error;
  const whose = error.item === undefined ? "an item" : `item ${error.item}`;
  const told = `The stored data of ${whose} of this job, which comes from another job, is damaged.`;
  throw new ArchiveError("", told, { cause: error });
};
