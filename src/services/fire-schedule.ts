import { isoTime } from "../domain/iso-time.ts";
import { jobId } from "../domain/job.ts";
import { decide, dueTimes, jitterOf, MISS_REASONS, SKIP_REASONS, type Verdict } from "../domain/schedule.ts";
import { newStages } from "../domain/stage.ts";
import type { NextTime } from "../domain/zone-time.ts";
import type { InputsFrom } from "../domain/inputs-from.ts";
import type { JobSpec } from "../domain/job.ts";
import type { DocumentChange } from "../ports/documents.ts";
import type { NewEvent } from "../ports/event-log.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { LOCAL_ACTOR, type ServiceContext } from "./context.ts";
import { findVersion } from "./input-sets.ts";
import { Problem, statusOf } from "./problem.ts";
import {
  firingChange,
  type FiringBody,
  readFiring,
  readSchedule,
  type ScheduleBody,
  scheduleChange,
  scheduleEvent,
  type StoredSchedule,
} from "./schedule-documents.ts";
import { timesOf } from "./schedule-times.ts";
import { prepareJob } from "./submit.ts";

/** When a schedule fires next. A schedule with `after` fires for the nominal time of the other schedule's latest success. */
export const nextTimeOf = async (
  { ledger }: Pick<ServiceContext, "ledger">,
  { when }: Pick<ScheduleBody, "when">,
): Promise<NextTime> => {
  if (!("after" in when)) return await timesOf(when);
  const releasedAt = (await readSchedule(ledger, when.after))?.body.releasedAt ?? -Infinity;
  return (after) => (releasedAt > after ? releasedAt : undefined);
};

/**
 * Decides about all times of a schedule that have passed, and writes the result in one transaction: firings, the job of the one
 * that fires, events and the schedule itself. Several controllers may do this at the same time: one of them succeeds. Returns
 * whether something was written.
 */
export const fireSchedule = async (context: ServiceContext, schedule: StoredSchedule): Promise<boolean> => {
  const { ledger, now } = context;
  const { name, body } = schedule;
  const times = await nextTimeOf(context, body);
  const { verdicts, next } = decide(body, body, {
    now: now(),
    running: body.running.length,
    next: times,
    jitterMs: jitterOf(name, body.jitterMs),
  });
  if (verdicts.length === 0 && next === body) return false;
  let written: ScheduleBody = { ...body, ...next };
  let job: JobSpec | undefined;
  const changes: DocumentChange[] = [];
  const events: NewEvent[] = [];
  const missed: FiringBody[] = [];
  for (const verdict of verdicts) {
    const known = await readFiring(ledger, name, verdict.at);
    // It was run manually for this time, or backfilled.
    if (known && !["skipped", "missed"].includes(known.body.state)) continue;
    const made = await firingOf(context, schedule, verdict);
    ({ job = job } = made);
    written = afterFiring(written, made.firing);
    changes.push(firingChange(made.firing, known?.revision ?? 0));
    if (made.firing.state === "missed") missed.push(made.firing);
    else events.push(eventOf(made.firing, body.scraper));
  }
  // One event for all of them.
  const last = missed.at(-1);
  if (last) events.push(eventOf(last, body.scraper, { count: missed.length }));
  if (body.lateSince === undefined && isLate(body, times, now())) {
    written = { ...written, lateSince: now() };
    events.push(lateEvent(name, body));
  }
  changes.push(scheduleChange(schedule, written));
  const reply = await ledger.documents.commit({ changes, events, ...(job && { job }) });
  return reply.committed;
};

/** Number of times since the last success before people are notified. */
const LATE_TIMES = 3;

const isLate = ({ lastSuccessAt, createdAt }: ScheduleBody, next: NextTime, now: number): boolean =>
  dueTimes(next, lastSuccessAt ?? createdAt, now).length >= LATE_TIMES;

const lateEvent = (schedule: string, { client, scraper, lastSuccessAt }: ScheduleBody): NewEvent => ({
  type: "schedule.late",
  job: "",
  facts: {
    client,
    schedule,
    scraper,
    ...(lastSuccessAt !== undefined && { lastSuccessAt: isoTime(lastSuccessAt) }),
  },
});

const firingOf = async (
  context: ServiceContext,
  { name, body }: StoredSchedule,
  verdict: Verdict,
): Promise<{ readonly firing: FiringBody; readonly job?: JobSpec }> => {
  const common = {
    schedule: name,
    client: body.client,
    at: verdict.at,
    decidedAt: context.now(),
    stages: [],
  };
  if (verdict.fate === "skip")
    return { firing: { ...common, cause: "time", state: "skipped", reason: SKIP_REASONS[verdict.reason] } };
  if (verdict.fate === "miss")
    return { firing: { ...common, cause: "time", state: "missed", reason: MISS_REASONS[verdict.reason] } };
  return await newFiring(context, { name, body }, verdict.at, verdict.cause);
};

/**
 * A running firing with its job, or a firing that could not start, with the reason. Temporary errors are thrown: the next round
 * tries again.
 */
export const newFiring = async (
  context: ServiceContext,
  schedule: Pick<StoredSchedule, "name" | "body">,
  at: number,
  cause: FiringBody["cause"],
): Promise<{ readonly firing: FiringBody; readonly job?: JobSpec }> => {
  const { name, body } = schedule;
  const decidedAt = context.now();
  const common = { schedule: name, client: body.client, at, cause, decidedAt };
  try {
    const job = await jobOf(context, schedule, at);
    return { firing: { ...common, state: "running", job: job.id, stages: newStages(body.stages) }, job };
  } catch (error) {
    if (!isLasting(error)) throw error;
    return {
      firing: {
        ...common,
        state: "failed",
        reason: `it could not start: ${error.message}`,
        endedAt: decidedAt,
        stages: [],
      },
    };
  }
};

/** Errors that the next round would get again. */
export const isLasting = (error: unknown): error is Error =>
  error instanceof ScraperLoadError ||
  (error instanceof Problem && [400, 403, 404, 422].includes(statusOf(error.code)));

export const jobOf = async (
  context: ServiceContext,
  { name, body }: Pick<StoredSchedule, "name" | "body">,
  at: number,
): Promise<JobSpec> => {
  const { client, guardsTargets, job: { deadlineMs, extracts, maxItems, ...options } = {} } = body;
  const startsAt = context.now();
  return await prepareJob(context, {
    creation: { name: jobId(new Date(startsAt)), isAgain: false },
    client,
    scraper: await context.scrapers.find(body.scraper, { client, role: "client" }),
    options: {
      ...options,
      ...(deadlineMs !== undefined && { deadlineAt: new Date(startsAt + deadlineMs).toISOString() }),
      labels: { ...options.labels, schedule: name },
    },
    guardsTargets,
    extracts,
    maxItems,
    inputsFrom: await pinned(context, body.inputsFrom),
    firing: { schedule: name, at },
  });
};

/** Files of the controller's machine cannot be read over the API. */
export const checkSource = (from: InputsFrom, guardsTargets: boolean): void => {
  if ("file" in from && guardsTargets)
    throw new Problem(
      "forbidden",
      "inputsFrom/file: files on the controller's machine are read only for schedules from sluice.config.ts or created on its own data folder. Upload an input set instead.",
    );
  const url = "url" in from ? URL.parse(from.url) : undefined;
  if (url && url.username + url.password !== "")
    throw new Problem(
      "invalid-request",
      "inputsFrom/url: it contains a user name or password, which would be stored.",
    );
};

/** The newest version of a set when the job is created. */
export const pinned = async (
  context: Pick<ServiceContext, "ledger">,
  from: InputsFrom,
): Promise<InputsFrom> => {
  if (!("set" in from)) return from;
  const { version } = await findVersion(context, LOCAL_ACTOR, from.set, from.version);
  return { set: from.set, version };
};

/** The schedule after one of its times was decided. */
export const afterFiring = (body: ScheduleBody, { state, at, reason = "" }: FiringBody): ScheduleBody => {
  const { missing, ...rest } = body;
  const add = (...names: readonly (keyof ScheduleBody["counts"])[]): ScheduleBody["counts"] => ({
    ...body.counts,
    ...Object.fromEntries(names.map((one) => [one, body.counts[one] + 1])),
  });
  switch (state) {
    case "running":
      return { ...rest, running: [...body.running, at], counts: add("fired") };
    case "skipped":
      return { ...body, counts: add("skipped") };
    case "missed":
      return { ...body, counts: add("missed"), missing: missing ?? { at, reason } };
    case "failed":
      return { ...body, counts: add("failed"), missing: missing ?? { at, reason } };
    case "done":
      return body;
    default:
      return state satisfies never;
  }
};

export const eventOf = (
  firing: FiringBody,
  scraper: string,
  facts: Readonly<Record<string, unknown>> = {},
): NewEvent =>
  scheduleEvent(
    (
      {
        running: "schedule.fired",
        skipped: "schedule.skipped",
        missed: "schedule.missed",
        failed: "schedule.failed",
        done: "schedule.completed",
      } as const
    )[firing.state],
    firing,
    { scraper, ...facts },
  );
