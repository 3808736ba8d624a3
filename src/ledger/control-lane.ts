import type { ClientShares, LaneSteering } from "../ports/ledger.ts";
import { type Book, want } from "./book.ts";
import { heldUntil, laneNamed } from "./lane-pace.ts";
import type { Lane } from "./records.ts";

/** An operator's word. */
export const controlLane = (book: Book, name: string, to: LaneSteering): void => {
  book.need(want("laneNamed", name), want("service"), want("sharesIn", name), want("queuesInLane", name));
  const lane = laneNamed(book, name);
  if (to.perSecond !== undefined) book.patch("lane", lane, { operatorPerSecond: to.perSecond });
  if (to.isReset) forgetLearned(book, lane);
  const isHeld = to.isHeld ?? (to.isReset ? false : undefined);
  if (isHeld === true && !lane.isHeldByOperator) {
    book.patch("lane", lane, { isHeldByOperator: true });
    tellJobs(book, name, true);
  }
  if (isHeld === false && heldUntil(lane) > book.now) {
    book.patch("lane", lane, { isHeldByOperator: false, holdUntil: 0, holdReason: null });
    tellJobs(book, name, false);
  }
  // A held lane had nothing ready: the next claim finds out what is.
  const clients = new Set(
    book
      .list("queuesInLane", name)
      .filter(({ open }) => open > 0)
      .map(({ client }) => client),
  );
  for (const share of book.list("sharesIn", name))
    if (clients.has(share.client) && (share.readyAt === null || share.readyAt > book.now))
      book.patch("share", share, { readyAt: book.now });
};

/** The next slot is an interval from now: those that are out are not doubled, as far as they lie within a second. */
const forgetLearned = (book: Book, lane: Lane): void => {
  book.patch("lane", lane, {
    speed: null,
    crawlDelayMs: null,
    crawlUntil: 0,
    tat: book.now,
    intervalMs: 0,
    spare: [],
    ahead: [],
  });
  for (const queue of book.list("queuesInLane", lane.name)) {
    const { [lane.id]: _, ...ownSlots } = queue.ownSlots;
    book.patch("queue", queue, { ownSlots, ownNextAt: 0 });
  }
};

/** Everyone with items there hears of it. */
const tellJobs = (book: Book, lane: string, isHeld: boolean): void => {
  const queues = book
    .list("queuesInLane", lane)
    .filter(({ open }) => open > 0)
    .toSorted((a, b) => a.job - b.job);
  for (const { jobId } of queues)
    book.tell(isHeld ? "lane.held" : "lane.released", jobId, { lane, by: "operator" });
};

export const setShare = (
  book: Book,
  client: string,
  { weight, maxRunning, itemsPerDay }: ClientShares,
): void =>
  book.put("client", {
    name: client,
    weight,
    maxRunning: maxRunning ?? null,
    itemsPerDay: itemsPerDay ?? null,
  });
