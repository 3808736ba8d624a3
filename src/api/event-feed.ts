import { readPage } from "../pipeline/notify.ts";
import type { JobView } from "../domain/job.ts";
import {
  clientOfEvent,
  EVENT_TYPES,
  type EventQuery,
  type EventType,
  type LedgerEvent,
} from "../ports/event-log.ts";
import type { Ledger } from "../ports/ledger.ts";
import { factsOf } from "./webhooks/make-deliveries.ts";

/** An event as sent to listeners. */
export interface LiveEvent {
  /** Its id in the log; none if it is not stored there. */
  readonly id?: number;
  readonly type: EventType;
  readonly at: number;
  readonly client: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Some events, and where to continue after them. */
interface FeedPage {
  readonly events: readonly LiveEvent[];
  readonly at: number;
}

type Wanted = Pick<EventQuery, "job"> & { readonly types?: readonly EventType[] | undefined };

const PAGE = 100;
/** Rare events are searched for in so many, so that no listener costs much. */
const MOST_SEARCHED = 20_000;
const WAIT_MS = 10_000;

/** The event log for any number of listeners, each at its own position. Listeners at the same position share reads and waits. */
export class EventFeed {
  readonly #ledger: Pick<Ledger, "events" | "readJob">;
  readonly #pages = new Map<string, Promise<FeedPage>>();
  readonly #waits = new Map<number, Promise<boolean>>();

  constructor(ledger: Pick<Ledger, "events" | "readJob">) {
    this.#ledger = ledger;
  }

  /**
   * Where a listener begins: after the last event it has received, or so that it gets the last `back` of those it wants. `isLost`:
   * some of the events it has missed are no longer stored.
   */
  async begin(
    lastId: string | undefined,
    back = 0,
    wanted: Wanted = {},
  ): Promise<{ readonly at: number; readonly isLost: boolean }> {
    const { events } = this.#ledger;
    const last = await events.last();
    if (lastId === undefined) {
      const query = { ...storedOf(wanted), after: Math.max(0, last - MOST_SEARCHED), limit: back };
      const [first] = back === 0 ? [] : await events.read({ ...query, newest: true });
      return { at: first ? first.id - 1 : last, isLost: false };
    }
    const at = /^\d{1,15}$/.test(lastId) ? Number(lastId) : Infinity;
    const [oldest] = await events.read({ limit: 1 });
    const isKnown = at <= last && at + 1 >= (oldest?.id ?? 0);
    return isKnown ? { at, isLost: false } : { at: last, isLost: true };
  }

  /** The events after a position; empty if nothing happens for a while. */
  async next(at: number, wanted: Wanted): Promise<FeedPage> {
    const key = JSON.stringify([at, wanted]);
    const page = await shared(this.#pages, key, () => this.#read(at, wanted));
    if (page.at === at) await shared(this.#waits, at, () => this.#ledger.events.await(at, WAIT_MS));
    return page;
  }

  async #read(after: number, wanted: Wanted): Promise<FeedPage> {
    const query = { ...storedOf(wanted), after, limit: PAGE };
    const { events: found, upTo } = await readPage(this.#ledger.events, query);
    const jobs = new Map<string, JobView | undefined>();
    for (const event of found)
      if (event.job !== "" && !jobs.has(event.job))
        jobs.set(event.job, await this.#ledger.readJob(event.job));
    return {
      events: found.flatMap((event) => liveEvent(event, jobs.get(event.job)) ?? []),
      at: Math.max(after, upTo),
    };
  }
}

/** Listeners get live progress instead of what is stored of it, and more often. */
const storedOf = ({ job, types = EVENT_TYPES }: Wanted): Pick<EventQuery, "job" | "types"> => ({
  types: types.filter((type) => type !== "job.progress"),
  ...(job !== undefined && { job }),
});

const liveEvent = (event: LedgerEvent, view: JobView | undefined): LiveEvent | undefined => {
  const { id, type, at } = event;
  const client = clientOfEvent(event);
  if (client !== undefined) return { id, type, at, client, data: factsOf(event) };
  return view && { id, type, at, ...aboutJob(view, factsOf(event)) };
};

/** The part of an event that describes its job. */
export const aboutJob = (
  { spec, state, counts }: JobView,
  facts: LedgerEvent["facts"] = {},
): Pick<LiveEvent, "client" | "data"> => {
  const { id: job, client, scraper } = spec;
  return { client, data: { ...facts, job, client, scraper, state, counts } };
};

/** The work in progress under this name, or new work. */
const shared = async <K, T>(underWay: Map<K, Promise<T>>, name: K, work: () => Promise<T>): Promise<T> => {
  const known = underWay.get(name);
  if (known) return await known;
  const begun = work().finally(() => underWay.delete(name));
  underWay.set(name, begun);
  return await begun;
};
