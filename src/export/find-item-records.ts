import type { ItemView } from "../model/item.ts";
import type { JudgedRecord } from "../model/record.ts";
import { openRecordSet } from "../reextract/current-records.ts";
import { refuseDamage } from "../reextract/damage.ts";
import { itemPages } from "../reextract/item-pages.ts";
import { parseRecords } from "../reextract/parse-records.ts";
import { readRunLines } from "../reextract/run-records.ts";
import type { Stores } from "./stores.ts";

/** One item as a set of records has it. */
export interface FoundItem {
  /** `JOB@first` or `JOB@EXTRACTION`. */
  readonly set: string;
  /** With that set's state, failure and quality. */
  readonly item: ItemView;
  readonly records: readonly (JudgedRecord & { readonly from?: string })[];
}

/** Its records in the current set. Those of the run itself are found at once; an extraction is walked through up to the item. */
export const findItemRecords = async (
  { ledger, blobs }: Stores,
  job: string,
  item: ItemView,
): Promise<FoundItem> => {
  await using set = await openRecordSet(blobs, job);
  if (set.extraction)
    for await (const page of itemPages(ledger, job))
      for await (const batch of set.recordsOf(page)) {
        const own = batch.find(
          ({ item: { ref } }) => ref.queue === item.ref.queue && ref.seq === item.ref.seq,
        );
        if (own) return { set: set.name, item: own.item, records: parseRecords({ key: item.key, ...own }) };
      }
  const own = (await readRunLines(blobs, [item], refuseDamage))(item);
  return { set: set.name, item, records: parseRecords({ key: item.key, ...own }) };
};
