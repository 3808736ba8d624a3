import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { pages, type SluiceClient } from "../../../src/client.ts";

const LOOK_MS = 500;
/** Longer than a task or a delivery stays with a process that died. */
const PATIENCE_MS = 180_000;

/** Ids of all deliveries of the job, once all have arrived, including the job's end. */
export const allDelivered = async (
  client: SluiceClient,
  job: string,
  signal: AbortSignal,
): Promise<string[]> => {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const deliveries = await Array.fromAsync(pages((page) => client.listDeliveries({ ...page, job }), 200));
    const open = deliveries.filter(({ state }) => state !== "delivered");
    if (open.length === 0 && deliveries.some(({ type }) => type === "job.completed"))
      return deliveries.map(({ id }) => id);
    assert.ok(performance.now() < endsAt, `not delivered: ${JSON.stringify(open)}`);
    await delay(LOOK_MS, undefined, { signal });
  }
};
