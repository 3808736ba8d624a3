import type { CollectorKind } from "./job-version.ts";
import type { WorkSums } from "./work-sums.ts";

/** Workers are of two sorts: a browser takes much more memory and CPU than requests do. */
export const SCALE_KINDS = ["http", "browser"] as const;
export type ScaleKind = (typeof SCALE_KINDS)[number];

/** What a job with scrapers of these kinds needs: a browser where one of them may use it. */
export const scaleKindOf = (kinds: Iterable<CollectorKind>): ScaleKind => {
  for (const kind of kinds) if (kind !== "http") return "browser";
  return "http";
};

/** Open lanes that are alike. An item counts where it can run now, or runs. */
export interface LaneBacklog {
  readonly kind: ScaleKind;
  /** Requests a second that each may get; Infinity without a rate. */
  readonly perSecond: number;
  /** Items that may run in each at the same time. */
  readonly places: number;
  /** Items in each of them; more than `places` makes no difference. */
  readonly ready: number;
  readonly lanes: number;
  /** In all of them together. */
  readonly items: number;
}

/** A claiming worker, as far as it is known. */
export interface RunningWorker {
  readonly kinds: readonly ScaleKind[];
  /** Items at once, by kind. */
  readonly capacity: Readonly<Partial<Record<ScaleKind, number>>>;
  readonly cores?: number;
  readonly memoryMb?: number;
}

/** The cost of one item. */
export interface ItemCost {
  readonly seconds: number;
  readonly requests: number;
  readonly cpuSeconds: number;
  readonly memoryMb: number;
}
export type ItemCosts = Readonly<Record<ScaleKind, ItemCost>>;

export interface KindScale {
  /** Useful workers that take only this kind. */
  readonly workers: number;
  readonly lanes: number;
  /** Items that run at the same time if there are enough workers. */
  readonly busy: number;
  readonly items: number;
}

export interface Scale {
  /** Useful workers if each takes every kind. */
  readonly workers: number;
  readonly kinds: Readonly<Record<ScaleKind, KindScale>>;
}

interface ScaleInput {
  readonly lanes: readonly LaneBacklog[];
  readonly workers: readonly RunningWorker[];
  readonly costs: ItemCosts;
  /** Until a new worker takes its first item. */
  readonly startSeconds: number;
}

/** The share of its capacity and cores that a worker should use: the rest is for new lanes. */
const USED = 0.7;
/** A worker that has not registered yet. */
const USUAL: Readonly<
  Record<ScaleKind, Required<Omit<RunningWorker, "kinds" | "capacity">> & { capacity: number }>
> = {
  http: { capacity: 200, cores: 1, memoryMb: 1024 },
  browser: { capacity: 4, cores: 2, memoryMb: 4096 },
};
/** A worker's requests are handled by one thread; only browsers use more. */
const MOST_CORES: Readonly<Record<ScaleKind, number>> = { http: 1, browser: Infinity };
/** Before anything was measured. */
const USUAL_COSTS: ItemCosts = {
  http: { seconds: 1, requests: 1, cpuSeconds: 0.005, memoryMb: 2 },
  browser: { seconds: 10, requests: 1, cpuSeconds: 1, memoryMb: 300 },
};
/** Fewer measured items than this say little. */
const FEW_ITEMS = 20;

/**
 * The useful number of workers. A lane runs as many items at once as its places, its items and its rate allow. More workers than these items need
 * would idle. None is useful if no item can run and none runs.
 */
export const scale = (input: ScaleInput): Scale => {
  const loads = SCALE_KINDS.map((kind) => ({ kind, ...loadOf(kind, input) }));
  const total = loads.reduce((sum, { load }) => sum + load, 0);
  return {
    workers: wholeWorkers(total),
    kinds: Object.fromEntries(
      loads.map(({ kind, load, ...rest }) => [kind, { workers: wholeWorkers(load), ...rest }]),
    ) as Record<ScaleKind, KindScale>,
  };
};

/** Sums of fractions are not exact. */
const wholeWorkers = (load: number): number => (load === 0 ? 0 : Math.max(1, Math.ceil(load - 1e-9)));

/** In workers, and the figures that it comes from. */
const loadOf = (
  kind: ScaleKind,
  { lanes, workers, costs, startSeconds }: ScaleInput,
): Omit<KindScale, "workers"> & { readonly load: number } => {
  const own = lanes.filter((lane) => lane.kind === kind && lane.items > 0);
  const cost = costs[kind];
  const busy = own.reduce((sum, lane) => sum + lane.lanes * busyIn(lane, cost), 0);
  const items = own.reduce((sum, lane) => sum + lane.items, 0);
  const figures = { lanes: own.reduce((sum, lane) => sum + lane.lanes, 0), busy: Math.ceil(busy), items };
  if (items === 0) return { load: 0, ...figures };
  const running = workers.filter(({ kinds }) => kinds.includes(kind));
  const one = usualWorker(kind, running);
  const places = Math.max(1, one.capacity * USED);
  const needed = Math.max(
    busy / places,
    ((busy / cost.seconds) * cost.cpuSeconds) / (one.cores * USED),
    (busy * cost.memoryMb) / one.memoryMb,
  );
  const useful = Math.min(needed, Math.ceil(busy));
  const itemSeconds = Math.max(cost.seconds / places, cost.cpuSeconds / (one.cores * USED));
  const secondsLeft = (items * itemSeconds) / running.length;
  const isSoonDone = running.length > 0 && secondsLeft <= startSeconds;
  return { load: isSoonDone ? Math.min(useful, running.length) : useful, ...figures };
};

/** Items of one lane that run at once. */
const busyIn = ({ perSecond, places, ready }: LaneBacklog, { requests, seconds }: ItemCost): number =>
  Math.min(places, ready, (perSecond / requests) * seconds);

/** The mean of those that run. */
const usualWorker = (kind: ScaleKind, running: readonly RunningWorker[]): (typeof USUAL)[ScaleKind] => {
  const usual = USUAL[kind];
  const mean = (valueOf: (worker: RunningWorker) => number | undefined, otherwise: number): number => {
    const values = running.flatMap((worker) => valueOf(worker) ?? []);
    return values.length === 0 ? otherwise : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return {
    capacity: mean(({ capacity }) => capacity[kind], usual.capacity),
    cores: Math.min(
      MOST_CORES[kind],
      mean(({ cores }) => cores, usual.cores),
    ),
    memoryMb: mean(({ memoryMb }) => memoryMb, usual.memoryMb),
  };
};

const WINDOW_MS = 600_000;

/** The cost of items in the last ten minutes: an installation's first week should not count as much as its last hour. */
export class RecentCosts {
  #samples: { readonly atMs: number; readonly sums: WorkSums }[] = [];

  /** `sums` as they are at `atMs`, which only rises. */
  add(sums: WorkSums, atMs: number): ItemCosts {
    const last = this.#samples.at(-1);
    if (!last || atMs - last.atMs >= WINDOW_MS / 10) this.#samples.push({ atMs, sums });
    while (this.#samples.length > 1 && atMs - this.#samples[1]!.atMs >= WINDOW_MS) this.#samples.shift();
    return itemCosts(sums, this.#samples[0]?.sums);
  }
}

/** The average cost of items since `before`, or overall if few have ended since then. */
export const itemCosts = (sums: WorkSums, before: WorkSums = {}): ItemCosts => {
  const costOf = (kind: ScaleKind): ItemCost => {
    const since = (
      what: "items" | "item seconds" | "item requests" | "cpu seconds",
      from: WorkSums,
    ): number => (sums[`${kind} ${what}`] ?? 0) - (from[`${kind} ${what}`] ?? 0);
    const usual = USUAL_COSTS[kind];
    const from = since("items", before) >= FEW_ITEMS ? before : {};
    const items = since("items", from);
    if (items < FEW_ITEMS) return usual;
    return {
      seconds: Math.max(0.001, since("item seconds", from) / items),
      requests: Math.max(0.01, since("item requests", from) / items),
      // The processes of a browser are not counted.
      cpuSeconds: kind === "browser" ? usual.cpuSeconds : since("cpu seconds", from) / items,
      memoryMb: usual.memoryMb,
    };
  };
  return { http: costOf("http"), browser: costOf("browser") };
};
