import type { WorkSums } from "../../domain/work-sums.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { listItems } from "../sql/list-items.ts";
import { readFresh } from "../sql/read-fresh.ts";
import {
  countAccepted,
  countKeptBytes,
  countOpenJobs,
  listJobs,
  readJob,
  sumOpenJobs,
} from "../sql/read-jobs.ts";
import { listLanes, listWorkers } from "../sql/read-lanes.ts";
import type { Rows } from "../sql/rows.ts";
import type { Database } from "./database.ts";

type Reads = Pick<
  Ledger,
  | ("readJob" | "listJobs" | "sumOpenJobs" | "listItems" | "listLanes" | "listWorkers")
  | ("countAccepted" | "countOpenJobs" | "countKeptBytes" | "readFresh" | "readWorkSums")
>;

/** What only reads, each in one consistent view. */
export const openReads = (db: Database): Reads => ({
  readJob: (job) => db.read(() => readJob(db, job)),
  listJobs: (query) => db.read(() => listJobs(db, query)),
  sumOpenJobs: () => db.read(() => sumOpenJobs(db)),
  listItems: (job, query) => db.read(() => listItems(db, db.now(), job, query)),
  listLanes: (query) => db.read(() => listLanes(db, db.now(), query)),
  listWorkers: () => db.read(() => listWorkers(db, db.now())),
  countAccepted: (client, sinceAt) => db.read(() => countAccepted(db, client, sinceAt)),
  countOpenJobs: (client) => db.read(() => countOpenJobs(db, client)),
  countKeptBytes: (client) => db.read(() => countKeptBytes(db, client)),
  readFresh: (keys) => db.read(() => readFresh(db, keys)),
  readWorkSums: () => db.read(() => readWorkSums(db)),
});

const readWorkSums = (rows: Rows): WorkSums =>
  Object.fromEntries(rows.arrays<[string, number]>("SELECT name, value FROM work_sums ORDER BY name"));
