import type { ClaimRequest, ClaimedItem, Grant, SlotGrant } from "../../ports/ledger.ts";
import { claimSuspect } from "./claim-suspect.ts";
import type { Database } from "./database.ts";
import { openProbes } from "./hold-queue.ts";
import { reapExpired } from "./reap-workers.ts";
import { nameRunning, registerWorker, setHands } from "./renew-worker.ts";
import { serveLane } from "./serve-lane.ts";

/** Lanes looked at in one go; a claim goes on to the next ones while it has room. */
const PAGE = 64;
/** At most so many lanes are looked at in one claim, whatever they give. */
const MOST_LANES = 1024;
/** Places are freed when a worker says so, which no clock tells: look again soon. */
const CROWDED_AGAIN_MS = 20;

/** What a claim gathers on its way through the lanes. */
export interface ClaimTally {
  readonly request: ClaimRequest;
  /** Numbers of the jobs that were asked for; undefined for all. */
  readonly jobs: readonly number[] | undefined;
  readonly workers: number;
  readonly items: ClaimedItem[];
  readonly slots: SlotGrant[];
  readonly unpaced: string[];
  /** A lane had work but all of its places are taken. */
  isCrowded: boolean;
}

const NOTHING: Grant = { items: [], slots: [], unpaced: [], suspects: 0, againInMs: CROWDED_AGAIN_MS };

export const claimItems = async (db: Database, request: ClaimRequest): Promise<Grant> => {
  const claimed = await db.write(() => {
    const now = db.now();
    if (!registerWorker(db, request)) return { grant: NOTHING, now };
    setHands(db, request.worker, request.inHand);
    if (request.running) nameRunning(db, request.worker, request.running);
    reapExpired(db);
    openProbes(db);
    const tally: ClaimTally = {
      request,
      jobs: request.jobs && jobNumbers(db, request.jobs),
      workers: companions(db, request),
      items: [],
      slots: [],
      unpaced: [],
      isCrowded: false,
    };
    if (request.alone) claimSuspect(db, tally);
    else visitLanes(db, tally);
    const suspects = waitingSuspects(db, tally);
    const next = request.alone ? suspects.next : nextReadyAt(db, tally);
    const soonest = tally.isCrowded || request.alone ? now + CROWDED_AGAIN_MS : now;
    const grant: Grant = {
      items: tally.items,
      slots: tally.slots,
      unpaced: tally.unpaced,
      suspects: suspects.n,
      ...(next === null ? {} : { againInMs: Math.max(soonest, next) - now }),
    };
    return { grant, now };
  }, false);
  return { ...claimed.grant, slots: fromNow(claimed.grant.slots, db.now() - claimed.now) };
};

/** Workers that serve the same jobs, this one included: among them a lane's places are divided evenly. */
const companions = (db: Database, { jobs }: ClaimRequest): number =>
  db.get<{ n: number }>(
    "SELECT count(*) AS n FROM workers WHERE alone = 0 AND (?1 IS NULL OR jobs IS NULL OR jobs = ?1)",
    jobs ? JSON.stringify(jobs) : null,
  )!.n || 1;

/** Delays count from the answer: what the commit took has passed already. */
export const fromNow = (slots: readonly SlotGrant[], passedMs: number): SlotGrant[] =>
  slots.map((grant) => ({ ...grant, delaysMs: grant.delaysMs.map((delay) => delay - passedMs) }));

const jobNumbers = (db: Database, ids: readonly string[]): number[] =>
  ids.flatMap((id) => db.get<{ number: number }>("SELECT number FROM jobs WHERE id = ?", id)?.number ?? []);

/** Of the lane, for the asked jobs (`@jobs`, a JSON list): without it, lanes of others would be in the way for ever. */
const HAS_WORK = `EXISTS (SELECT 1 FROM json_each(@jobs) mine JOIN queues q ON q.job = mine.value AND q.lane = lanes.id
  WHERE q.claimable = 1 AND q.ready_at IS NOT NULL)`;

const readyLanes = (
  db: Database,
  tally: ClaimTally,
  after: LanePlace,
  upTo: number,
  limit: number,
): LanePlace[] => {
  const select = `SELECT id, ready_at FROM lanes WHERE ready_at IS NOT NULL AND ready_at <= @upTo
    AND (ready_at, id) > (@readyAt, @id) ${tally.jobs ? `AND ${HAS_WORK}` : ""} ORDER BY ready_at, id LIMIT @limit`;
  const values = { "@upTo": upTo, "@readyAt": after.ready_at, "@id": after.id, "@limit": limit };
  const own = tally.jobs ? { "@jobs": JSON.stringify(tally.jobs) } : {};
  return db.sql(select).all({ ...values, ...own }) as unknown as LanePlace[];
};

interface LanePlace {
  readonly id: number;
  readonly ready_at: number;
}

const START: LanePlace = { id: 0, ready_at: -1 };

const visitLanes = (db: Database, tally: ClaimTally): void => {
  const now = db.now();
  let after = START;
  for (let seen = 0; seen < MOST_LANES && tally.items.length < tally.request.room;) {
    const lanes = readyLanes(db, tally, after, now, PAGE);
    for (const lane of lanes) {
      if (tally.items.length >= tally.request.room) break;
      serveLane(db, tally, lane.id);
      after = lane;
    }
    seen += lanes.length;
    if (lanes.length < PAGE) break;
  }
};

const waitingSuspects = (
  db: Database,
  { jobs }: ClaimTally,
): { readonly n: number; readonly next: number | null } =>
  db.get<{ n: number; next: number | null }>(
    `SELECT count(*) AS n, min(s.due_at) AS next FROM suspects s JOIN queues q ON q.id = s.queue
     WHERE s.in_hand = 0 AND q.claimable = 1 AND (?1 IS NULL OR q.job IN (SELECT value FROM json_each(?1)))`,
    jobs ? JSON.stringify(jobs) : null,
  )!;

const nextReadyAt = (db: Database, tally: ClaimTally): number | null => {
  if (tally.isCrowded) return 0;
  const [lane] = readyLanes(db, tally, START, Number.MAX_SAFE_INTEGER, 1);
  const probe = db.get<{ probe_at: number }>(
    `SELECT q.probe_at FROM queues q JOIN jobs j ON j.number = q.job
     WHERE q.probe_at IS NOT NULL AND q.probing = 0 AND j.state IN ('loading', 'running')
       AND (?1 IS NULL OR q.job IN (SELECT value FROM json_each(?1))) ORDER BY q.probe_at LIMIT 1`,
    tally.jobs ? JSON.stringify(tally.jobs) : null,
  );
  const times = [lane?.ready_at, probe?.probe_at].filter((at) => at !== undefined);
  return times.length === 0 ? null : Math.min(...times);
};
