/** Everything that is wrong now or was, as far as some channel still has to hear of it. By rule and subject. */
export type AlertBook = Readonly<Record<string, OpenAlert>>;

export interface OpenAlert {
  readonly text: string;
  readonly sinceAt: number;
  /** Set once it is right again: what is said then. */
  readonly over?: string;
  /** Channels that have been told that it is wrong, and not that it is right again. */
  readonly told: readonly string[];
}

export interface DueAlerts {
  readonly raised: readonly string[];
  readonly over: readonly string[];
}

/** New alerts wait so long for others, to be told together; those that are over by then are never told. */
const GROUP_MS = 30_000;

/** It stays as it was first seen: no alert is told twice while it lasts. */
export const raiseAlert = (book: AlertBook, id: string, text: string, now: number): AlertBook => {
  const known = book[id];
  if (!known) return { ...book, [id]: { text, sinceAt: now, told: [] } };
  if (known.over === undefined) return book;
  const { over: _, ...again } = known;
  return { ...book, [id]: again };
};

export const endAlert = (book: AlertBook, id: string, text: string): AlertBook => {
  const known = book[id];
  if (!known || known.over !== undefined) return book;
  return known.told.length === 0 ? without(book, id) : { ...book, [id]: { ...known, over: text } };
};

/** What a channel has to be told now, by id: everything at once as soon as one thing has waited long enough. */
export const dueAlerts = (book: AlertBook, channel: string, now: number): DueAlerts => {
  const entries = Object.entries(book);
  const raised = entries.filter(([, { told, over }]) => over === undefined && !told.includes(channel));
  const over = entries.filter(([, alert]) => alert.over !== undefined && alert.told.includes(channel));
  const isRipe = over.length > 0 || raised.some(([, { sinceAt }]) => now - sinceAt >= GROUP_MS);
  return isRipe
    ? { raised: raised.map(([id]) => id), over: over.map(([id]) => id) }
    : { raised: [], over: [] };
};

/** After the channel has taken them. */
export const markTold = (book: AlertBook, channel: string, { raised, over }: DueAlerts): AlertBook => {
  let next = book;
  for (const id of raised) next = withTold(next, id, (told) => [...told, channel]);
  for (const id of over) next = withTold(next, id, (told) => told.filter((name) => name !== channel));
  return next;
};

/** Channels that are there no more need not be told of any end. */
export const keepChannels = (book: AlertBook, channels: readonly string[]): AlertBook => {
  let next = book;
  for (const [id, { told }] of Object.entries(book))
    if (told.some((name) => !channels.includes(name)))
      next = withTold(next, id, (names) => names.filter((name) => channels.includes(name)));
  return next;
};

const withTold = (
  book: AlertBook,
  id: string,
  change: (told: readonly string[]) => readonly string[],
): AlertBook => {
  const known = book[id];
  if (!known) return book;
  const told = change(known.told);
  return known.over !== undefined && told.length === 0
    ? without(book, id)
    : { ...book, [id]: { ...known, told } };
};

const without = (book: AlertBook, id: string): AlertBook => {
  const { [id]: _, ...rest } = book;
  return rest;
};
