import type { ClaimRequest, ClaimedItem, Grant, SlotGrant, WorkFilter } from "../../ports/ledger.ts";
import { pacesAddresses } from "./address-pace.ts";
import { claimSuspect } from "./claim-suspect.ts";
import { type ClientShare, readShares, saveShares } from "./client-shares.ts";
import { noticeClockStep } from "./clock-step.ts";
import type { Database } from "./database.ts";
import { openProbes } from "./hold-queue.ts";
import { kindBits } from "./kind-bits.ts";
import { nextLaneAt, visitLanes } from "./visit-lanes.ts";
import { reapExpired } from "./reap-workers.ts";
import { knowWorker, nameRunning, setHands } from "./renew-worker.ts";
import { type Companion, companionsOf, isDraining } from "./worker-cards.ts";

/** Places are freed when a worker says so, which no clock tells; of its own a worker knows without asking. */
const CROWDED_AGAIN_MS = 250;
/** Where a lane is ready for jobs that were not asked for and nobody takes them, it does not know when those that were asked for are due. */
const PASSED_BY_AGAIN_MS = 20;

/** What may be claimed. */
export interface Claimable {
  /** Numbers of the jobs that were asked for; undefined for all. */
  readonly jobs: readonly number[] | undefined;
  /** Numbers of the lanes that were asked for; undefined for all. */
  readonly lanes: readonly number[] | undefined;
  /** What the worker takes, see `kindBits`; undefined for all. */
  readonly kinds: number | undefined;
  /** Clients with work, by their names. */
  readonly shares: ReadonlyMap<string, ClientShare>;
}

/** What a claim gathers on its way through the lanes. */
export interface ClaimTally extends Claimable {
  readonly request: ClaimRequest;
  /** Workers that serve the same jobs, this one included: among them a lane's places are divided evenly. */
  readonly companions: readonly Companion[];
  readonly items: ClaimedItem[];
  readonly slots: SlotGrant[];
  readonly unpaced: string[];
  /** What was taken of each job, and how many of those had been waiting; written once at the end. */
  readonly taken: Map<number, { items: number; waiting: number }>;
  /** A lane or a client had work but all of its places are taken. */
  isCrowded: boolean;
  /** Items were answered from the archive or set aside: the next ones may be had at once. */
  hasPassed: boolean;
}

const NOTHING: Grant = { items: [], slots: [], unpaced: [], suspects: 0 };

export const claimItems = async (db: Database, request: ClaimRequest): Promise<Grant> => {
  const claimed = await db.write(() => {
    const now = db.now();
    noticeClockStep(db);
    if (!knowWorker(db, request)) return { grant: { ...NOTHING, againInMs: CROWDED_AGAIN_MS }, now };
    setHands(db, request.worker, request.inHand);
    if (request.running) nameRunning(db, request.worker, request.running);
    if (isDraining(db, request.worker)) return { grant: NOTHING, now };
    reapExpired(db);
    openProbes(db);
    const shares = readShares(db, request);
    const tally: ClaimTally = {
      ...claimable(db, request, shares),
      request,
      companions: companionsOf(db, request),
      items: [],
      slots: [],
      unpaced: [],
      taken: new Map(),
      isCrowded: false,
      hasPassed: false,
    };
    if (request.alone) claimSuspect(db, tally);
    else visitLanes(db, tally);
    saveShares(db, request.worker, shares);
    countTaken(db, tally);
    const suspects = waitingSuspects(db, tally);
    const next = request.alone ? suspects.next : tally.isCrowded ? 0 : nextReadyAt(db, tally);
    const isMoving = !request.alone && (tally.hasPassed || (!tally.isCrowded && tally.items.length > 0));
    const againMs = tally.isCrowded ? CROWDED_AGAIN_MS : PASSED_BY_AGAIN_MS;
    const soonest = isMoving ? now : now + againMs;
    const grant: Grant = {
      items: tally.items,
      slots: tally.slots,
      unpaced: tally.unpaced,
      suspects: suspects.n,
      ...pacesAddresses(db),
      ...(next === null ? {} : { againInMs: Math.max(0, Math.max(soonest, next) - db.now()) }),
      ...(tally.isCrowded && { isCrowded: true }),
    };
    return { grant, now };
  }, false);
  return { ...claimed.grant, slots: fromNow(claimed.grant.slots, db.now() - claimed.now) };
};

/** Delays count from the answer: what the commit took has passed already. */
export const fromNow = (slots: readonly SlotGrant[], passedMs: number): SlotGrant[] =>
  slots.map((grant) => ({ ...grant, delaysMs: grant.delaysMs.map((delay) => delay - passedMs) }));

/** Whether a claim may bring something now, or hears of suspects. */
export const hasWork = (db: Database, filter: WorkFilter): boolean => {
  const wanted = claimable(db, filter, readShares(db, { room: 1 }));
  const next = nextReadyAt(db, wanted);
  return (next !== null && next <= db.now()) || waitingSuspects(db, wanted).n > 0;
};

const claimable = (db: Database, filter: WorkFilter, shares: readonly ClientShare[]): Claimable => ({
  jobs: filter.jobs && jobNumbers(db, filter.jobs),
  lanes: filter.lanes && laneNumbers(db, filter.lanes),
  kinds: filter.kinds && kindBits(filter.kinds),
  shares: new Map(shares.map((share) => [share.client, share])),
});

const jobNumbers = (db: Database, ids: readonly string[]): number[] =>
  ids.flatMap((id) => db.get<{ number: number }>("SELECT number FROM jobs WHERE id = ?", id)?.number ?? []);

const laneNumbers = (db: Database, names: readonly string[]): number[] =>
  names.flatMap((name) => db.get<{ id: number }>("SELECT id FROM lanes WHERE name = ?", name)?.id ?? []);

const countTaken = (db: Database, { taken }: ClaimTally): void => {
  for (const [job, { items, waiting }] of taken)
    db.run(
      "UPDATE jobs SET leased = leased + ?, waiting = waiting - ? WHERE number = ?",
      items,
      waiting,
      job,
    );
};

const waitingSuspects = (
  db: Database,
  { jobs, lanes, kinds }: Claimable,
): { readonly n: number; readonly next: number | null } =>
  db.get<{ n: number; next: number | null }>(
    `SELECT count(*) AS n, min(s.due_at) AS next FROM suspects s JOIN queues q ON q.id = s.queue
     WHERE s.in_hand = 0 AND q.claimable = 1 AND (?1 IS NULL OR q.job IN (SELECT value FROM json_each(?1)))
       AND (?2 IS NULL OR q.lane IN (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR (q.kinds & ~?3) = 0)`,
    jobs ? JSON.stringify(jobs) : null,
    lanes ? JSON.stringify(lanes) : null,
    kinds ?? null,
  )!;

const nextReadyAt = (db: Database, tally: Claimable): number | null => {
  const lane = nextLaneAt(db, tally);
  const probe = db.get<{ probe_at: number }>(
    `SELECT q.probe_at FROM queues q INDEXED BY queues_probe CROSS JOIN jobs j ON j.number = q.job
     WHERE q.probe_at IS NOT NULL AND q.probing = 0 AND j.state IN ('loading', 'running')
       AND (?1 IS NULL OR q.job IN (SELECT value FROM json_each(?1))) ORDER BY q.probe_at LIMIT 1`,
    tally.jobs ? JSON.stringify(tally.jobs) : null,
  );
  const times = [lane, probe?.probe_at].filter((at) => at !== undefined);
  return times.length === 0 ? null : Math.min(...times);
};
