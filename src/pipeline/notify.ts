import type { EventLog, EventQuery, LedgerEvent } from "../ports/event-log.ts";

/** Who hears which events. `after`: where a consumer begins that is new. */
type Hearing = Omit<EventQuery, "limit"> & { readonly consumer: string };

const PAGE = 100;

/**
 * Hands on what a consumer has not heard yet, in order; its cursor moves after it has taken a page. A crash in between tells the page again, never not
 * at all. Answers how far it has come.
 */
export const tell = async (
  log: EventLog,
  hearing: Hearing,
  listener: (events: readonly LedgerEvent[]) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<number> => {
  for (;;) {
    const { events, upTo, isFull } = await readPage(log, { ...hearing, limit: PAGE });
    if (events.length > 0) await listener(events);
    await log.move(hearing.consumer, upTo);
    if (!isFull || signal?.aborted) return upTo;
  }
};

interface EventPage {
  readonly events: readonly LedgerEvent[];
  /** How far whoever has taken the page has come: what was not asked for is behind it too. */
  readonly upTo: number;
  /** There may be more. */
  readonly isFull: boolean;
}

export const readPage = async (log: EventLog, query: EventQuery): Promise<EventPage> => {
  const last = await log.last();
  const events = await log.read(query);
  const end = events.at(-1)?.id ?? 0;
  const isFull = events.length === query.limit;
  return { events, upTo: isFull ? end : Math.max(last, end), isFull };
};
