import type { Ledger } from "../../ports/ledger.ts";
import { addItems } from "./add-items.ts";
import { countKeptBytes, countOpenJobs } from "./count-holdings.ts";
import { awaitWork } from "./await-work.ts";
import { claimItems } from "./claim-items.ts";
import { countAccepted } from "./count-accepted.ts";
import { createJob } from "./create-job.ts";
import { Database, type SqliteOptions } from "./database.ts";
import { ackEvents, readEvents, writeEvents } from "./events.ts";
import { listItems } from "./list-items.ts";
import { listJobs } from "./list-jobs.ts";
import { listLanes, readLanes } from "./list-lanes.ts";
import { listWorkers } from "./list-workers.ts";
import { amendItems, pinVersions } from "./new-version.ts";
import { pulse } from "./pulse.ts";
import { raiseCaps } from "./raise-caps.ts";
import { openRemovals } from "./removals/open-removals.ts";
import { readFresh } from "./read-fresh.ts";
import { readJob } from "./read-job.ts";
import { reapWorkers } from "./reap-workers.ts";
import { retryItems } from "./retry-items.ts";
import { keepRobots, readRobots } from "./robots.ts";
import { sealJob } from "./seal-job.ts";
import { setShare } from "./set-share.ts";
import { settleItems } from "./settle-items.ts";
import { steerJob } from "./steer-job.ts";
import { steerLane } from "./steer-lane.ts";
import { isQuiet } from "./stops.ts";
import { sumOpenJobs } from "./sum-jobs.ts";
import { tidy } from "./tidy.ts";
import { registerWorker } from "./worker-cards.ts";
import { readWorkSums } from "./work-sums.ts";

/** One file, write-ahead log; several processes of one machine may have it open at the same time. */
export const openSqlite = async (file: string, options: SqliteOptions = {}): Promise<Ledger> => {
  const db = await Database.open(file, options);
  return {
    createJob: (spec) => createJob(db, spec),
    addItems: (job, items, rejected) => addItems(db, job, items, rejected),
    sealJob: (job) => sealJob(db, job),
    steerJob: (job, to, why) => steerJob(db, job, to, why),
    pinVersions: (job, pins) => pinVersions(db, job, pins),
    amendItems: (job, revision, items, isLast) => amendItems(db, job, revision, items, isLast),
    isQuiet: (job) => isQuiet(db, job),
    retryItems: (job, filter) => retryItems(db, job, filter),
    raiseCaps: (job, caps) => raiseCaps(db, job, caps),
    readJob: (job) => readJob(db, job),
    listJobs: (query) => listJobs(db, query),
    sumOpenJobs: () => sumOpenJobs(db),
    listItems: (job, query) => listItems(db, job, query),
    listLanes: (job) => listLanes(db, job),
    readLanes: (query) => readLanes(db, query),
    steerLane: (lane, to) => steerLane(db, lane, to),
    setShare: (client, share) => setShare(db, client, share),
    countOpenJobs: (client) => countOpenJobs(db, client),
    countKeptBytes: (client) => countKeptBytes(db, client),
    countAccepted: (client, sinceAt) => countAccepted(db, client, sinceAt),
    claim: (request) => claimItems(db, request),
    awaitWork: (filter, ms) => awaitWork(db, filter, ms),
    pulse: (report) => pulse(db, report),
    settle: (worker, items) => settleItems(db, worker, items),
    reap: (request) => reapWorkers(db, request),
    listWorkers: () => db.read(() => listWorkers(db)),
    readRobots: (origin, worker) => readRobots(db, origin, worker),
    keepRobots: (origin, answer) => keepRobots(db, origin, answer),
    registerWorker: (card, sums) => registerWorker(db, card, sums),
    readWorkSums: () => db.read(() => readWorkSums(db)),
    writeEvents: (events) => writeEvents(db, events),
    readFresh: (keys) => readFresh(db, keys),
    readEvents: (limit, job) => readEvents(db, limit, job),
    ackEvents: (upTo, job) => ackEvents(db, upTo, job),
    removals: openRemovals(db),
    tidy: () => tidy(db),
    close: async () => db.close(),
  };
};
