import { roomAtMs } from "../domain/slots.ts";
import type { Transaction } from "./transaction.ts";
import { heldUntil, laneIntervalMs, slotBookOf } from "./lane-pace.ts";
import { MOST_QUEUES } from "./loads.ts";
import type { Lane, Queue, Share } from "./records.ts";

/** Lane 0 represents all workers together. */
export const ALL_WORKERS = 0;

export const newShare = (lane: number, client: string): Share => ({
  lane,
  client,
  had: null,
  readyAt: null,
  accepted: {},
  spent: {},
});

/** Someone who shares something by weight: a client in a lane, or in the work of all workers. */
export interface Turn {
  readonly weight: number;
  /** Items it has received, divided by its weight. */
  had: number;
}

/** About one booking window: a client may be behind its share by this many items and still catch up. */
const LARGEST_CREDIT = 64;

/**
 * The client that has received the least comes first (start-time fair queueing). `floor` is the last position of the client with work that
 * was furthest behind: a new or returning client starts there, so that idle time earns no credit.
 */
export const levelTurns = <Row extends { readonly weight: number; readonly had: number | null }>(
  rows: readonly Row[],
  floor: number,
): (Row & Turn)[] => {
  const most = Math.max(...rows.map(({ had }) => had ?? 0));
  return rows.map((row) => ({
    ...row,
    had: Math.max(row.had ?? 0, floor, most - LARGEST_CREDIT / row.weight),
  }));
};

/**
 * The new position and the new floor after `count` more items (fewer, if negative). A client that gets something back may fall
 * behind the floor: then the floor moves to its position, or what it got back would be lost. A client that was already behind the
 * floor has been away, and does not move it.
 */
export const chargeTurn = (
  { had, weight }: Turn,
  floor: number,
  count: number,
): { readonly had: number; readonly floor: number } => {
  const after = had + count / weight;
  return { had: after, floor: had < floor ? floor : Math.min(floor, after) };
};

/** Apart from what a claim gives: slots of hops, and what was not used (negative). `lane` 0 for items over all workers. */
export const chargeShare = (
  tx: Transaction,
  lane: Lane,
  share: Share | undefined,
  weight: number,
  count: number,
): void => {
  if (!share || count === 0) return;
  const { had, floor } = chargeTurn({ had: share.had ?? 0, weight }, lane.floor, count);
  tx.patch("share", share, { had });
  if (floor !== lane.floor) tx.patch("lane", lane, { floor });
};

export const hindmost = (turns: readonly Turn[]): number => Math.min(...turns.map(({ had }) => had));

const EMPTY_CLAIM_AT = Infinity;

/** When the queue can next give an item, considering only the queue itself; Infinity if it has none. */
export const queueReadyAt = ({ isClaimable, hasFresh, dueAt, ownNextAt }: Queue): number =>
  isClaimable && (hasFresh || dueAt !== null) ? Math.max(hasFresh ? 0 : dueAt!, ownNextAt) : EMPTY_CLAIM_AT;

/** A client has work in a lane from this time: a claim visits the lane and determines when it really is ready. */
export const wakeShare = (tx: Transaction, lane: number, client: string, at: number): void => {
  const share = tx.known("share", lane, client) ?? tx.one("share", lane, client) ?? newShare(lane, client);
  if (share.readyAt === null || share.readyAt > at) tx.put("share", { ...share, readyAt: at });
};

/** The lane may have room earlier than expected, for every client with work there. */
export const wakeLane = (tx: Transaction, lane: number, at: number): void => {
  for (const share of tx.list("sharesOf", lane))
    if (share.readyAt !== null && share.readyAt > at) tx.patch("share", share, { readyAt: at });
};

/**
 * When the lane can next give an item of a client, after a claim was there. `queues` are the loaded ones; if there are more than
 * `MOST_QUEUES`, the next claim looks again.
 */
export const noteReady = (tx: Transaction, lane: Lane, share: Share, queues: readonly Queue[]): void => {
  const isAll = queues.length <= MOST_QUEUES;
  const nexts = queues.map((queue) => ({ queue, at: queueReadyAt(queue) }));
  const next = nexts.reduce((a, b) => (b.at < a.at ? b : a), { queue: queues[0], at: Infinity });
  const heldMs = heldUntil(lane);
  const isOver = heldMs === Infinity || (isAll && next.at === Infinity);
  const roomAt = next.queue
    ? roomAtMs(slotBookOf(lane), laneIntervalMs(lane, tx.now, next.queue), next.queue.burst, tx.now)
    : 0;
  const readyAt = isOver ? null : Math.max(isAll ? next.at : 0, heldMs, roomAt, tx.now);
  if (readyAt !== share.readyAt) tx.patch("share", share, { readyAt });
};
