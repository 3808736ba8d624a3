import type { Ledger, LedgerEvent } from "../ports/ledger.ts";

const PAGE = 100;

/**
 * Empties the outbox: each event is told, in order, before it is acknowledged. A crash in between tells it again, never not at
 * all.
 */
export const tell = async (
  ledger: Ledger,
  listener: (event: LedgerEvent) => void | Promise<void>,
  job?: string,
): Promise<number> => {
  let told = 0;
  for (;;) {
    const events = await ledger.readEvents(PAGE, job);
    for (const event of events) await listener(event);
    const last = events.at(-1);
    if (!last) return told;
    await ledger.ackEvents(last.id, job);
    told += events.length;
  }
};
