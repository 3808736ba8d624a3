import { EVERY_ADDRESS } from "../domain/lane-name.ts";
import type { ClaimedItem, ClaimRequest, Grant, SlotGrant, WorkFilter } from "../ports/ledger.ts";
import { repeatedClaim } from "./answers.ts";
import { type Transaction, want, type Want } from "./transaction.ts";
import { claimSuspect } from "./claim-suspect.ts";
import { type ItemStock, PlannedStock } from "./item-stock.ts";
import { kindBits, takesAll } from "./queues.ts";
import { pacesAddresses } from "./lane-pace.ts";
import type { ReadyArgs } from "./loads.ts";
import { knownTiers } from "./proxy-tiers.ts";
import type { Client, Lane, Peer, Queue, Share, Worker } from "./records.ts";
import { serveLane } from "./serve-lane.ts";
import { leaseOf, type TakenRun } from "./take-items.ts";
import { ALL_WORKERS, hindmost, levelTurns, newShare, type Turn } from "./shares.ts";
import { claimingWorker, isKnown, setInFlight, setRunning } from "./workers.ts";

/** Other workers free places at any time, which no timer predicts; a worker knows about its own places without asking. */
const CROWDED_AGAIN_MS = 250;
/** If a lane is ready only for jobs that were not asked for, and nobody takes them, the lane does not know when the others are due. */
const PASSED_BY_AGAIN_MS = 20;
/** A client may have at most this many places of a worker for each free place. */
const MOST_TO_ONE = 4;
/** Lanes of each client that one claim looks at, unless the worker has room for more items. */
const LANES = 64;
const MOST_LANES = 1024;

/** A client with ready lanes, in its share of what the workers do. */
export interface ClientTurn extends Turn {
  readonly client: string;
  readonly share: Share;
  /** Number of items that it may still be given; Infinity without a limit. */
  room: number;
  /**
   * How much of the worker's room it may have before the other clients get theirs, and in total: a part stays free for clients
   * that come later.
   */
  quota: number;
  places: number;
  /** Items given in this claim. */
  given: number;
}

/** State of a claim on its way through the lanes. */
export interface ClaimTally {
  readonly request: ClaimRequest;
  readonly stock: ItemStock;
  /** Numbers of the jobs that were asked for; undefined for all. */
  readonly jobs: ReadonlySet<number> | undefined;
  readonly kinds: number | null;
  readonly peers: readonly Peer[];
  readonly clients: ReadonlyMap<string, ClientTurn>;
  /** What was loaded for each client with work. */
  readonly readyArgs: readonly ReadyArgs[];
  /** Loaded queues, by lane and client. */
  readonly queuesOf: (lane: number, client: string) => readonly Queue[];
  /** Empty in a plan, where items are only counted. */
  readonly items: ClaimedItem[];
  count: number;
  readonly slots: SlotGrant[];
  readonly unpaced: string[];
  /** Number of the first lease of this claim, and what was taken of each queue. */
  readonly firstLease: number;
  readonly leases: TakenRun[];
  /** A lane or a client had work, but all of its places are taken. */
  isCrowded: boolean;
  /** Items were answered from the archive or set aside: the next ones may be available at once. */
  hasPassed: boolean;
}

const NOTHING: Grant = { items: [], slots: [], unpaced: [], suspects: 0 };

/** Loaded at the start of every claim. `clients`: those that had work at the last claim, and so may have some now. */
export const claimWants = (request: ClaimRequest, now: number, clients: readonly string[]): Want[] => [
  want("worker", request.worker),
  want("peers"),
  want("lane", ALL_WORKERS),
  ...workWants(request),
  want("silentWorkers", now),
  want("dueProbes", now),
  want("laneNamed", EVERY_ADDRESS),
  want("firstClients"),
  ...(request.jobs || request.lanes || request.alone
    ? []
    : [want("nextProbe", null), ...readyWants(readyArgsOf(request, clients, now, askedWith(request)))]),
];

/** What the worker asks for, as arguments of loads. */
type Asked = readonly [jobs: string | null, lanes: string | null, kinds: number | null];

const askedWith = (
  { kinds }: Pick<WorkFilter, "kinds">,
  jobs?: ReadonlySet<number>,
  lanes?: readonly number[],
): Asked => [
  jobs ? JSON.stringify([...jobs]) : null,
  lanes ? JSON.stringify(lanes) : null,
  kinds ? kindBits(kinds) : null,
];

const readyArgsOf = (
  { room }: ClaimRequest,
  clients: readonly string[],
  now: number,
  asked: Asked,
): ReadyArgs[] => {
  const most = Math.min(MOST_LANES, Math.max(LANES, room));
  return clients.map((name) => [name, most, now, ...asked]);
};

const readyWants = (all: readonly ReadyArgs[]): Want[] =>
  all.flatMap((args) => [
    want("share", ALL_WORKERS, args[0]),
    want("readyShares", ...args),
    want("readyLanes", ...args),
    want("readyNeighbours", ...args),
    want("readyQueues", ...args),
  ]);

/** Whether a claim may get items now, or has to report suspects. */
export const hasWork = (tx: Transaction, filter: WorkFilter): boolean => {
  const { jobs, lanes, kinds } = askedOf(tx, filter);
  const asked = askedWith(filter, jobs, lanes);
  const clients = tx.list("clientsWithWork");
  tx.need(...clients.map(({ name }) => want("readyShares", name, 1, tx.now, ...asked)));
  const isReady = clients.some(({ name }) =>
    tx.list("readyShares", name, 1, tx.now, ...asked).some(({ readyAt }) => readyAt! <= tx.now),
  );
  const isProbe = (tx.one("nextProbe", asked[0])?.probeAt ?? Infinity) <= tx.now;
  return isReady || isProbe || waitingSuspects(tx, { jobs, kinds, lanes }).count > 0;
};

export const workWants = ({ jobs, lanes }: WorkFilter): Want[] => [
  want("clientsWithWork"),
  want("suspects"),
  ...(jobs ?? []).map((id) => want("jobNamed", id)),
  ...(lanes ?? []).map((name) => want("laneNamed", name)),
];

const askedOf = (tx: Transaction, { jobs, lanes, kinds }: WorkFilter) => ({
  jobs: jobs && new Set(jobs.flatMap((id) => tx.one("jobNamed", id)?.number ?? [])),
  lanes: lanes?.flatMap((name) => tx.one("laneNamed", name)?.id ?? []),
  kinds: kinds ? kindBits(kinds) : null,
});

/** `upkeep`: workers have stopped responding, or probes are due. This is done first, in its own transaction. */
export const claim = (tx: Transaction, request: ClaimRequest, leaseMs: number): Grant | "upkeep" => {
  const known = tx.one("worker", request.worker);
  const repeated = known && isKnown(known) && repeatedClaim(tx, known, request.number, tx.now + leaseMs);
  if (repeated) return repeated;
  const isSilent = tx.list("silentWorkers", tx.now).some(({ name }) => name !== request.worker);
  if (isSilent || tx.list("dueProbes", tx.now).length > 0) return "upkeep";
  if (!isKnown(known) && [...request.inFlight.values()].some((count) => count > 0))
    return { ...NOTHING, againInMs: CROWDED_AGAIN_MS };
  let worker = claimingWorker(tx, known, request, tx.now + leaseMs);
  worker = setInFlight(worker, request.inFlight);
  if (request.running) worker = setRunning(worker, request.running);
  if (worker.info?.isDraining) {
    tx.put("worker", worker);
    return NOTHING;
  }
  const { jobs, lanes, kinds } = askedOf(tx, request);
  const visit = visitOf(tx, request, worker, jobs, lanes, kinds);
  const planned = new PlannedStock();
  visit(tx.fork(), planned);
  return finish(tx, visit(tx, planned.load(tx)), worker, lanes);
};

/** One pass through the lanes: first items are only counted, then the loaded ones are taken. */
const visitOf = (
  tx: Transaction,
  request: ClaimRequest,
  worker: Worker,
  jobs: ReadonlySet<number> | undefined,
  lanes: readonly number[] | undefined,
  kinds: number | null,
): ((tx: Transaction, stock: ItemStock) => ClaimTally) => {
  const clients = tx.list("clientsWithWork");
  const others = tx.list("peers").filter(({ name }) => name !== worker.name);
  const own: Peer = {
    ...worker,
    isDraining: false,
    lanes: request.lanes ?? null,
    kinds: request.kinds ?? null,
  };
  const peers = [...others, own];
  const asked = askedWith(request, jobs, lanes);
  const names = clients.map(({ name }) => name);
  const readyArgs = request.alone ? [] : readyArgsOf(request, names, tx.now, asked);
  tx.need(want("nextProbe", asked[0]), ...readyWants(readyArgs));
  return (on, stock) => {
    const tally: ClaimTally = {
      request,
      stock,
      jobs,
      kinds,
      peers,
      clients: new Map(
        request.alone ? [] : clientTurns(on, clients, peers, request).map((turn) => [turn.client, turn]),
      ),
      readyArgs,
      queuesOf: queuesBy(on, readyArgs),
      items: [],
      count: 0,
      slots: [],
      unpaced: [],
      firstLease: worker.nextLease,
      leases: [],
      isCrowded: false,
      hasPassed: false,
    };
    if (request.alone) claimSuspect(on, tally);
    else visitLanes(on, tally);
    return tally;
  };
};

const queuesBy = (tx: Transaction, loads: readonly ReadyArgs[]): ClaimTally["queuesOf"] => {
  const queues = loads.flatMap((args) => tx.list("readyQueues", ...args));
  const ids = Map.groupBy(
    new Map(queues.map((queue) => [queue.id, queue])).values(),
    (queue) => `${queue.lane} ${queue.client}`,
  );
  return (lane, client) => (ids.get(`${lane} ${client}`) ?? []).map((queue) => tx.known("queue", queue.id)!);
};

/**
 * Items may take long, for example if their sites do not respond. However many items a client has, a part of the worker stays
 * free for other clients. A worker that can run fewer than five items keeps none free.
 */
const placesLeft = (free: number, own: number): number =>
  Math.max(0, Math.ceil((MOST_TO_ONE * free - own) / (MOST_TO_ONE + 1)));

const clientTurns = (
  tx: Transaction,
  clients: readonly Client[],
  peers: readonly Peer[],
  { worker, room, running }: ClaimRequest,
): ClientTurn[] => {
  const own = peers.find(({ name }) => name === worker)?.runningBy ?? {};
  const isShared = running !== undefined && tx.list("firstClients").length > 1;
  const rows = clients.map((client) => {
    const share = tx.one("share", ALL_WORKERS, client.name) ?? newShare(ALL_WORKERS, client.name);
    const taken = peers.reduce((sum, { runningBy }) => sum + (runningBy[client.name] ?? 0), 0);
    return {
      client: client.name,
      weight: client.weight,
      had: share.had,
      share,
      given: 0,
      quota: 0,
      places: isShared ? placesLeft(room, own[client.name] ?? 0) : Infinity,
      room: client.maxRunning === null ? Infinity : client.maxRunning - taken,
    };
  });
  return levelTurns(rows, tx.one("lane", ALL_WORKERS)!.floor);
};

/**
 * Clients take turns over all lanes, by what they have received for their weight. The lanes of a client come in the order in
 * which they became ready. So a client with thousands of lanes gets no more of the workers than a client with a single lane.
 */
const visitLanes = (tx: Transaction, tally: ClaimTally): void => {
  let live = tally.readyArgs.map((args) => ({
    turn: tally.clients.get(args[0])!,
    lanes: lanesOf(tx, tally, args),
  }));
  while (live.length > 0) {
    const room = tally.request.room - tally.count;
    if (room <= 0) return;
    const first = live.reduce((a, b) => (b.turn.had < a.turn.had ? b : a));
    const hasRoom = first.turn.room > 0 && first.turn.places > 0;
    if (!hasRoom) tally.isCrowded = true;
    const next = hasRoom ? first.lanes.next() : undefined;
    if (!next || next.done) {
      live = live.filter((other) => other !== first);
      continue;
    }
    const total = live.reduce((sum, one) => sum + one.turn.weight, 0);
    for (const { turn } of live) turn.quota = Math.min(turn.places, Math.ceil((room * turn.weight) / total));
    serveLane(tx, tally, next.value);
  }
};

/** Starts again from the first lane as long as lanes give items: a lane that was visited for a part of its room may have more. */
function* lanesOf(tx: Transaction, { clients }: ClaimTally, args: ReadyArgs): Generator<Lane, undefined> {
  const [client] = args;
  const turn = clients.get(client)!;
  for (let before = -1; before < turn.given;) {
    before = turn.given;
    const ready = tx
      .list("readyShares", ...args)
      .filter(({ readyAt }) => readyAt !== null && readyAt <= tx.now)
      .toSorted((a, b) => a.readyAt! - b.readyAt! || a.lane - b.lane);
    for (const { lane } of ready) yield tx.known("lane", lane)!;
  }
}

const finish = (
  tx: Transaction,
  tally: ClaimTally,
  worker: Worker,
  lanes: readonly number[] | undefined,
): Grant => {
  const { request, items, isCrowded, hasPassed } = tally;
  const turns = [...tally.clients.values()];
  if (turns.some(({ given }) => given > 0)) {
    for (const { share, had, given } of turns) if (given > 0) tx.patch("share", share, { had });
    tx.patch("lane", tx.one("lane", ALL_WORKERS)!, { floor: hindmost(turns) });
  }
  const suspects = waitingSuspects(tx, { ...tally, lanes });
  const next = request.alone ? suspects.nextAt : isCrowded ? 0 : nextReadyAt(tx, tally);
  const isMoving = !request.alone && (hasPassed || (!isCrowded && items.length > 0));
  const soonest = isMoving ? tx.now : tx.now + (isCrowded ? CROWDED_AGAIN_MS : PASSED_BY_AGAIN_MS);
  const laneIds = new Set(tally.leases.map(({ queue }) => queue.lane));
  const tiers = knownTiers(
    laneIds.values().map((id) => tx.known("lane", id)!),
    tx.now,
  );
  const grant = {
    slots: tally.slots,
    unpaced: tally.unpaced,
    suspects: suspects.count,
    ...pacesAddresses(tx),
    ...(next !== undefined && { againInMs: Math.max(soonest, next) - tx.now }),
    ...(isCrowded && { isCrowded: true }),
    ...(tiers.length > 0 && { tiers }),
  };
  const { number } = request;
  const leases = tally.leases.map(({ id }) => id);
  const lastClaim = number === undefined ? null : { number, at: tx.now, leases, grant };
  tx.put("worker", { ...withLeases(worker, tally), lastClaim });
  return { ...grant, items };
};

const withLeases = (worker: Worker, { leases: runs }: ClaimTally): Worker => {
  const add = (counts: Readonly<Record<string, number>>, nameOf: (run: TakenRun) => string | number) => {
    const sums = { ...counts };
    for (const run of runs) sums[nameOf(run)] = (sums[nameOf(run)] ?? 0) + run.count;
    return sums;
  };
  return {
    ...worker,
    leases: [...worker.leases, ...runs.map(leaseOf)],
    nextLease: worker.nextLease + runs.length,
    inFlight: add(worker.inFlight, ({ lane }) => lane),
    runningIn: add(worker.runningIn, ({ queue }) => queue.id),
    runningBy: add(worker.runningBy, ({ queue }) => queue.client),
  };
};

const waitingSuspects = (
  tx: Transaction,
  asked: { readonly lanes: readonly number[] | undefined; readonly request?: ClaimRequest } & Pick<
    ClaimTally,
    "jobs" | "kinds"
  > &
    Partial<Pick<ClaimTally, "items">>,
): { readonly count: number; readonly nextAt: number | undefined } => {
  const { jobs, lanes, kinds, request, items = [] } = asked;
  const groups = tx
    .list("suspects")
    .filter(
      (group) =>
        (!jobs || jobs.has(group.job)) &&
        (!lanes || lanes.includes(group.lane)) &&
        takesAll(kinds, group.kinds),
    );
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return {
    count: count - (request?.alone ? items.length : 0),
    nextAt: count === 0 ? undefined : Math.min(...groups.map(({ dueAt }) => dueAt)),
  };
};

/** When a lane, or a probe, will next be ready for the jobs that were asked for. */
const nextReadyAt = (tx: Transaction, { jobs, readyArgs }: ClaimTally): number | undefined => {
  const times = readyArgs
    .flatMap((args) => tx.list("readyShares", ...args))
    .flatMap(({ readyAt }) => readyAt ?? []);
  const probe = tx.one("nextProbe", jobs ? JSON.stringify([...jobs]) : null)?.probeAt;
  if (probe != null) times.push(probe);
  return times.length === 0 ? undefined : Math.min(...times);
};
