import { setTimeout as delay } from "node:timers/promises";

/** Resolves after a while, or as soon as it is stopped. Handed in, so that a day can pass in a test. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const wait: Wait = async (ms, signal) => {
  await delay(ms, undefined, { signal }).catch(() => undefined);
};
