/** While more than `limit` requests arrived within `windowMs`, the site answers no request. */
export interface Patience {
  readonly limit: number;
  readonly windowMs: number;
}

export interface FloodGate {
  /** Counts a request and returns whether the site is too busy for it. Unanswered requests count too. */
  isFlooded(nowMs: number): boolean;
}

export function floodGate({ limit, windowMs }: Patience): FloodGate {
  // A ring of the latest arrivals: it is flooded when the one `limit` requests ago is still within the window.
  const arrivals = new Float64Array(limit).fill(-Infinity);
  let at = 0;
  return {
    isFlooded(nowMs) {
      const before = arrivals[at]!;
      arrivals[at] = nowMs;
      at = (at + 1) % limit;
      return nowMs - before < windowMs;
    },
  };
}
