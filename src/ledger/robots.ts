import type { RobotsAnswer, RobotsReply } from "../ports/ledger.ts";
import { type Book, want } from "./book.ts";

/** One asker fetches; if it is not heard of again, the next one may after this. */
const FETCH_MS = 30_000;
const AGAIN_MS = 100;

export const knownRobots = (book: Book, origin: string): RobotsReply | undefined => {
  const kept = book.one("robots", origin);
  return kept && kept.until > book.now
    ? { known: { text: kept.text, keepMs: kept.until - book.now } }
    : undefined;
};

/** Where nothing is known: whether this worker may fetch it. */
export const askRobots = (book: Book, origin: string, worker: string): RobotsReply => {
  const known = knownRobots(book, origin);
  if (known) return known;
  const kept = book.one("robots", origin) ?? { origin, text: null, until: 0, fetcher: null, fetchUntil: 0 };
  const { fetcher, fetchUntil } = kept;
  if (fetcher !== null && fetcher !== worker && fetchUntil > book.now) {
    book.need(want("worker", fetcher));
    if (book.one("worker", fetcher)?.until != null) return { mayFetch: false, againInMs: AGAIN_MS };
  }
  book.put("robots", { ...kept, fetcher: worker, fetchUntil: book.now + FETCH_MS });
  return { mayFetch: true };
};

export const keepRobots = (book: Book, origin: string, { text, keepMs }: RobotsAnswer): void =>
  book.put("robots", { origin, text, until: book.now + keepMs, fetcher: null, fetchUntil: 0 });
