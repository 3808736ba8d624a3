import type { ClaimTally } from "./claim-items.ts";
import { addToClientHand, clientRoom } from "./client-shares.ts";
import type { Database } from "./database.ts";
import { leadAlone } from "./fresh-claims.ts";
import { takesAll } from "./kind-bits.ts";
import { holdUntil, intervalMs, laneRow } from "./lane-row.ts";
import { chargeLane } from "./lane-turns.ts";
import { ownRoom, planSlots } from "./own-pace.ts";
import { places } from "./places.ts";
import { queueRow, setClaimable } from "./queue-row.ts";
import { addToHand, handsIn } from "./renew-worker.ts";
import { openLease } from "./take-items.ts";

interface SuspectRow {
  readonly queue: number;
  readonly seq: number;
  readonly key: string;
  readonly input: string;
  readonly scraper: number;
  readonly attempts: number;
  readonly throttles: number;
  readonly job: string;
  readonly revision: number;
}

/** One item for a process that runs nothing else: should the process die, that item did it. */
export const claimSuspect = (db: Database, tally: ClaimTally): void => {
  const now = db.now();
  const rows = db.all<SuspectRow>(
    `SELECT s.queue, s.seq, i.key, i.input, i.scraper, i.attempts, i.throttles, j.id AS job, j.revision
     FROM suspects s JOIN items i ON i.queue = s.queue AND i.seq = s.seq
     JOIN queues q ON q.id = s.queue JOIN jobs j ON j.number = q.job
     WHERE s.in_hand = 0 AND s.due_at <= ? AND q.claimable = 1 ORDER BY s.due_at LIMIT 64`,
    now,
  );
  const { jobs, worker } = tally.request;
  for (const row of rows) {
    if (jobs && !jobs.includes(row.job)) continue;
    const queue = queueRow(db, row.queue)!;
    if (tally.lanes && !tally.lanes.includes(queue.lane)) continue;
    if (!takesAll(tally.kinds, queue.kinds)) continue;
    const clientHas = clientRoom(db, queue.client);
    if (clientHas <= 0) continue;
    const lane = laneRow(db, queue.lane);
    if (handsIn(db, lane.id, worker).total >= places(lane, queue)) continue;
    const interval = intervalMs(db, lane);
    if (ownRoom(db, queue) <= 0) continue;
    if (interval === 0 && queue.own_per_second === null) {
      if (holdUntil(lane) > now) continue;
      tally.unpaced.push(lane.name);
    } else {
      const planned = planSlots(db, lane, queue, interval, 1);
      if (planned.grant.delaysMs.length === 0) continue;
      planned.save();
      chargeLane(db, lane.id, queue.client, 1);
      tally.slots.push(planned.grant);
    }
    const lease = openLease(db, worker, row.queue, row.seq, row.seq, 1);
    db.run("UPDATE items SET suspect = 0, lease = ? WHERE queue = ? AND seq = ?", lease, row.queue, row.seq);
    db.run("UPDATE suspects SET in_hand = 1 WHERE queue = ? AND seq = ?", row.queue, row.seq);
    addToHand(db, lane.id, worker, 1);
    if (clientHas !== Infinity) addToClientHand(db, queue.client, worker, 1);
    tally.taken.set(queue.job, { items: 1, waiting: 0 });
    if (queue.probing === 1) setClaimable(db, queue.id, false);
    leadAlone(db, queue, row);
    const { attempts, throttles, ...item } = row;
    tally.items.push({ ...item, lease, lane: lane.name, attempt: attempts + 1, throttles });
    return;
  }
};
