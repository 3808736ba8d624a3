/** What workers measure: the ledger's claim and settle, and how long a request waits for its lane. */
const TIMED = ["claim", "settle", "lane-wait"] as const;
export type Timed = (typeof TIMED)[number];

/** In seconds: how long it took is counted by the first of these that it does not exceed. */
const TIME_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type WorkSum =
  | `${Timed} within ${number | "Infinity"}`
  | `${Timed} seconds`
  | "refused settles"
  | "own troubles"
  | "lost workers"
  | "lost leases"
  | "suspect items"
  | `proxy ${"requests" | "bytes" | "micro-cost"} of ${string}`
  | `${"http" | "browser"} ${"items" | "item seconds" | "item requests" | "cpu seconds"}`
  | `storage ${"write" | "read" | "list" | "delete"} ${"requests" | "bytes"}`
  | `removed ${"jobs" | "items" | "captures" | "bytes"}`;

/** Sums by name, without zeros. They only grow. */
export type WorkSums = Readonly<Partial<Record<WorkSum, number>>>;

/** Beyond the last bound, `Infinity`. */
export const boundOf = (seconds: number): number => TIME_BOUNDS.find((bound) => seconds <= bound) ?? Infinity;

interface TimeCounts {
  /** How many took this long or less, by bound. */
  readonly within: ReadonlyMap<number, number>;
  readonly count: number;
  readonly seconds: number;
}

/** Sums of a version with other bounds count for the next higher bound. */
export const timeCounts = (sums: WorkSums, what: Timed): TimeCounts => {
  const prefix = `${what} within `;
  const told = Object.entries(sums)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, count = 0]) => ({ bound: Number(name.slice(prefix.length)), count }));
  const upTo = (bound: number): number =>
    told.reduce((sum, one) => sum + (one.bound <= bound ? one.count : 0), 0);
  return {
    within: new Map(TIME_BOUNDS.map((bound) => [bound, upTo(bound)])),
    count: upTo(Infinity),
    seconds: sums[`${what} seconds`] ?? 0,
  };
};
