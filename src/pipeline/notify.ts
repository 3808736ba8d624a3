import type { EventLog, EventQuery, LedgerEvent } from "../ports/event-log.ts";

/** Which consumer gets which events. `after`: where a new consumer starts. */
type Subscription = Omit<EventQuery, "limit"> & { readonly consumer: string };

const PAGE = 100;

/**
 * Passes on the events that a consumer has not had yet, in order. Its cursor moves after each page, so a crash in between repeats a page and never
 * skips one. Returns its position.
 */
export const notify = async (
  log: EventLog,
  subscription: Subscription,
  listener: (events: readonly LedgerEvent[]) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<number> => {
  for (;;) {
    const { events, upTo, isFull } = await readPage(log, { ...subscription, limit: PAGE });
    if (events.length > 0) await listener(events);
    await log.move(subscription.consumer, upTo);
    if (!isFull || signal?.aborted) return upTo;
  }
};

interface EventPage {
  readonly events: readonly LedgerEvent[];
  /** The position after this page, including events that the query left out. */
  readonly upTo: number;
  /** There may be more. */
  readonly isFull: boolean;
}

export const readPage = async (
  log: Pick<EventLog, "read" | "last">,
  query: EventQuery,
): Promise<EventPage> => {
  const last = await log.last();
  const events = await log.read(query);
  const end = events.at(-1)?.id ?? 0;
  const isFull = events.length === query.limit;
  return { events, upTo: isFull ? end : Math.max(last, end), isFull };
};
