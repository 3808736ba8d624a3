export interface RequestRoom {
  /** Requests that may be made at once after this one. */
  readonly left: number;
  /** Before the next one where none is left, before all are there again where some are. */
  readonly resetSeconds: number;
  /** This one comes too early. */
  readonly isOver: boolean;
}

/** Requests a minute for each key, as a bucket that fills evenly. Each controller counts for itself. */
export class RequestLimiter {
  readonly #buckets = new Map<string, { level: number; at: number }>();

  take(key: string, perMinute: number, nowMs: number): RequestRoom {
    const bucket = this.#buckets.get(key) ?? { level: perMinute, at: nowMs };
    this.#buckets.set(key, bucket);
    const perMs = perMinute / 60_000;
    bucket.level = Math.min(perMinute, bucket.level + Math.max(0, nowMs - bucket.at) * perMs);
    bucket.at = nowMs;
    const secondsTo = (level: number) => Math.max(1, Math.ceil((level - bucket.level) / perMs / 1000));
    if (bucket.level < 1) return { left: 0, resetSeconds: secondsTo(1), isOver: true };
    bucket.level -= 1;
    const left = Math.floor(bucket.level);
    return { left, resetSeconds: secondsTo(left === 0 ? 1 : perMinute), isOver: false };
  }
}
