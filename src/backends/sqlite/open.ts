import type { Ledger } from "../../ports/ledger.ts";
import { addItems } from "./add-items.ts";
import { claimItems } from "./claim-items.ts";
import { createJob } from "./create-job.ts";
import { Database, type SqliteOptions } from "./database.ts";
import { ackEvents, readEvents } from "./events.ts";
import { listItems } from "./list-items.ts";
import { listWorkers } from "./list-workers.ts";
import { pulse } from "./pulse.ts";
import { listJobs, listLanes, readJob } from "./read-job.ts";
import { reapWorkers } from "./reap-workers.ts";
import { retryItems } from "./retry-items.ts";
import { keepRobots, readRobots } from "./robots.ts";
import { sealJob } from "./seal-job.ts";
import { settleItems } from "./settle-items.ts";
import { steerJob } from "./steer-job.ts";

/** One file, write-ahead log; several processes of one machine may have it open at the same time. */
export const openSqlite = async (file: string, options: SqliteOptions = {}): Promise<Ledger> => {
  const db = await Database.open(file, options);
  return {
    createJob: (spec) => createJob(db, spec),
    addItems: (job, items, rejected) => addItems(db, job, items, rejected),
    sealJob: (job) => sealJob(db, job),
    steerJob: (job, to) => steerJob(db, job, to),
    retryItems: (job, filter) => retryItems(db, job, filter),
    readJob: (job) => readJob(db, job),
    listJobs: () => listJobs(db),
    listItems: (job, query) => listItems(db, job, query),
    listLanes: (job) => listLanes(db, job),
    claim: (request) => claimItems(db, request),
    pulse: (report) => pulse(db, report),
    settle: (worker, items) => settleItems(db, worker, items),
    reap: (request) => reapWorkers(db, request),
    listWorkers: () => db.read(() => listWorkers(db)),
    readRobots: (origin, worker) => readRobots(db, origin, worker),
    keepRobots: (origin, answer) => keepRobots(db, origin, answer),
    readEvents: (limit, job) => readEvents(db, limit, job),
    ackEvents: (upTo, job) => ackEvents(db, upTo, job),
    tidy: () => db.checkpoint(),
    close: async () => db.close(),
  };
};
