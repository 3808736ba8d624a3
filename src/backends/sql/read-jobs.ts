import { examplesOf } from "../../ledger/hold-queue.ts";
import { laneLadders } from "../../ledger/proxy-tiers.ts";
import { dayOf } from "../../ledger/charge.ts";
import { NO_COST } from "../../domain/cost.ts";
import type { FailureCount, Job, Lane } from "../../ledger/records.ts";
import type { FailureKind } from "../../domain/failure.ts";
import { type FailureTimes, NO_FAILURE_TIMES } from "../../domain/failure-times.ts";
import type { HeldLane, JobSums, JobView, LearnedWay } from "../../domain/job.ts";
import { FIELD_STATUSES } from "../../domain/record.ts";
import { type ClientSpending, type JobQuery, LedgerError, type OpenJobs } from "../../ports/ledger.ts";
import { jobNamed } from "./job-named.ts";
import { all, arrays, count, load, type Steps } from "./steps.ts";
import { FORMATS, type Value } from "./tables.ts";

const JOB = FORMATS.job;

export function* readJob(now: number, id: string): Steps<JobView | undefined> {
  const [row] = yield* arrays<Value[]>(`SELECT ${JOB.columnsOf("t")} FROM jobs t WHERE t.id = ?`, id);
  if (row && !JOB.fits(row))
    throw new LedgerError(
      "damaged-row",
      `${id}: the stored data of this job is damaged. Run \`sluice fsck\` for details, then restore the ledger from a backup or run \`sluice fsck --repair\`.`,
    );
  return row && (yield* viewsOf(now, [JOB.read(row)]))[0];
}

const ALL: JobQuery = { limit: 200 };
const WITH_LABEL = "t.number IN (SELECT job FROM job_labels WHERE name = ? AND value = ?)";

export function* listJobs(now: number, query = ALL): Steps<JobView[]> {
  const { client, states, scraper, label, tellsProgress, pausedBy, endedSince, endedBefore } = query;
  const { after, limit } = query;
  const asked: [condition: string, ...values: Value[]][] = [];
  if (client !== undefined) asked.push(["t.client = ?", client]);
  if (scraper !== undefined) asked.push([WITH_LABEL, "", scraper]);
  if (states) asked.push(["t.state IN (SELECT value FROM @list(? text) l)", JSON.stringify(states)]);
  if (label) asked.push([WITH_LABEL, ...label]);
  // A damaged text affects only its job, not the others in the list.
  if (tellsProgress) asked.push(["CAST(@json(t.spec) ->> 'progressMs' AS DOUBLE PRECISION) > 0"]);
  if (pausedBy !== undefined) asked.push(["@json(t.paused) ->> 'cause' = ?", pausedBy]);
  // Uses its index: in the order of jobs, all jobs would be scanned for the few that ended lately.
  const ended = (condition: string) =>
    `t.number IN (SELECT number FROM jobs WHERE ended_at IS NOT NULL AND +number > 0 AND ended_at ${condition})`;
  if (endedSince !== undefined) asked.push([ended(">= ?"), endedSince]);
  if (endedBefore !== undefined) asked.push([ended("< ?"), endedBefore]);
  const found = yield* arrays<Value[]>(
    `SELECT ${JOB.columnsOf("t")} FROM jobs t WHERE t.number < ? ${asked.map(([where]) => `AND ${where}`).join(" ")}
     ORDER BY t.number DESC LIMIT ?`,
    after === undefined ? Number.MAX_SAFE_INTEGER : yield* numberOf(after),
    ...asked.flatMap(([, ...values]) => values),
    limit,
  );
  return yield* viewsOf(
    now,
    found.map((row) => JOB.read(row)),
  );
}

/** Also for a job that was removed after the previous page. */
function* numberOf(id: string): Steps<number> {
  const [removed] = yield* arrays<[number]>("SELECT number FROM removals WHERE id = ?", id);
  return removed?.[0] ?? (yield* jobNamed(id)).number;
}

/** Maximum number of held lanes that are shown with their evidence. */
const MOST_HELD = 200;

interface Busy {
  readonly job: number;
  readonly leased: number;
  readonly waiting: number;
}

interface Removed {
  readonly job: number;
  readonly at: number;
  readonly captures: number;
  readonly bytes: number;
}

interface HeldRow {
  readonly job: number;
  readonly queue: number;
  readonly lane: string;
  readonly held: string;
  readonly held_at: number;
  readonly probe_at: number | null;
}

/** Maximum number of lanes whose learned routes and tiers are shown. */
const MOST_LEARNED = 200;

interface LearnedRow {
  readonly job: number;
  readonly lane: string;
  readonly ways: string;
}

/** For the versions that the job has now. */
const waysOf = ({ spec }: Job, { lane, ways }: LearnedRow): LearnedWay[] =>
  Object.entries(JSON.parse(ways) as Lane["ways"]).flatMap(([key, { way, reason }]) => {
    const [version = "", template = ""] = key.split(" ");
    const scraper = spec.scrapers.find((one) => one.version === version);
    return scraper ? [{ lane, scraper: scraper.name, template, way, reason }] : [];
  });

interface TierRow {
  readonly job: number;
  readonly lane: string;
  readonly tiers: string;
}

/** For the job's own scrapers. */
const laddersOf = ({ spec }: Job, { lane, tiers }: TierRow, now: number): NonNullable<JobView["ladders"]> => {
  const own = new Set(spec.scrapers.map(({ proxies = [] }) => proxies.join()));
  return laneLadders(JSON.parse(tiers) as Lane["tiers"], now)
    .filter(({ ladder }) => own.has(ladder.join()))
    .map((one) => ({ lane, ...one }));
};

/** From counters, with a few statements for all jobs. */
function* viewsOf(now: number, jobs: readonly Job[]): Steps<JobView[]> {
  const open = JSON.stringify(jobs.filter(({ endedAt }) => endedAt === null).map(({ number }) => number));
  const busy = yield* all<Busy>(
    `SELECT q.job, CAST(sum(q.leased) AS BIGINT) AS leased, CAST(sum(q.waiting) AS BIGINT) AS waiting FROM @list(? bigint) j CROSS JOIN queues q ON q.job = j.value
     GROUP BY q.job`,
    open,
  );
  // A queue keeps its hold as evidence; it no longer matters when the job has ended.
  const held = yield* all<HeldRow>(
    `SELECT q.job, q.id AS queue, l.name AS lane, q.held, q.held_at, q.probe_at FROM @list(? bigint) j
     CROSS JOIN queues q ON q.job = j.value AND q.held IS NOT NULL CROSS JOIN lanes l ON l.id = q.lane ORDER BY q.id`,
    open,
  );
  const autos = jobs.filter(({ spec }) =>
    spec.scrapers.some(({ kind, isCompared }) => kind === "auto" || isCompared),
  );
  const learned = yield* all<LearnedRow>(
    `SELECT q.job, l.name AS lane, l.ways FROM @list(? bigint) j
     CROSS JOIN queues q ON q.job = j.value CROSS JOIN lanes l ON l.id = q.lane AND l.ways IS NOT NULL LIMIT ?`,
    JSON.stringify(autos.map(({ number }) => number)),
    MOST_LEARNED,
  );
  const proxied = jobs.filter(({ spec }) => spec.scrapers.some(({ proxies }) => proxies));
  const tiers = yield* all<TierRow>(
    `SELECT q.job, l.name AS lane, l.tiers FROM @list(? bigint) j
     CROSS JOIN queues q ON q.job = j.value CROSS JOIN lanes l ON l.id = q.lane AND l.tiers IS NOT NULL LIMIT ?`,
    JSON.stringify(proxied.map(({ number }) => number)),
    MOST_LEARNED,
  );
  const removed = yield* all<Removed>(
    `SELECT r.number AS job, r.marked_at AS at, r.captures, r.bytes FROM @list(? bigint) j CROSS JOIN removals r ON r.number = j.value`,
    JSON.stringify(jobs.map(({ number }) => number)),
  );
  const views: JobView[] = [];
  for (const job of jobs) {
    const isOf = (row: { readonly job: number }) => row.job === job.number;
    const lanes = job.state === "cancelled" ? [] : held.filter(isOf).slice(0, MOST_HELD);
    const pages = removed.find(isOf);
    const heldLanes: HeldLane[] = [];
    for (const row of lanes) heldLanes.push(yield* heldLane(row));
    views.push({
      ...viewOf(job, busy.find(isOf)),
      held: heldLanes,
      ...(autos.includes(job) && { ways: learned.filter(isOf).flatMap((row) => waysOf(job, row)) }),
      ...(proxied.includes(job) && {
        ladders: tiers.filter(isOf).flatMap((row) => laddersOf(job, row, now)),
      }),
      ...(pages && { pagesRemoved: { at: pages.at, captures: pages.captures, bytes: pages.bytes } }),
    });
  }
  return views;
}

const viewOf = (job: Job, busy: Busy | undefined): Omit<JobView, "held"> => {
  const { spec, received, accepted, folded, rejected, capped, done, absent, failed, skipped, cancelled } =
    job;
  const { leased = 0, waiting = 0 } = busy ?? {};
  const queued = accepted - leased - waiting - done - absent - failed - skipped - cancelled;
  const failures = (Object.entries(job.failures) as [FailureKind, FailureCount][]).toSorted(
    ([, a], [, b]) => b.final - a.final || b.attempts - a.attempts,
  );
  return {
    spec,
    state: job.state,
    isSealed: job.isSealed,
    createdAt: job.createdAt,
    ...(job.endedAt !== null && { endedAt: job.endedAt }),
    ...(job.state === "paused" && job.paused && { paused: job.paused }),
    ...(job.reopenedAt !== null && { reopenedAt: job.reopenedAt }),
    ...(job.spentAt !== null && { budgetSpentAt: job.spentAt }),
    counts: {
      received,
      accepted,
      folded,
      rejected,
      capped: Object.values(capped).reduce((sum, n) => sum + n, 0),
      states: {
        queued,
        leased,
        waiting,
        done,
        absent,
        failed,
        skipped,
        cancelled,
      },
    },
    cappedBy: capped,
    partial: job.partial,
    failures: failures
      .filter(([, { final }]) => final > 0)
      .map(([kind, { final, exampleKey, exampleDetail }]) => ({
        kind,
        count: final,
        exampleKey,
        exampleDetail,
      })),
    attemptFailures: Object.fromEntries(
      failures.filter(([, { attempts }]) => attempts > 0).map(([kind, { attempts }]) => [kind, attempts]),
    ),
    fieldCounts: job.fieldCounts,
    rejects: job.rejects,
    requests: job.requests,
    bytes: job.bytes,
    ...(Object.keys(job.costs).length > 0 && { costs: job.costs }),
    ...(spec.freshness && { changes: { new: 0, changed: 0, unchanged: 0, gone: 0, ...job.changes } }),
  };
};

interface HeldEvidence {
  readonly reason: string;
  readonly chart: string;
  readonly examples?: readonly unknown[];
}

function* heldLane({ queue, lane, held, held_at, probe_at }: HeldRow): Steps<HeldLane> {
  const evidence = JSON.parse(held) as HeldEvidence;
  // Outcomes are reported before their pages are stored: only now there may be something to show.
  const examples = evidence.examples?.length
    ? evidence.examples
    : examplesOf(yield* load("examples", queue, evidence.chart));
  return {
    lane,
    reason: evidence.reason,
    evidence: { ...evidence, examples },
    heldAt: held_at,
    ...(probe_at !== null && { probeAt: probe_at }),
  };
}

export function* readFailures(id: string): Steps<FailureTimes> {
  const { number } = yield* jobNamed(id);
  const [{ widthMs, buckets } = NO_FAILURE_TIMES] = yield* load("failureTimes", number);
  return { widthMs, buckets };
}

const OPEN = "j.state IN ('loading', 'running', 'paused')";
const SUMMED = [
  ...([
    "received",
    "accepted",
    "folded",
    "rejected",
    "done",
    "absent",
    "failed",
    "skipped",
    "cancelled",
  ] as const),
  ...(["partial", "requests", "bytes"] as const),
];
type Sums = Pick<Job, "state" | (typeof SUMMED)[number]> & { readonly jobs: number; readonly capped: number };

/** With a fixed number of statements, so that thousands of open jobs cost little more than a few. */
export function* sumOpenJobs(): Steps<OpenJobs> {
  const sums = yield* all<Sums>(
    `SELECT j.state, count(*) AS jobs, ${SUMMED.map((name) => `CAST(sum(j.${name}) AS BIGINT) AS ${name}`).join(", ")},
       CAST(coalesce(sum((SELECT sum(CAST(c.value AS BIGINT)) FROM @entries(j.capped) c)), 0) AS BIGINT) AS capped FROM jobs j WHERE ${OPEN} GROUP BY j.state`,
  );
  const busy = yield* all<Pick<Job, "state"> & { leased: number; waiting: number; held: number }>(
    `SELECT j.state, CAST(sum(q.leased) AS BIGINT) AS leased, CAST(sum(q.waiting) AS BIGINT) AS waiting, count(*) FILTER (WHERE q.held IS NOT NULL AND j.ended_at IS NULL) AS held
     FROM jobs j CROSS JOIN queues q ON q.job = j.number WHERE ${OPEN} GROUP BY j.state`,
  );
  const failures = yield* all<Pick<Job, "state"> & { kind: FailureKind; final: number; attempts: number }>(
    `SELECT j.state, f.key AS kind, CAST(sum(CAST(@json(f.value) ->> 'final' AS BIGINT)) AS BIGINT) AS final,
       CAST(sum(CAST(@json(f.value) ->> 'attempts' AS BIGINT)) AS BIGINT) AS attempts
     FROM jobs j CROSS JOIN @entries(j.failures) f WHERE ${OPEN} GROUP BY j.state, f.key`,
  );
  const fields = yield* all<Pick<Job, "state"> & { status: number; n: number }>(
    `SELECT j.state, f.key % ${FIELD_STATUSES.length} AS status, CAST(sum(CAST(f.value AS BIGINT)) AS BIGINT) AS n
     FROM jobs j CROSS JOIN @elements(j.field_counts) f WHERE ${OPEN} AND j.done + j.failed > 0 GROUP BY 1, 2`,
  );
  const ids = yield* arrays<[string]>(`SELECT j.id FROM jobs j WHERE ${OPEN}`);
  return {
    ids: ids.map(([id]) => id),
    sums: sums.map((row): JobSums => {
      const { state, jobs, done, absent, failed, skipped, cancelled, accepted } = row;
      const { received, folded, rejected, capped, partial, requests, bytes } = row;
      const { leased = 0, waiting = 0, held = 0 } = busy.find((one) => one.state === state) ?? {};
      const queued = accepted - leased - waiting - done - absent - failed - skipped - cancelled;
      const states = { queued, leased, waiting, done, absent, failed, skipped, cancelled };
      const own = failures.filter((one) => one.state === state);
      const counted = fields.filter((one) => one.state === state);
      return {
        jobs,
        state,
        partial,
        requests,
        bytes,
        held,
        counts: {
          received,
          accepted,
          folded,
          rejected,
          capped,
          states,
        },
        failures: own.map(({ kind, final }) => ({
          kind,
          count: final,
        })),
        attemptFailures: Object.fromEntries(own.map(({ kind, attempts }) => [kind, attempts])),
        fieldCounts: FIELD_STATUSES.map((_, at) => counted.find(({ status }) => status === at)?.n ?? 0),
      };
    }),
  };
}

/** Uses the index of states: there may be very many ended jobs. */
export const countOpenJobs = (client: string): Steps<number> =>
  count(`SELECT count(*) FROM jobs j WHERE ${OPEN} AND j.client || '' = ?`, client);

export const countKeptBytes = (client: string): Steps<number> =>
  count(
    "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM jobs WHERE client = ? AND number NOT IN (SELECT number FROM removals)",
    client,
  );

/** By days of UTC. */
export const countAccepted = (client: string, sinceAt: number): Steps<number> =>
  count(
    `SELECT CAST(coalesce(sum(CAST(d.value AS BIGINT)), 0) AS BIGINT) FROM shares s CROSS JOIN @entries(s.accepted) d
     WHERE s.lane = 0 AND s.client = ? AND CAST(d.key AS BIGINT) >= ?`,
    client,
    dayOf(sinceAt),
  );

export function* readSpending(now: number, client: string): Steps<ClientSpending> {
  const [share] = yield* load("share", 0, client);
  const [limits] = yield* load("client", client);
  const { requestsPerDay = null, bytesPerDay = null, costPerDay = null } = limits ?? {};
  return {
    spent: share?.spent[dayOf(now)] ?? NO_COST,
    perDay: {
      ...(requestsPerDay !== null && { requestsPerDay }),
      ...(bytesPerDay !== null && { bytesPerDay }),
      ...(costPerDay !== null && { costPerDay }),
    },
  };
}
