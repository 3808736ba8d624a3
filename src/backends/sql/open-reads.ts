import type { WorkSums } from "../../domain/work-sums.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { listItems } from "./list-items.ts";
import { readBacklog } from "./read-backlog.ts";
import { readFresh } from "./read-fresh.ts";
import {
  countAccepted,
  countKeptBytes,
  countOpenJobs,
  listJobs,
  readFailures,
  readJob,
  readSpending,
  sumOpenJobs,
} from "./read-jobs.ts";
import { listJobLanes, listLanes, listWorkers } from "./read-lanes.ts";
import { arrays, type StepEngine, type Steps } from "./steps.ts";

type Reads = Pick<
  Ledger,
  | ("readJob" | "listJobs" | "sumOpenJobs" | "listItems" | "listLanes" | "listWorkers")
  | ("countAccepted" | "readSpending" | "countOpenJobs" | "countKeptBytes" | "readFresh")
  | ("readWorkSums" | "readBacklog" | "readFailures" | "listJobLanes")
>;

/** Verbs that only read, each in one consistent view. */
export const openReads = (db: StepEngine): Reads => ({
  readJob: (job) => db.read((now) => readJob(now, job)),
  readFailures: (job) => db.read(() => readFailures(job)),
  listJobs: (query) => db.read((now) => listJobs(now, query)),
  sumOpenJobs: () => db.read(sumOpenJobs),
  listItems: (job, query) => db.read((now) => listItems(now, job, query)),
  listLanes: (query) => db.read((now) => listLanes(now, query)),
  listJobLanes: (job, query) => db.read((now) => listJobLanes(now, job, query)),
  listWorkers: () => db.read(listWorkers),
  countAccepted: (client, sinceAt) => db.read(() => countAccepted(client, sinceAt)),
  readSpending: (client) => db.read((now) => readSpending(now, client)),
  countOpenJobs: (client) => db.read(() => countOpenJobs(client)),
  countKeptBytes: (client) => db.read(() => countKeptBytes(client)),
  readFresh: (keys) => db.read(() => readFresh(keys)),
  readWorkSums: () => db.read(readWorkSums),
  readBacklog: (of) => db.read((now) => readBacklog(now, of)),
});

function* readWorkSums(): Steps<WorkSums> {
  return Object.fromEntries(
    yield* arrays<[string, number]>("SELECT name, value FROM work_sums ORDER BY name"),
  );
}
