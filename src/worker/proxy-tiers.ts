import { randomBytes } from "node:crypto";
import {
  type Failure,
  FailureError,
  failurePolicy,
  type PolicyOverrides,
  StopError,
} from "../domain/failure.ts";
import type { Attempt } from "../domain/item.ts";
import {
  BOTTOM,
  chooseTier,
  climb,
  DIRECT,
  hasDearer,
  type LadderState,
  type TierSign,
} from "../domain/proxy-ladder.ts";
import type { ProxyRoute } from "../ports/collector.ts";
import type { ClaimedItem, TierReply, TierReport } from "../ports/ledger.ts";

/** The tiers that this process can use, from the configuration. */
export interface KnownTiers {
  /** By the scraper's name for it: `residential:us-tx`. */
  has(use: string): boolean;
  priceOf(use: string): TierPrice;
}

/** In the configured currency. */
export interface TierPrice {
  readonly perGB?: number | undefined;
  readonly perRequest?: number | undefined;
}

export const NO_TIERS: KnownTiers = { has: () => false, priceOf: () => ({}) };

interface ProxyTiersOptions {
  readonly worker: string;
  readonly known: KnownTiers;
  readonly onSign: (report: TierReport) => void;
  /** Monotonic. */
  readonly clock?: () => number;
}

/** After this many throttles of one item, the lane has slowed down several times. */
const SLOWED = 3;
/** Beyond this many lanes, the least recently used are dropped. */
const MOST_KEPT = 10_000;
const NO_PRICE: TierPrice = {};

/** The exits of this process's items: which tier each uses, and what all workers reported about the tiers. */
export class ProxyTiers {
  readonly #options: ProxyTiersOptions;
  readonly #states = new Map<string, LadderState>();
  /** Failures that the ledger has not answered yet. Its other answers may be from before it knew them. */
  #unheard: TierReport[] = [];
  /** The ledger's time of the newest answer about a ladder. */
  readonly #heardAt = new Map<string, number>();
  readonly #clock: () => number;
  /** How far the ledger's clock is ahead of this one. */
  #aheadMs = 0;
  /** Of each lane and tier, the session that its items share. */
  readonly #sessions = new Map<string, string>();

  constructor(options: ProxyTiersOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** The ledger knows these reports now. */
  acknowledge(reports: readonly TierReport[]): void {
    if (this.#unheard.length > 0) this.#unheard = this.#unheard.filter((one) => !reports.includes(one));
  }

  /** What all workers together know. Answers may arrive in another order than they were given. */
  hear({ lane, ladder, state, now }: TierReply): void {
    this.#aheadMs = now - this.#clock();
    const key = keyOf(lane, ladder);
    if (now < (this.#heardAt.get(key) ?? -Infinity)) return;
    remember(this.#heardAt, key, now);
    const known = this.#unheard
      .filter((one) => keyOf(one.lane, one.ladder) === key)
      .reduce((before, { sign }) => climb(before, sign, ladder, this.#options.worker, now), state);
    remember(this.#states, key, known);
  }

  /** The exit for one attempt of an item. `isSticky`: items of a lane share an exit. */
  take(
    item: Pick<ClaimedItem, "lane" | "queue" | "seq">,
    ladder: readonly string[],
    isSticky: boolean,
  ): ItemExit {
    const { worker, known } = this.#options;
    const chosen = chooseTier(this.#stateOf(item.lane, ladder), ladder, worker, this.#now());
    if ("why" in chosen) throw new StopError(chosen.why);
    const { at, isProbe } = chosen;
    // One item of this worker is enough.
    if (isProbe) this.#update(item.lane, ladder, { probe: null });
    const tier = ladder[at]!;
    const session = isSticky ? this.#sessionOf(item.lane, tier) : newSession();
    return new ItemExit({
      tiers: this,
      item,
      ladder,
      at,
      isProbe,
      ...(tier !== DIRECT && { route: { tier, session } }),
      price: known.has(tier) ? known.priceOf(tier) : NO_PRICE,
      isConfigured: tier === DIRECT || known.has(tier),
    });
  }

  /** The result of an item on its tier. */
  learn(lane: string, ladder: readonly string[], sign: TierSign): void {
    const before = this.#stateOf(lane, ladder);
    if (sign.result !== "good") this.#sessions.delete(`${lane} ${ladder[sign.at]}`);
    // Where nothing was learned, good items teach nothing.
    else if (before.at === 0 && before.blocked.length === 0 && Object.keys(before.outages).length === 0)
      return;
    const report: TierReport = { lane, ladder, sign };
    if (sign.result !== "good") this.#unheard.push(report);
    this.#options.onSign(report);
    const after = climb(before, sign, ladder, this.#options.worker, this.#now());
    // Which worker tries the cheaper tier is the ledger's choice.
    remember(this.#states, keyOf(lane, ladder), { ...after, probe: null });
  }

  hasDearer(lane: string, ladder: readonly string[], at: number): boolean {
    return hasDearer(this.#stateOf(lane, ladder), at, ladder, this.#now());
  }

  #update(lane: string, ladder: readonly string[], change: Partial<LadderState>): void {
    remember(this.#states, keyOf(lane, ladder), { ...this.#stateOf(lane, ladder), ...change });
  }

  #stateOf(lane: string, ladder: readonly string[]): LadderState {
    return this.#states.get(keyOf(lane, ladder)) ?? BOTTOM;
  }

  #sessionOf(lane: string, tier: string): string {
    const key = `${lane} ${tier}`;
    const session = this.#sessions.get(key) ?? newSession();
    remember(this.#sessions, key, session);
    return session;
  }

  /** Times in a state are the ledger's. */
  #now(): number {
    return this.#clock() + this.#aheadMs;
  }
}

interface ExitOptions {
  readonly tiers: ProxyTiers;
  readonly item: Pick<ClaimedItem, "lane" | "queue" | "seq">;
  readonly ladder: readonly string[];
  readonly at: number;
  readonly isProbe: boolean;
  readonly route?: ProxyRoute;
  readonly price: TierPrice;
  readonly isConfigured: boolean;
}

/** How the requests of one attempt leave, and what that costs. */
export class ItemExit {
  readonly #options: ExitOptions;

  constructor(options: ExitOptions) {
    this.#options = options;
  }

  /** Undefined without a proxy. */
  get route(): ProxyRoute | undefined {
    const { isConfigured, route, ladder, at } = this.#options;
    if (isConfigured) return route;
    const detail = `the tier ${ladder[at]} is not configured on this worker: add it to \`proxies\` in sluice.config.ts`;
    throw new FailureError({ kind: "proxy", detail });
  }

  /** Whether it goes through a proxy. */
  get isPaid(): boolean {
    return this.#options.route !== undefined;
  }

  /** What one request costs before its bytes. */
  get price(): TierPrice {
    return this.#options.price;
  }

  /** Whether the failure moves the lane to another tier, and so costs the item no attempt. */
  canMove(failure: Failure, overrides: PolicyOverrides | undefined): boolean {
    const { tiers, item, ladder, at } = this.#options;
    return failurePolicy(failure.kind, overrides).movesProxyTier && tiers.hasDearer(item.lane, ladder, at);
  }

  /** Reports only what concerns the exit: a site that is down, a missing page or a timeout does not. */
  report(failure: Failure | undefined, throttles: number, overrides: PolicyOverrides | undefined): void {
    const { tiers, item, ladder, at, isProbe } = this.#options;
    const result = resultOf(failure, throttles, overrides);
    if (result === undefined) return;
    tiers.learn(item.lane, ladder, {
      at,
      item: `${item.queue}/${item.seq}`,
      result,
      ...(result === "proxy" && { detail: failure!.detail.slice(0, 300) }),
      ...(isProbe && { isProbe }),
    });
  }

  /** For the attempt; nothing where it left directly. */
  costs(requests: number, bytes: number): Pick<Attempt, "proxied"> {
    const { route, price } = this.#options;
    if (!route) return {};
    return { proxied: [{ tier: route.tier, requests, bytes, microCost: microCost(price, requests, bytes) }] };
  }
}

/** In millionths. */
export const microCost = (
  { perGB = 0, perRequest = 0 }: TierPrice,
  requests: number,
  bytes: number,
): number => Math.round(perRequest * requests * 1e6 + (perGB * bytes) / 1e3);

const resultOf = (
  failure: Failure | undefined,
  throttles: number,
  overrides: PolicyOverrides | undefined,
): TierSign["result"] | undefined => {
  if (!failure) return "good";
  if (failure.kind === "proxy") return "proxy";
  if (failurePolicy(failure.kind, overrides).movesProxyTier) return "blocked";
  return failure.kind === "rate-limited" && throttles >= SLOWED ? "blocked" : undefined;
};

const keyOf = (lane: string, ladder: readonly string[]): string => `${lane} ${ladder.join(",")}`;

const newSession = (): string => randomBytes(5).toString("hex");

const remember = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_KEPT) map.delete(map.keys().next().value!);
};
