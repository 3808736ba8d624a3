import { type Transaction, want } from "./transaction.ts";
import type { ClaimTally } from "./claim.ts";
import { takesAll } from "./queues.ts";
import { leadAlone } from "./fresh-claims.ts";
import { heldUntil, laneIntervalMs, placesFor, planSlots } from "./lane-pace.ts";
import { ownRoom } from "./serve-lane.ts";
import { chargeShare } from "./shares.ts";
import { retryOf } from "./records.ts";
import { lease } from "./take-items.ts";

/** Queues with suspects that one claim looks at. */
const MOST = 64;

/**
 * One item for a process that runs nothing else: if the process dies, that item caused it. Only one suspect of each queue is
 * considered, so a queue with many suspects that cannot run now does not block those of others.
 */
export const claimSuspect = (tx: Transaction, tally: ClaimTally): void => {
  const groups = tx
    .list("suspects")
    .filter(({ dueAt }) => dueAt <= tx.now)
    .filter(({ job, kinds }) => (!tally.jobs || tally.jobs.has(job)) && takesAll(tally.kinds, kinds))
    .toSorted((a, b) => a.dueAt - b.dueAt || a.queue - b.queue)
    .slice(0, MOST);
  tx.need(
    ...groups.flatMap(({ queue, lane }) => [
      want("dueSuspect", queue),
      want("queue", queue),
      want("clientOfQueue", queue),
      want("lane", lane),
    ]),
  );
  for (const group of groups) {
    const item = tx.one("dueSuspect", group.queue)!;
    const queue = tx.one("queue", group.queue)!;
    const lane = tx.one("lane", queue.lane)!;
    if (tally.request.lanes && !tally.request.lanes.includes(lane.name)) continue;
    const client = tx.one("clientOfQueue", queue.id);
    const sum = (of: (peer: ClaimTally["peers"][number]) => number | undefined): number =>
      tally.peers.reduce((all, peer) => all + (of(peer) ?? 0), 0);
    if (client?.maxRunning != null && sum(({ runningBy }) => runningBy[queue.client]) >= client.maxRunning)
      continue;
    if (sum(({ inFlight }) => inFlight[lane.name]) >= placesFor(lane, queue) || ownRoom(tally, queue) <= 0)
      continue;
    const intervalMs = laneIntervalMs(lane, tx.now, queue);
    if (intervalMs === 0 && queue.ownPerSecond === null) {
      if (heldUntil(lane) > tx.now) continue;
      tally.unpaced.push(lane.name);
    } else {
      const planned = planSlots(tx, lane, queue, intervalMs, 1);
      if (planned.grant.delaysMs.length === 0) continue;
      planned.save();
      const share = tx.one("share", lane.id, queue.client);
      chargeShare(tx, tx.known("lane", lane.id)!, share, client?.weight ?? 1, 1);
      tally.slots.push(planned.grant);
    }
    tx.put("retry", { ...retryOf(item), dueAt: null });
    leadAlone(tx, queue, item);
    lease(tally, queue, lane, [item]);
    const now = tx.known("queue", queue.id)!;
    tx.patch("queue", now, { leased: now.leased + 1, ...(queue.isProbing && { isClaimable: false }) });
    return;
  }
};
