/** Requests a minute for each key, as a bucket that fills evenly. Each controller counts for itself. */
export class RequestLimiter {
  readonly #buckets = new Map<string, { level: number; at: number }>();

  /** Seconds to wait before the next one; 0 when this one may go on. */
  take(key: string, perMinute: number, nowMs: number): number {
    const bucket = this.#buckets.get(key) ?? { level: perMinute, at: nowMs };
    this.#buckets.set(key, bucket);
    const perMs = perMinute / 60_000;
    bucket.level = Math.min(perMinute, bucket.level + Math.max(0, nowMs - bucket.at) * perMs);
    bucket.at = nowMs;
    if (bucket.level < 1) return Math.max(1, Math.ceil((1 - bucket.level) / perMs / 1000));
    bucket.level -= 1;
    return 0;
  }
}
