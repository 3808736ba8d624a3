import assert from "node:assert/strict";
import type { Pace } from "../../domain/job-version.ts";
import type { SlotGrant } from "../ledger.ts";
import type { SimWorker } from "./sim-worker.ts";
import type { Kit } from "./test-kit.ts";

/** Records every slot that a worker got or returned, on the ledger's clock. */
export class SlotWatch {
  readonly #now: () => number;
  readonly #heldUntil = new Map<string, number>();
  readonly #starts = new Map<string, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  granted(slots: readonly SlotGrant[]): void {
    const now = this.#now();
    for (const { lane, delaysMs } of slots)
      for (const delay of delaysMs) {
        assert.ok(delay >= 0, `a slot ${-delay} ms ago`);
        assert.ok(now + delay >= (this.#heldUntil.get(lane) ?? 0), "a slot while the lane is held");
        this.#starts.set(lane, [...(this.#starts.get(lane) ?? []), now + delay]);
      }
  }

  /** Removes the worker's last slot, as a pulse returns it. */
  giveBack(worker: SimWorker): { lane: string; delaysMs: number[] }[] {
    const slot = worker.slots.findLast(({ at }) => at > this.#now());
    if (!slot) return [];
    worker.slots.splice(worker.slots.indexOf(slot), 1);
    const starts = this.#starts.get(slot.lane)!;
    starts.splice(starts.indexOf(slot.at), 1);
    return [{ lane: slot.lane, delaysMs: [slot.at - this.#now()] }];
  }

  hold(lane: string, forMs: number): void {
    this.#heldUntil.set(lane, Math.max(this.#heldUntil.get(lane) ?? 0, this.#now() + forMs));
  }

  keepPace(pace: Pace): void {
    for (const starts of this.#starts.values()) keepsPace(starts, pace);
  }
}

const WINDOWS_MS = [100, 333, 1000, 2500, 10_000];

/** The most starts that any half-open window of this length sees. */
const mostIn = (times: readonly number[], windowMs: number): number => {
  let most = 0;
  let from = 0;
  for (let to = 0; to < times.length; to++) {
    while (times[to]! - times[from]! >= windowMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
};

/**
 * Law 3: no window sees more than rate × W + burst. In a window that is not a whole number of intervals, the last interval counts as a whole one (see
 * `slots.ts`).
 */
export const keepsPace = (
  starts: readonly number[],
  { perSecond, burst }: Pick<Pace, "perSecond" | "burst">,
): void => {
  const times = starts.toSorted((a, b) => a - b);
  for (const windowMs of WINDOWS_MS) {
    const most = mostIn(times, windowMs);
    const allowed = Math.ceil((perSecond * windowMs) / 1000 - 1e-9) + burst;
    assert.ok(
      most <= allowed,
      `${most} starts in ${windowMs} ms, ${allowed} allowed (${perSecond}/s, burst ${burst})`,
    );
  }
};

export const TEN: Pace = { perSecond: 10, burst: 1, concurrency: 1000 };
/** Slots of one booking window at ten a second. */
export const WINDOW = 11;

/** The jobs whose items got the next `count` slots of the one lane, slot by slot. */
export const serveSlots = async (kit: Kit, worker: SimWorker, count: number): Promise<string[]> => {
  const served: string[] = [];
  for (let turn = 0; served.length < count; turn++) {
    assert.ok(turn < count * 3, "the lane stands still");
    const items = await worker.take(count - served.length);
    served.push(...items.map(({ job }) => job));
    await worker.settle(items);
    await worker.pulse();
    kit.pass(100 * kit.slotsPerTurn);
  }
  return served;
};

export const countOf = (served: readonly string[], job: string): number =>
  served.filter((one) => one === job).length;
