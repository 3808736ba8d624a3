import assert from "node:assert/strict";
import type { Pace } from "../../domain/job-version.ts";
import type { SimWorker } from "./sim-worker.ts";
import type { Kit } from "./test-kit.ts";

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
    kit.pass(100);
  }
  return served;
};

export const countOf = (served: readonly string[], job: string): number =>
  served.filter((one) => one === job).length;
