import type { JobState, JobView } from "../domain/job.ts";
import type { JobQuery, Ledger } from "../ports/ledger.ts";

const OPEN: readonly JobState[] = ["loading", "running", "paused"];
const PAGE = 200;

/** Jobs that have not ended, of all clients. */
export async function* openJobs(
  ledger: Pick<Ledger, "listJobs">,
  which: Pick<JobQuery, "states" | "tellsProgress" | "pausedBy"> = {},
): AsyncGenerator<JobView> {
  let after: string | undefined;
  for (;;) {
    const page = await ledger.listJobs({
      states: OPEN,
      ...which,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.spec.id;
  }
}
