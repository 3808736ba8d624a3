import { setTimeout as delay } from "node:timers/promises";
import { AttackGround } from "./attack-ground.ts";
import { ATTACKS, type Scale } from "./attacks.ts";

export interface AttackFigures {
  readonly name: string;
  /** What broke; undefined where the service held. */
  readonly broke: string | undefined;
  readonly seconds: number;
  /** Of a neighbour's requests while it lasted, in milliseconds. */
  readonly neighbour: { readonly p99: number; readonly worst: number };
  readonly peakMb: number;
}

export const MOST_MB = 500;
const QUIET_MS = 2_000;
/** An attack that the service does not withstand may keep it busy for long. */
const LONGEST_MS = 120_000;

/** Runs the attacks one after the other, with a neighbour who asks for its job all the while. */
export async function* runAttacks(scale: Scale, only?: string): AsyncGenerator<AttackFigures> {
  await using ground = await AttackGround.open(scale);
  yield await figuresOf(ground, "nobody attacks", () => delay(QUIET_MS, undefined));
  for (const { name, prepare, run } of ATTACKS) {
    if (only !== undefined && !name.includes(only)) continue;
    const body = (await prepare?.(scale)) ?? Buffer.alloc(0);
    yield await figuresOf(ground, name, () => run(ground, scale, body));
    if (!ground.isAlive) return;
  }
}

const figuresOf = async (
  ground: AttackGround,
  name: string,
  run: () => Promise<string | undefined>,
): Promise<AttackFigures> => {
  ground.forgetPeak();
  const over = new AbortController();
  const begunAt = performance.now();
  const watching = ground.watchNeighbour(over.signal);
  // It is looked at below, after the attack: until then nobody listens.
  watching.catch(() => undefined);
  const limit = new AbortController();
  const tooLong = delay(LONGEST_MS, `not over after ${LONGEST_MS / 1000} s`, { signal: limit.signal });
  tooLong.catch(() => undefined);
  const attacking = run().catch((error: unknown) => String(error));
  const found = await Promise.race([attacking, tooLong]);
  limit.abort();
  over.abort();
  const times = await watching.catch((error: unknown) => String(error));
  const peakMb = ground.isAlive ? ground.peakMb() : 0;
  const sorted = typeof times === "string" ? [] : times.toSorted((a, b) => a - b);
  return {
    name,
    broke:
      found ??
      (ground.isAlive ? undefined : "the controller has ended") ??
      (typeof times === "string" ? times : undefined) ??
      (peakMb >= MOST_MB ? `it took ${peakMb} MB` : undefined),
    seconds: (performance.now() - begunAt) / 1000,
    neighbour: {
      p99: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? NaN),
      worst: Math.round(sorted.at(-1) ?? NaN),
    },
    peakMb,
  };
};
