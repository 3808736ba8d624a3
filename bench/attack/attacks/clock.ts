import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import type { AttackGround } from "../attack-ground.ts";
import { steadyNow } from "../neighbour.ts";

const HOUR_MS = 3_600_000;
/** A lane may lose what was booked when the clock is set: a second's worth, and what a busy machine adds. */
const MOST_STANDING_MS = 10_000;

/** How long it takes until both jobs of the neighbour have gone on. */
const standing = async (ground: AttackGround): Promise<number> => {
  const begunAt = steadyNow();
  for (const path of ["/own/", "/shared/"])
    while ((await ground.neighbour.arrivals(path, begunAt + 1_000)).length === 0) {
      if (steadyNow() - begunAt > 4 * MOST_STANDING_MS) return Infinity;
      await delay(100);
    }
  return steadyNow() - begunAt;
};

const step: Attack = {
  name: "the clock an hour forward, and back",
  async run(ground) {
    for (const offset of [HOUR_MS, 0]) {
      ground.setClock(offset);
      const ms = await standing(ground);
      if (ms > MOST_STANDING_MS) {
        ground.setClock(0);
        return `after a step to ${offset} ms the neighbour's jobs stood for ${Math.round(ms)} ms`;
      }
    }
    return undefined;
  },
};

export const CLOCK: readonly Attack[] = [step];
