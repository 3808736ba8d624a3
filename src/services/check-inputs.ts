import { setImmediate } from "node:timers/promises";
import { type InputRow, planInput } from "../pipeline/plan.ts";
import type { InputCheck, RejectedInput } from "../schemas/job.ts";
import type { Actor, ServiceContext } from "./context.ts";

const MOST_CHECKED = 100_000;
const SHOWN_REJECTS = 20;
const SHOWN_KEYS = 5;

/** Checks inputs against a scraper: schema, keys and targets, as for a job. Nothing is stored. */
export const checkInputs = async (
  { scrapers, laneOf }: Pick<ServiceContext, "scrapers" | "laneOf">,
  actor: Actor,
  name: string,
  rows: AsyncIterable<readonly InputRow[]>,
): Promise<InputCheck> => {
  const { scraper } = await scrapers.find(name, actor);
  const keys = new Set<string>();
  const rejects: RejectedInput[] = [];
  const counts = { checked: 0, accepted: 0, rejected: 0 };
  const answer = (isMore: boolean): InputCheck => ({
    ...counts,
    folded: counts.accepted - keys.size,
    isMore,
    rejects,
    keys: [...keys].slice(0, SHOWN_KEYS),
  });
  for await (const batch of rows) {
    for (const row of batch) {
      if (counts.checked >= MOST_CHECKED) return answer(true);
      counts.checked++;
      const planned = planInput(scraper, row, laneOf);
      if ("item" in planned) {
        counts.accepted++;
        keys.add(planned.item.key);
      } else {
        counts.rejected++;
        if (rejects.length < SHOWN_REJECTS) rejects.push(planned.rejected);
      }
    }
    // Others get their turn at the event loop.
    await setImmediate();
  }
  return answer(false);
};
