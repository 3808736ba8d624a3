export interface RequestRoom {
  /** Requests that may be made at once after this one. */
  readonly left: number;
  /** Before the next one where none is left, before all are there again where some are. */
  readonly resetSeconds: number;
  /** This one comes too early. */
  readonly isOver: boolean;
}

/** Names are given by unauthenticated too: when there are so many, those that have filled up again are forgotten. */
const MOST_BUCKETS = 10_000;

interface Bucket {
  level: number;
  at: number;
}

/** Requests a minute for each key or address, as a bucket that fills evenly. Each controller counts for itself. */
export class RequestLimiter {
  readonly #buckets = new Map<string, Bucket>();

  /** `cost`: of this one, in requests; with 0 it is only asked whether there is room. */
  take(key: string, perMinute: number, nowMs: number, cost = 1): RequestRoom {
    const bucket = this.#buckets.get(key) ?? { level: perMinute, at: nowMs };
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MOST_BUCKETS) this.#forget(nowMs);
    const perMs = perMinute / 60_000;
    bucket.level = Math.min(perMinute, bucket.level + Math.max(0, nowMs - bucket.at) * perMs);
    bucket.at = nowMs;
    const secondsTo = (level: number) => Math.max(1, Math.ceil((level - bucket.level) / perMs / 1000));
    if (bucket.level < 1) return { left: 0, resetSeconds: secondsTo(1), isOver: true };
    bucket.level -= cost;
    const left = Math.max(0, Math.floor(bucket.level));
    return { left, resetSeconds: secondsTo(left === 0 ? 1 : perMinute), isOver: false };
  }

  /** After a minute every bucket is full. */
  #forget(nowMs: number): void {
    for (const [key, { at }] of this.#buckets) if (nowMs - at >= 60_000) this.#buckets.delete(key);
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size <= MOST_BUCKETS) return;
      this.#buckets.delete(key);
    }
  }
}
