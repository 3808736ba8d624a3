import type { RejectedInput } from "../domain/job.ts";
import type { PlannedItem, SettledItem } from "../ports/ledger.ts";
import { type Transaction, type Want, want } from "./transaction.ts";
import { capOf, countInserted, insertItems, insertWants, quotaRoom } from "./insert-items.ts";
import type { Item } from "./records.ts";

/** Number of rejected inputs that are kept as examples. */
const KEPT_REJECTS = 20;

type Finder = Pick<SettledItem, "queue" | "seq" | "emitted" | "rejected">;

export const emitWants = (tx: Transaction, number: number, { queue, seq, emitted }: Finder): Want[] => [
  want("item", queue, seq),
  ...(emitted.length > 0 ? insertWants(tx.known("job", number)!, emitted) : []),
];

/** Emitted inputs are added in the same transaction as the item that found them. */
export const emitItems = (
  tx: Transaction,
  number: number,
  { queue, seq, emitted, rejected = [] }: Finder,
): void => {
  countRejected(tx, number, rejected);
  if (emitted.length === 0) return;
  const job = tx.known("job", number)!;
  const parent = tx.one("item", queue, seq)!;
  const room = job.state === "cancelled" ? 0 : job.spec.maxItems - job.accepted;
  const originOf = ({ scraper = 0 }: PlannedItem) => {
    const place = { scraper, ...nextPlace(parent, scraper) };
    const cap = job.spentAt === null ? capOf(job.spec, place) : ("budget" as const);
    return { depth: place.depth, chain: place.chain, parent: { queue, seq }, ...(cap && { cap }) };
  };
  countInserted(tx, number, insertItems(tx, number, emitted, room, quotaRoom(tx, job.client), originOf));
};

/** The next page of a list has the same depth as the page that links to it: a chain of such pages has its own limit. */
export const nextPlace = (
  parent: Pick<Item, "scraper" | "depth" | "chain">,
  scraper: number,
): { readonly depth: number; readonly chain: number } =>
  scraper === parent.scraper
    ? { depth: parent.depth, chain: parent.chain + 1 }
    : { depth: parent.depth + 1, chain: 0 };

/** Bad inputs are counted, and the first ones are kept as examples. */
export const countRejected = (tx: Transaction, number: number, rejected: readonly RejectedInput[]): void => {
  if (rejected.length === 0) return;
  const job = tx.known("job", number)!;
  tx.patch("job", job, {
    received: job.received + rejected.length,
    rejected: job.rejected + rejected.length,
    rejects: [...job.rejects, ...rejected].slice(0, KEPT_REJECTS),
  });
};
