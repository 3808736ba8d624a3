import type { ManifestEntry } from "../archive/manifest.ts";
import type { BlobRange } from "../model/capture.ts";
import type { ItemView } from "../model/item.ts";

export const isOfJob = ({ blob }: BlobRange, job: string): boolean => blob.startsWith(`jobs/${job}/`);

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
  captures: item.captures.map((ref): Told => {
    const { blob: _blob, offset: _offset, length: _length, ...told } = ref;
    return isOfJob(ref, job) ? ref : told;
  }),
  records: item.records && isOfJob(item.records, job) ? item.records : null,
});
