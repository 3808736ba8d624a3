/**
 * The tiers that a scraper may use, from cheap to expensive, and which of them a lane is on. A tier costs more than the one before it, so a lane moves up
 * only when the site refuses different items there, and tries the cheaper tier again and again.
 */

/** Without a proxy. */
export const DIRECT = "direct";

/** A step of a ladder, as scrapers name it: `datacenter`, `residential:us-tx`. */
export interface TierUse {
  /** As the configuration names it. */
  readonly tier: string;
  readonly country?: string;
  readonly state?: string;
  readonly city?: string;
}

const USE = /^([a-z][a-z0-9-]{0,39})(?::([a-z]{2})(?:-([a-z]{2,20}))?(?:\/([a-z]{2,40}))?)?$/;

/** `tier`, `tier:us`, `tier:us-tx` or `tier:us-tx/dallas`; undefined for anything else. */
export const parseTierUse = (text: string): TierUse | undefined => {
  const [, tier, country, state, city] = USE.exec(text) ?? [];
  if (tier === undefined) return undefined;
  return {
    tier,
    ...(country !== undefined && { country }),
    ...(state !== undefined && { state }),
    ...(city !== undefined && { city }),
  };
};

/** The result of an attempt on a tier. */
export interface TierSign {
  /** Place in the ladder. */
  readonly at: number;
  /** The item, so that failures of a single item are not evidence. */
  readonly item: string;
  /** `blocked`: the site refuses this exit. `proxy`: the proxy itself does not work. */
  readonly result: "good" | "blocked" | "proxy";
  readonly detail?: string;
  /** It tried a cheaper tier than the lane is on. */
  readonly isProbe?: boolean;
}

interface Outage {
  /** Items whose requests it did not carry, before it counts as down. */
  readonly items: readonly string[];
  /** The tier is not used before; 0 while it is up. */
  readonly until: number;
  /** How often it was down in a row. */
  readonly times: number;
  readonly why: string;
}

/** What is known about one ladder in one lane. Stored in ledgers. */
export interface LadderState {
  /** The tier that its items use now. */
  readonly at: number;
  /** Items that were refused there, without a good one since. */
  readonly blocked: readonly string[];
  /** An item has succeeded since the lane moved here. Until then one refused item is enough to move on: the site refused others just before. */
  readonly isProven: boolean;
  /** Good items since the last move or probe. */
  readonly good: number;
  /** After this many good items, the cheaper tier is tried. */
  readonly probeAfter: number;
  /** The worker whose next item tries the cheaper tier, and until when it may. */
  readonly probe: { readonly at: number; readonly worker: string; readonly until: number } | null;
  readonly outages: Readonly<Record<string, Outage>>;
  /** Why the lane is on this tier; null at the start. */
  readonly why: string | null;
  readonly since: number;
}

export const BOTTOM: LadderState = {
  at: 0,
  blocked: [],
  isProven: true,
  good: 0,
  probeAfter: 50,
  probe: null,
  outages: {},
  why: null,
  since: 0,
};

/** Different items that must be refused before a lane moves up. */
const EVIDENCE = 2;
/** Different items that a proxy must fail before its tier is skipped for a while. */
const OUTAGE_EVIDENCE = 3;
const PROBE_STEPS = [50, 100, 200] as const;
const PROBE_MS = 60_000;
const OUTAGE_MS = 60_000;
const LONGEST_OUTAGE_MS = 30 * 60_000;

const isUp = (state: LadderState, at: number, now: number): boolean => (state.outages[at]?.until ?? 0) <= now;

/** The cheapest tier from `from` on whose proxy works; undefined if there is none. */
const usableFrom = (
  state: LadderState,
  from: number,
  ladder: readonly string[],
  now: number,
): number | undefined => {
  for (let at = from; at < ladder.length; at++) if (isUp(state, at, now)) return at;
  return undefined;
};

/** The tier of the next item. `held`: no tier works before that time. */
export const chooseTier = (
  state: LadderState,
  ladder: readonly string[],
  worker: string,
  now: number,
):
  | { readonly at: number; readonly isProbe: boolean }
  | { readonly heldUntil: number; readonly why: string } => {
  const { probe } = state;
  if (probe?.worker === worker && probe.until > now && isUp(state, probe.at, now))
    return { at: probe.at, isProbe: true };
  const at = usableFrom(state, Math.min(state.at, ladder.length - 1), ladder, now);
  if (at !== undefined) return { at, isProbe: false };
  const outages = Object.entries(state.outages).filter(([, { until }]) => until > now);
  return {
    heldUntil: Math.min(...outages.map(([, { until }]) => until)),
    why: `no proxy tier works: ${outages.map(([index, { why }]) => `${ladder[Number(index)]}: ${why}`).join("; ")}`,
  };
};

/** Whether a refused item could still go somewhere else: then it costs no attempt. */
export const hasDearer = (state: LadderState, at: number, ladder: readonly string[], now: number): boolean =>
  state.at > at || usableFrom(state, at + 1, ladder, now) !== undefined;

/** What the ladder's state is after an item. Reports may come late, from several workers and in any order. */
export const climb = (
  state: LadderState,
  sign: TierSign,
  ladder: readonly string[],
  worker: string,
  now: number,
): LadderState => {
  if (sign.at >= ladder.length) return state;
  switch (sign.result) {
    case "good":
      return afterGood(state, sign, ladder, worker, now);
    case "blocked":
      return afterBlocked(state, sign, ladder, now);
    case "proxy":
      return afterOutage(state, sign, ladder, now);
  }
};

const moved = (state: LadderState, at: number, why: string, now: number): LadderState => ({
  ...state,
  at,
  blocked: [],
  isProven: at < state.at,
  good: 0,
  probeAfter: PROBE_STEPS[0],
  probe: null,
  why,
  since: now,
});

const afterGood = (
  state: LadderState,
  { at, isProbe }: TierSign,
  ladder: readonly string[],
  worker: string,
  now: number,
): LadderState => {
  const { [at]: _healed, ...outages } = state.outages;
  const up = { ...state, outages, isProven: state.isProven || at === state.at };
  if (isProbe && at < state.at) return moved(up, at, `${ladder[at]} works again`, now);
  if (at !== state.at) return up;
  const good = state.good + 1;
  const below = cheaperUp(up, at, now);
  if (below === undefined || good < state.probeAfter) return { ...up, good, blocked: state.blocked.slice(1) };
  return { ...up, good: 0, blocked: [], probe: { at: below, worker, until: now + PROBE_MS } };
};

const cheaperUp = (state: LadderState, at: number, now: number): number | undefined => {
  for (let below = at - 1; below >= 0; below--) if (isUp(state, below, now)) return below;
  return undefined;
};

const afterBlocked = (
  state: LadderState,
  { at, item, isProbe }: TierSign,
  ladder: readonly string[],
  now: number,
): LadderState => {
  if (isProbe || at < state.at) {
    if (state.probe?.at !== at) return state;
    const next = PROBE_STEPS.find((step) => step > state.probeAfter) ?? PROBE_STEPS.at(-1)!;
    return { ...state, probe: null, good: 0, probeAfter: next };
  }
  if (at > state.at || state.blocked.includes(item)) return state;
  const blocked = [...state.blocked, item];
  const next = usableFrom(state, at + 1, ladder, now);
  if (blocked.length < (state.isProven ? EVIDENCE : 1) || next === undefined)
    return { ...state, blocked: blocked.slice(-EVIDENCE), good: 0 };
  return moved(state, next, `${ladder[at]} is refused by the site`, now);
};

const UP: Outage = { items: [], until: 0, times: 0, why: "" };

const afterOutage = (
  state: LadderState,
  { at, item, detail = "it does not answer" }: TierSign,
  ladder: readonly string[],
  now: number,
): LadderState => {
  const known = state.outages[at] ?? UP;
  // Reported by items that had started before it was skipped.
  if (known.until > now || known.items.includes(item)) return state;
  const items = [...known.items, item];
  const isDown = items.length >= OUTAGE_EVIDENCE;
  const outage: Outage = isDown
    ? {
        items: [],
        until: now + Math.min(OUTAGE_MS * 2 ** known.times, LONGEST_OUTAGE_MS),
        times: known.times + 1,
        why: detail,
      }
    : { ...known, items, why: detail };
  const next: LadderState = {
    ...state,
    outages: { ...state.outages, [at]: outage },
    probe: state.probe?.at === at ? null : state.probe,
  };
  if (!isDown || at !== state.at) return next;
  const dearer = usableFrom(next, at + 1, ladder, now);
  return dearer === undefined ? next : moved(next, dearer, `${ladder[at]} is down: ${detail}`, now);
};
