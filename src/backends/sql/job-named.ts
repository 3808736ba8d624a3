import type { Job, Records } from "../../ledger/records.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { load, type Steps } from "./steps.ts";

export function* jobNamed(id: string): Steps<Job> {
  const [job] = yield* load("jobNamed", id);
  if (job) return job;
  const [removed] = yield* load("removal", id);
  throw noJob(id, removed);
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const noJob = (id: string, removed: Records["removal"] | undefined): LedgerError =>
  removed
    ? new LedgerError("job-removed", `${id}: the job was removed on ${dayOf(removed.markedAt)}.`)
    : new LedgerError("no-such-job", `${id}: no such job. \`sluice jobs ls\` lists them.`);
