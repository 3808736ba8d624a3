import type { ManifestEntry } from "../archive/manifest.ts";
import { ArchiveError } from "../archive/stored-bytes.ts";
import type { BlobRange } from "../domain/capture.ts";
import type { ItemView } from "../domain/item.ts";
import { withoutPlaces } from "../domain/record.ts";

export const isOfJob = ({ blob }: Pick<BlobRange, "blob">, job: string): boolean =>
  blob.startsWith(`jobs/${job}/`);

/** What of a capture is told of one that lies elsewhere: what it is, not where. */
type Told = Partial<BlobRange> & Omit<ManifestEntry["captures"][number], keyof BlobRange>;

/**
 * An item that was answered from the archive has what another job collected, perhaps another client's: where that lies is not told. Its captures
 * are read through the item itself.
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

/** Damage of an object that another job has stored: it is told, without the name of that job. Throws what it is given otherwise. */
export const tellDamage = (error: unknown, job: string): never => {
  if (!(error instanceof ArchiveError) || isOfJob(error, job)) throw error;
  const whose = error.item === undefined ? "an item" : `item ${error.item}`;
  const told = `What is stored of ${whose} of this job, which it has from another job, is damaged.`;
  throw new ArchiveError("", told, { cause: error });
};
