import type { ItemView } from "../model/item.ts";
import type { RecordSet } from "../reextract/current-records.ts";
import { parseRecords } from "../reextract/parse-records.ts";
import type { ExportEntry } from "./export-rows.ts";

/** Items with their records, in the order of the items; one without a record stands alone, one whose records are damaged is left out. */
export async function* withRecords(
  set: RecordSet,
  items: readonly ItemView[],
): AsyncGenerator<readonly ExportEntry[]> {
  for await (const batch of set.recordsOf(items))
    yield batch.flatMap(({ item, lines, blob, isDamaged }): ExportEntry[] => {
      if (isDamaged) return [];
      const records = parseRecords({ key: item.key, lines, blob });
      return records.length === 0 ? [{ item }] : records.map((record) => ({ item, record }));
    });
}
