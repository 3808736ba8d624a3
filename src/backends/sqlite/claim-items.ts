import type { ClaimRequest, ClaimedItem, Grant, SlotGrant } from "../../ports/ledger.ts";
import { claimSuspect } from "./claim-suspect.ts";
import type { Database } from "./database.ts";
import { openProbes } from "./hold-queue.ts";
import { reapExpired } from "./reap-workers.ts";
import { registerWorker, setHands } from "./renew-worker.ts";
import { serveLane } from "./serve-lane.ts";

/** Lanes looked at in one go; a claim goes on to the next ones while it has room. */
const PAGE = 64;
/** At most so many lanes are looked at in one claim, whatever they give. */
const MOST_LANES = 1024;

/** What a claim gathers on its way through the lanes. */
export interface ClaimTally {
  readonly request: ClaimRequest;
  readonly workers: number;
  readonly items: ClaimedItem[];
  readonly slots: SlotGrant[];
  readonly unpaced: string[];
  /** A lane had work but all of its places are taken. */
  isCrowded: boolean;
}

export const claimItems = async (db: Database, request: ClaimRequest): Promise<Grant> => {
  const { grant, now } = await db.write(() => {
    registerWorker(db, request.worker, request.alone ?? false);
    setHands(db, request.worker, request.inHand);
    reapExpired(db);
    openProbes(db);
    const tally: ClaimTally = {
      request,
      workers: db.get<{ n: number }>("SELECT count(*) AS n FROM workers WHERE alone = 0")!.n || 1,
      items: [],
      slots: [],
      unpaced: [],
      isCrowded: false,
    };
    if (request.alone) claimSuspect(db, tally);
    else visitLanes(db, tally);
    const now = db.now();
    const suspects = db.get<{ n: number; next: number | null }>(
      "SELECT count(*) AS n, min(due_at) AS next FROM suspects WHERE in_hand = 0",
    )!;
    const next = request.alone ? suspects.next : nextReadyAt(db, tally, now);
    const grant: Grant = {
      items: tally.items,
      slots: tally.slots,
      unpaced: tally.unpaced,
      suspects: suspects.n,
      ...(next === null ? {} : { againInMs: Math.max(0, next - now) }),
    };
    return { grant, now };
  }, false);
  return { ...grant, slots: fromNow(grant.slots, db.now() - now) };
};

/** Delays count from the answer: what the commit took has passed already. */
export const fromNow = (slots: readonly SlotGrant[], passedMs: number): SlotGrant[] =>
  slots.map((grant) => ({ ...grant, delaysMs: grant.delaysMs.map((delay) => delay - passedMs) }));

const visitLanes = (db: Database, tally: ClaimTally): void => {
  const now = db.now();
  let after: { ready_at: number; id: number } = { ready_at: -1, id: 0 };
  for (let seen = 0; seen < MOST_LANES && tally.items.length < tally.request.room; ) {
    const lanes = db.all<{ id: number; ready_at: number }>(
      `SELECT id, ready_at FROM lanes WHERE ready_at IS NOT NULL AND ready_at <= ? AND (ready_at, id) > (?, ?)
       ORDER BY ready_at, id LIMIT ?`,
      now,
      after.ready_at,
      after.id,
      PAGE,
    );
    for (const lane of lanes) {
      if (tally.items.length >= tally.request.room) break;
      serveLane(db, tally, lane.id);
      after = lane;
    }
    seen += lanes.length;
    if (lanes.length < PAGE) break;
  }
};

/** A crowded lane frees its places when a worker says so, which no clock tells: look again soon. */
const CROWDED_AGAIN_MS = 20;

const nextReadyAt = (db: Database, tally: ClaimTally, now: number): number | null => {
  if (tally.isCrowded) return now + CROWDED_AGAIN_MS;
  const lane = db.get<{ ready_at: number }>(
    "SELECT ready_at FROM lanes WHERE ready_at IS NOT NULL ORDER BY ready_at LIMIT 1",
  );
  const probe = db.get<{ probe_at: number }>(
    "SELECT probe_at FROM queues WHERE probe_at IS NOT NULL AND probing = 0 ORDER BY probe_at LIMIT 1",
  );
  const times = [lane?.ready_at, probe?.probe_at].filter((at) => at !== undefined);
  return times.length === 0 ? null : Math.min(...times);
};
