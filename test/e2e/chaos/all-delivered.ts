import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { pages, type SluiceClient } from "../../../src/client.ts";

const LOOK_MS = 500;
/** Longer than a duty stands still, and a delivery is hidden, after the death of who had it. */
const PATIENCE_MS = 180_000;

/** Ids of all deliveries of the job, when all have arrived, the job's end among them. */
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
