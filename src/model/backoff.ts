import type { OptionNames } from "./known-options.ts";

export interface Backoff {
  /** The longest wait before the second try. */
  readonly firstMs: number;
  /** How much longer each further wait may be. */
  readonly factor: number;
  /** No wait is longer than this. */
  readonly maxMs: number;
}

export const BACKOFF_OPTIONS: OptionNames<Backoff> = { firstMs: true, factor: true, maxMs: true };

/** Longest wait after the given 1-based attempt: `firstMs`, then `factor` times as long each time, up to `maxMs`. */
export function backoffMs(backoff: Backoff, attempt: number): number {
  // Bounded, because 0 × Infinity is not a number.
  const growth = Math.min(backoff.factor ** (attempt - 1), Number.MAX_VALUE);
  return Math.min(backoff.firstMs * growth, backoff.maxMs);
}

/** Full jitter: anywhere from nothing up to the backoff, in whole milliseconds. `random` lies in [0, 1). */
export const jitteredMs = (backoff: Backoff, attempt: number, random: number): number =>
  Math.floor(random * backoffMs(backoff, attempt));
