import type { JobState, JobView } from "../model/job.ts";
import type { Ledger } from "../ports/ledger.ts";

const OPEN: readonly JobState[] = ["loading", "running", "paused"];
const PAGE = 200;

/** All jobs that have not ended, of all clients. */
export async function* openJobs(ledger: Pick<Ledger, "listJobs">): AsyncGenerator<JobView> {
  let after: string | undefined;
  for (;;) {
    const page = await ledger.listJobs({ states: OPEN, limit: PAGE, ...(after !== undefined && { after }) });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.spec.id;
  }
}
