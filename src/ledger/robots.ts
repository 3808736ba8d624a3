import type { RobotsAnswer, RobotsReply } from "../ports/ledger.ts";
import { type Transaction, want } from "./transaction.ts";

/** One asker fetches; if it is not heard of again, the next one may after this. */
const FETCH_MS = 30_000;
const AGAIN_MS = 100;

export const knownRobots = (tx: Transaction, origin: string): RobotsReply | undefined => {
  const kept = tx.one("robots", origin);
  return kept && kept.until > tx.now
    ? { known: { text: kept.text, keepMs: kept.until - tx.now } }
    : undefined;
};

/** Where nothing is known: whether this worker may fetch it. */
export const askRobots = (tx: Transaction, origin: string, worker: string): RobotsReply => {
  const known = knownRobots(tx, origin);
  if (known) return known;
  const kept = tx.one("robots", origin) ?? { origin, text: null, until: 0, fetcher: null, fetchUntil: 0 };
  const { fetcher, fetchUntil } = kept;
  if (fetcher !== null && fetcher !== worker && fetchUntil > tx.now) {
    tx.need(want("worker", fetcher));
    if (tx.one("worker", fetcher)?.until != null) return { mayFetch: false, againInMs: AGAIN_MS };
  }
  tx.put("robots", { ...kept, fetcher: worker, fetchUntil: tx.now + FETCH_MS });
  return { mayFetch: true };
};

export const keepRobots = (tx: Transaction, origin: string, { text, keepMs }: RobotsAnswer): void =>
  tx.put("robots", { origin, text, until: tx.now + keepMs, fetcher: null, fetchUntil: 0 });
