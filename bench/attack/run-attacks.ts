import { setTimeout as delay } from "node:timers/promises";
import type { Attack, Harm, Scale } from "./attack.ts";
import { AttackKit } from "./attack-kit.ts";
import { ATTACKS } from "./attacks.ts";
import { steadyNow } from "./neighbour.ts";
import type { Seen } from "./neighbour-thread.ts";

/** What the neighbour measured in some periods. */
export interface Had {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** Requests per second at the site for its two jobs: in its own lane and in the shared one. */
  readonly own: number;
  readonly shared: number;
}

export interface AttackFigures {
  readonly name: string;
  /** What broke, or undefined if the service held. */
  readonly broke: string | undefined;
  /** Figures that miss their limit. The limits are for a quiet machine. */
  readonly beyond: readonly string[];
  readonly skipped?: string | undefined;
  readonly seconds: number;
  readonly without: Had;
  readonly during: Had;
  /** The share of its pace that the neighbour kept, in the worse of its two lanes. */
  readonly kept: number;
  readonly peakMb: number;
}

export const MOST_MB = 500;
export const MOST_P99_MS = 250;
export const MOST_RATIO = 3;
/** Below this latency the ratio is not judged. */
export const RATIO_FROM_MS = 20;
export const LEAST_KEPT = 0.9;
/** With fewer requests the kept share means nothing. */
const LEAST_SECONDS = 4;
/** The effects of an attack may come after it. */
const AFTER_MS = 300;
/** A successful attack may keep the service busy for long. */
const LONGEST_MS = 600_000;

interface Slice {
  readonly from: number;
  readonly to: number;
}

/** Runs the attacks one after another, each alternating with quiet periods, while a neighbour works and polls. */
export async function* runAttacks(
  scale: Scale,
  isAsked: (attack: Attack) => boolean,
): AsyncGenerator<AttackFigures> {
  await using kit = await AttackKit.open(scale);
  for (const attack of ATTACKS) {
    if (!isAsked(attack)) continue;
    const skipped = attack.skip?.();
    if (skipped !== undefined) yield { ...NOTHING, name: attack.name, skipped };
    else yield await figuresOf(kit, attack, scale);
    if (!kit.isAlive) return;
  }
}

const figuresOf = async (kit: AttackKit, attack: Attack, scale: Scale): Promise<AttackFigures> => {
  const body = (await attack.prepare?.(scale)) ?? Buffer.alloc(0);
  const takeBack = await attack.set?.(kit);
  const begunAt = steadyNow();
  kit.forgetPeak();
  const quiet: Slice[] = [];
  const busy: Slice[] = [];
  let found: Harm | undefined;
  const until = AbortSignal.timeout(LONGEST_MS);
  while (busy.length < scale.slices && found === undefined) {
    const start = steadyNow();
    await delay(Math.max(scale.sliceMs, AFTER_MS));
    quiet.push({ from: start, to: steadyNow() });
    const from = steadyNow();
    do found = await runOnce(() => attack.run(kit, scale, body), until);
    while (found === undefined && kit.isAlive && steadyNow() - from < scale.sliceMs);
    await delay(AFTER_MS);
    busy.push({ from, to: steadyNow() });
  }
  const peakMb = kit.isAlive ? kit.peakMb() : 0;
  if (kit.isAlive) await takeBack?.();
  const seen = await kit.neighbour.seen();
  const [without, during] = [hadIn(seen, quiet), hadIn(seen, busy)];
  const kept = Math.min(during.own / without.own, during.shared / without.shared / (attack.share ?? 1));
  const refused = seen.requests.find(({ at, problem }) => at >= begunAt && problem !== undefined)?.problem;
  const seconds = lengthOf(busy);
  const slow = typeof found === "object" ? [found.slow] : [];
  const broken = typeof found === "string" ? found : undefined;
  return {
    name: attack.name,
    broke:
      (broken?.includes("answered 500") ? `${broken}; ${kit.lastError()}` : broken) ??
      (kit.isAlive ? undefined : "the controller has ended") ??
      (refused && `the neighbour could not ask for its job: ${refused}`) ??
      (peakMb >= MOST_MB ? `it took ${peakMb} MB` : undefined),
    beyond: [...slow, ...beyondBars(without, during, seconds < LEAST_SECONDS ? 1 : kept)],
    seconds,
    without,
    during,
    kept,
    peakMb,
  };
};

const runOnce = async (
  run: () => Promise<Harm | undefined>,
  until: AbortSignal,
): Promise<Harm | undefined> => {
  const limit = new AbortController();
  const tooLong = delay(LONGEST_MS, undefined, { signal: AbortSignal.any([until, limit.signal]) })
    .catch(() => undefined)
    .then(() => (until.aborted ? `not over after ${LONGEST_MS / 1000} s` : undefined));
  const attacking = run().catch((error: unknown) => String(error));
  const found = await Promise.race([attacking, tooLong]);
  limit.abort();
  return found;
};

const beyondBars = (without: Had, during: Had, kept: number): string[] => {
  const bars: string[] = [];
  if (during.p99 > MOST_P99_MS) bars.push(`p99 over ${MOST_P99_MS} ms`);
  if (during.p99 > MOST_RATIO * Math.max(without.p99, RATIO_FROM_MS)) bars.push(`p99 over ${MOST_RATIO}×`);
  if (kept < LEAST_KEPT) bars.push(`less than ${LEAST_KEPT * 100} % of its pace`);
  return bars;
};

const lengthOf = (slices: readonly Slice[]): number =>
  slices.reduce((sum, { from, to }) => sum + to - from, 0) / 1000;

const hadIn = ({ requests, arrivals }: Seen, slices: readonly Slice[]): Had => {
  const isIn = ({ at }: { readonly at: number }): boolean =>
    slices.some(({ from, to }) => at >= from && at < to);
  const sorted = requests
    .filter(isIn)
    .map(({ ms }) => ms)
    .toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
  const inside = arrivals.filter(isIn);
  const rate = (path: string): number =>
    inside.filter((one) => one.path.startsWith(path)).length / lengthOf(slices);
  return {
    p50: at(0.5),
    p99: at(0.99),
    worst: sorted.at(-1) ?? NaN,
    own: rate("/own/"),
    shared: rate("/shared/"),
  };
};

const NO_TIME: Had = { p50: NaN, p99: NaN, worst: NaN, own: NaN, shared: NaN };
const NOTHING = {
  broke: undefined,
  beyond: [],
  seconds: 0,
  without: NO_TIME,
  during: NO_TIME,
  kept: NaN,
  peakMb: NaN,
};
