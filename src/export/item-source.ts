import type { ItemView } from "../model/item.ts";
import type { Ledger } from "../ports/ledger.ts";

/** An item that was answered from the archive has the captures and records of the one that it was answered with, whoever fetched that. */
export const withSource = async (
  ledger: Pick<Ledger, "readJob" | "listItems">,
  item: ItemView,
): Promise<ItemView> => {
  const from = item.skipped?.from;
  if (from === undefined || item.captures.length > 0) return item;
  // Before a job is removed, whoever was answered with its captures gets them for its own.
  if (!(await ledger.readJob(from.job))) return item;
  const { items } = await ledger.listItems(from.job, {
    after: { queue: from.queue, seq: from.seq - 1 },
    limit: 1,
  });
  const source = items.find(({ ref }) => ref.queue === from.queue && ref.seq === from.seq);
  return source ? { ...item, captures: source.captures, records: source.records } : item;
};
