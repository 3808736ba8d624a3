import { type Book, want } from "./book.ts";
import type { ClaimTally } from "./claim.ts";
import { takesAll } from "./kind-bits.ts";
import { leadAlone } from "./fresh-claims.ts";
import { heldUntil, laneIntervalMs, placesFor, planSlots } from "./lane-pace.ts";
import { ownRoom } from "./serve-lane.ts";
import { chargeShare } from "./shares.ts";
import { lease, retryOf } from "./take-items.ts";

/** Suspects that one claim looks at. */
const MOST = 64;

/** One item for a process that runs nothing else: should the process die, that item did it. */
export const claimSuspect = (book: Book, tally: ClaimTally): void => {
  const suspects = book
    .list("dueSuspects", MOST)
    .filter(({ dueAt }) => dueAt! <= book.now)
    .toSorted((a, b) => a.dueAt! - b.dueAt!);
  book.need(...suspects.map(({ queue }) => want("queue", queue)));
  const queues = new Map(suspects.map(({ queue }) => [queue, book.one("queue", queue)!]));
  book.need(
    ...[...queues.values()].flatMap(({ lane, client }) => [want("lane", lane), want("client", client)]),
  );
  for (const item of suspects) {
    const queue = queues.get(item.queue)!;
    if (
      !queue.isClaimable ||
      (tally.jobs && !tally.jobs.has(queue.job)) ||
      !takesAll(tally.kinds, queue.kinds)
    )
      continue;
    const lane = book.one("lane", queue.lane)!;
    if (tally.request.lanes && !tally.request.lanes.includes(lane.name)) continue;
    const client = book.one("client", queue.client);
    const sum = (of: (peer: ClaimTally["peers"][number]) => number | undefined): number =>
      tally.peers.reduce((all, peer) => all + (of(peer) ?? 0), 0);
    if (client?.maxRunning != null && sum(({ runningBy }) => runningBy[queue.client]) >= client.maxRunning)
      continue;
    if (sum(({ inFlight }) => inFlight[lane.name]) >= placesFor(lane, queue) || ownRoom(tally, queue) <= 0)
      continue;
    const intervalMs = laneIntervalMs(lane, book.now, queue);
    if (intervalMs === 0 && queue.ownPerSecond === null) {
      if (heldUntil(lane) > book.now) continue;
      tally.unpaced.push(lane.name);
    } else {
      const planned = planSlots(book, lane, queue, intervalMs, 1);
      if (planned.grant.delaysMs.length === 0) continue;
      planned.save();
      const share = book.one("share", lane.id, queue.client);
      chargeShare(book, book.known("lane", lane.id)!, share, client?.weight ?? 1, 1);
      tally.slots.push(planned.grant);
    }
    book.put("retry", { ...retryOf(item), dueAt: null });
    leadAlone(book, queue, item);
    lease(tally, queue, lane, [item]);
    const now = book.known("queue", queue.id)!;
    book.patch("queue", now, { leased: now.leased + 1, ...(queue.isProbing && { isClaimable: false }) });
    return;
  }
};
