import {
  effectiveConcurrency,
  effectivePerSecond,
  FULL_SPEED,
  type LaneSpeed,
} from "../domain/lane-speed.ts";
import {
  bookOwnSlots,
  bookSlots,
  defaultBurst,
  lateToleranceMs,
  type OwnPace,
  type SharedPace,
  type SlotBook,
} from "../domain/slots.ts";
import type { SlotGrant } from "../ports/ledger.ts";
import { EVERY_ADDRESS } from "../domain/lane-name.ts";
import type { Transaction } from "./transaction.ts";
import type { Lane, Queue } from "./records.ts";

const newLane = (id: number, name: string): Lane => ({
  id,
  name,
  tat: 0,
  intervalMs: 0,
  spare: [],
  ahead: [],
  speed: null,
  holdUntil: 0,
  holdReason: null,
  crawlDelayMs: null,
  crawlUntil: 0,
  operatorPerSecond: null,
  isHeldByOperator: false,
  freshRun: 0,
  floor: 0,
  ways: {},
  tiers: {},
  spent: {},
  used: 0,
  usedAt: 0,
  lowestPerSecond: null,
  goingQueues: 0,
});

/** The current lane; created if it does not exist. */
export const laneNamed = (tx: Transaction, name: string): Lane => {
  const loaded = tx.one("laneNamed", name);
  if (loaded) return tx.known("lane", loaded.id)!;
  const made = tx.added("lane", (lane) => lane.name === name);
  if (made) return made;
  const service = tx.one("service")!;
  const lane = newLane(service.lastLane + 1, name);
  tx.patch("service", service, { lastLane: lane.id });
  tx.put("lane", lane);
  return lane;
};

export const speedOf = ({ speed }: Pick<Lane, "speed">): LaneSpeed => speed ?? FULL_SPEED;

export const slotBookOf = ({ tat, intervalMs, spare, ahead }: Lane): SlotBook => ({
  tat,
  intervalMs,
  spare,
  ahead,
});

/** No request starts in the lane before this time; Infinity until the operator releases it. */
export const heldUntil = ({
  isHeldByOperator,
  holdUntil,
}: Pick<Lane, "isHeldByOperator" | "holdUntil">): number => (isHeldByOperator ? Infinity : holdUntil);

/** The inputs of a lane's rate. */
type LaneLimits = Pick<
  Lane,
  "id" | "lowestPerSecond" | "goingQueues" | "operatorPerSecond" | "crawlDelayMs" | "crawlUntil" | "speed"
>;

/**
 * A lane's rate is the lowest rate that the scrapers of its active queues, the operator and robots.txt allow, multiplied by the
 * learned factor. A job's own lower pace is not included: it applies only to that job. A host that is in no job's inputs has no
 * rate of its own: it gets the rate of the queue that asks. 0 means no rate: requests start at once.
 */
export const laneIntervalMs = (lane: LaneLimits, now: number, asking?: Queue): number => {
  const isOfAsking = asking !== undefined && (asking.lane === lane.id || lane.goingQueues === 0);
  const perSecond = Math.min(
    lane.lowestPerSecond ?? Infinity,
    isOfAsking ? (asking.perSecond ?? Infinity) : Infinity,
    lane.operatorPerSecond ?? Infinity,
    lane.crawlDelayMs && lane.crawlUntil > now ? 1000 / lane.crawlDelayMs : Infinity,
  );
  return perSecond === Infinity ? 0 : 1000 / effectivePerSecond(perSecond, speedOf(lane).factor);
};

/** While a site may be breaking, at most this many items run at the same time: items in flight when the breaker trips are wasted. */
const IN_DOUBT = 2;

/** Number of items that the queue's job allows in the lane at the same time, over all workers and jobs. */
export const placesFor = (lane: Lane, queue: Queue): number => {
  const pace = { perSecond: queue.perSecond ?? Infinity, concurrency: queue.concurrency };
  const most = effectiveConcurrency(pace, speedOf(lane).factor);
  return queue.isDoubtful ? Math.min(most, IN_DOUBT) : most;
};

/** The rate that an operator allows for one machine, whatever the host names. */
interface AddressPace extends SharedPace {
  readonly lane: Lane;
}

/** Requests per second that an operator allows for each address; null if not set, which is the default. */
const perAddress = (tx: Transaction): number | null =>
  tx.one("laneNamed", EVERY_ADDRESS)?.operatorPerSecond ?? null;

/** For workers: whether requests also need a slot of the address that they go to. */
export const pacesAddresses = (tx: Transaction): { readonly pacesAddresses?: true } =>
  perAddress(tx) === null ? {} : { pacesAddresses: true };

/** The limit of one address, if there is one. An operator can set a separate limit for one address, and hold it. */
export const addressPace = (tx: Transaction, name: string | undefined): AddressPace | undefined => {
  const every = name === undefined ? null : perAddress(tx);
  if (name === undefined || every === null) return undefined;
  const lane = laneNamed(tx, name);
  const perSecond = lane.operatorPerSecond ?? every;
  return { lane, times: lane.ahead, intervalMs: 1000 / perSecond, burst: defaultBurst(perSecond) };
};

/** Slots of a lane for one queue. `save` writes them. */
interface PlannedSlots {
  readonly grant: SlotGrant;
  /** For a queue with its own pace: how long it must wait for its next slot. */
  readonly ownWaitMs: number;
  /** Its address has no more room. */
  readonly isAddressFull: boolean;
  save(): void;
}

/** `laneMs`: the lane's interval; 0 only for a queue with its own pace, or if the address has one. */
export const planSlots = (
  tx: Transaction,
  lane: Lane,
  queue: Queue,
  laneMs: number,
  count: number,
  address?: AddressPace,
): PlannedSlots => {
  const { now } = tx;
  const { burst } = queue;
  const holdUntilMs = Math.max(heldUntil(lane), address ? heldUntil(address.lane) : 0);
  const request = { nowMs: now, count, intervalMs: laneMs, burst, holdUntilMs };
  const grantOf = (slots: readonly number[], lateMs: number): SlotGrant => ({
    lane: lane.name,
    queue: queue.id,
    delaysMs: slots.map((at) => at - now),
    lateMs,
  });
  const own = ownPace(lane, queue);
  if (!own && !address) {
    const planned = bookSlots(slotBookOf(lane), request);
    return {
      grant: grantOf(planned.slots, lateToleranceMs(laneMs, burst)),
      ownWaitMs: 0,
      isAddressFull: false,
      save: () => void tx.patch("lane", lane, planned.book),
    };
  }
  const planned = bookOwnSlots(slotBookOf(lane), { own, shared: address }, request);
  const ownLateMs = own && laneMs === 0 ? lateToleranceMs(own.intervalMs, own.burst) : Infinity;
  const addressLateMs = address ? lateToleranceMs(address.intervalMs, address.burst) : Infinity;
  const lateMs = Math.min(lateToleranceMs(laneMs, burst), ownLateMs, addressLateMs);
  return {
    grant: {
      ...grantOf(planned.slots, lateMs),
      ...(own && { isOwn: true }),
      ...(address && { address: address.lane.name }),
    },
    ownWaitMs: planned.againAtMs - now,
    isAddressFull: planned.isFull,
    save() {
      if (laneMs > 0) tx.patch("lane", lane, planned.book);
      if (address) {
        const tat = Math.max(address.lane.tat, planned.times.at(-1) ?? 0);
        tx.patch("lane", address.lane, { tat, ahead: planned.times });
      }
      if (!own) return;
      tx.patch("queue", queue, {
        ownSlots: { ...queue.ownSlots, [lane.id]: planned.tat },
        // A wait for the address does not delay the queue's other hosts.
        ...(lane.id === queue.lane && !address && { ownNextAt: planned.againAtMs }),
      });
    },
  };
};

/** The pace that a job has asked for, if it is lower than its scraper's. The learned factor slows it down like the lane. */
const ownPace = (lane: Lane, { ownPerSecond, ownSlots, burst }: Queue): OwnPace | undefined =>
  ownPerSecond === null
    ? undefined
    : {
        tat: ownSlots[lane.id] ?? 0,
        intervalMs: 1000 / effectivePerSecond(ownPerSecond, speedOf(lane).factor),
        burst: Math.min(burst, defaultBurst(ownPerSecond)),
      };
