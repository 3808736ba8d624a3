import type { Stores } from "../archive/manifest.ts";
import type { JobSpec } from "../domain/job.ts";
import { diffSets } from "../reextract/diff-sets.ts";
import { FIELD_CHANGES } from "../reextract/difference.ts";
import type { RunDifference } from "../schemas/job.ts";
import type { Actor, ServiceContext } from "./context.ts";
import { findJob } from "./jobs.ts";
import { Problem } from "./problem.ts";

/** Limit for both runs together. Both are read completely, and one of them is sorted on disk. */
const MOST_ITEMS = 1_000_000;

/** Refuses runs that have not ended, and runs that are too large to compare while a client waits. */
export const checkComparable = async (
  context: ServiceContext,
  actor: Actor,
  jobs: readonly [before: string, after: string],
): Promise<void> => {
  let items = 0;
  for (const job of jobs) {
    const { endedAt, counts } = await findJob(context, actor, job);
    if (endedAt === undefined)
      throw new Problem("job-running", `${job}: the job has not ended. Compare it when it has ended.`);
    items += counts.accepted;
  }
  if (items > MOST_ITEMS)
    throw new Problem(
      "too-large",
      `The two jobs have ${items} items, more than the limit of ${MOST_ITEMS}. Run \`sluice diff ${jobs.join(" ")}\`.`,
    );
};

/** The current records of two runs. */
export const diffRuns = async (
  stores: Stores,
  before: JobSpec,
  after: JobSpec,
  most: number,
): Promise<RunDifference> => {
  const which = "current";
  const found = await diffSets(stores, { spec: before, which }, { spec: after, which }, { most });
  const { items, changedItems, onlyBefore, onlyAfter, recordsGained, recordsLost, states, fields } =
    found.difference;
  return {
    before: found.before,
    after: found.after,
    items,
    changedItems,
    onlyBefore,
    onlyAfter,
    recordsGained,
    recordsLost,
    states: Object.fromEntries(states),
    fields: Object.fromEntries(
      [...fields].map(([name, { examples, ...counts }]) => [
        name,
        {
          ...counts,
          examples: FIELD_CHANGES.flatMap((change) =>
            examples[change].map(({ key, before: was, after: is }) => ({
              key,
              change,
              ...(was && { before: was }),
              ...(is && { after: is }),
            })),
          ),
        },
      ]),
    ),
  };
};
