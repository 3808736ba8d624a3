import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import type { AttackKit } from "../attack-kit.ts";
import { steadyNow } from "../neighbour.ts";

const HOUR_MS = 3_600_000;
/** Setting the clock may cost a lane its booked slots: one second, plus what a busy machine adds. */
const MOST_STANDING_MS = 10_000;

/** How long until both jobs of the neighbour continue. */
const standing = async (kit: AttackKit): Promise<number> => {
  const begunAt = steadyNow();
  for (const path of ["/own/", "/shared/"])
    while ((await kit.neighbour.arrivals(path, begunAt + 1_000)).length === 0) {
      if (steadyNow() - begunAt > 4 * MOST_STANDING_MS) return Infinity;
      await delay(100);
    }
  return steadyNow() - begunAt;
};

const step: Attack = {
  name: "the clock an hour forward, and back",
  async run(kit) {
    for (const offset of [HOUR_MS, 0]) {
      kit.setClock(offset);
      const ms = await standing(kit);
      if (ms > MOST_STANDING_MS) {
        kit.setClock(0);
        return `after a step to ${offset} ms the neighbour's jobs stood for ${Math.round(ms)} ms`;
      }
    }
    return undefined;
  },
};

export const CLOCK: readonly Attack[] = [step];
