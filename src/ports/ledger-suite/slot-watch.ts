import assert from "node:assert/strict";
import type { Pace } from "../../domain/job-version.ts";
import type { SlotGrant } from "../ledger.ts";
import type { SimWorker } from "./sim-worker.ts";
import { keepsPace } from "./slot-windows.ts";

/** Sees every slot that any worker was given, and what was given back, on the ledger's clock. */
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

  /** Takes the worker's last slot out, as it is told in a pulse. */
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
