import { isDeepStrictEqual } from "node:util";
import { isoTime } from "../domain/iso-time.ts";
import { dueTimes, jitterOf, MOST_TOLD, nextTimes, resumed } from "../domain/schedule.ts";
import { repeated } from "../domain/stage.ts";
import type { Dataset } from "../domain/release.ts";
import type { NextTime } from "../domain/zone-time.ts";
import type { CommitReply } from "../ports/documents.ts";
import {
  type Backfill,
  type Coming,
  type Firing,
  MOST_BACKFILLED,
  type NewSchedule,
  type PreviewWish,
  type Repeat,
  type Schedule,
  scheduleDefinition,
  type ScheduleDefinition,
} from "../schemas/schedule.ts";
import { type Actor, isAtLeast, mayRead, type ServiceContext, shown } from "./context.ts";
import { findDataset } from "./datasets.ts";
import { afterFiring, checkSource, eventOf, jobOf, newFiring, nextTimeOf, pinned } from "./fire-schedule.ts";
import { Problem } from "./problem.ts";
import {
  allSchedules,
  findSchedule,
  firingChange,
  type FiringBody,
  firingView,
  MOST_SCHEDULES,
  readFiring,
  readSchedule,
  type ScheduleBody,
  scheduleChange,
  type StoredFiring,
  type StoredSchedule,
} from "./schedule-documents.ts";
import { timesOf } from "./schedule-times.ts";

type Schedules = Pick<ServiceContext, "ledger" | "now">;

/** Number of times that are shown before a schedule is saved, and with it. */
const SHOWN_TIMES = 5;

/** The next times of a schedule, which need not exist, in its zone and in UTC. The times of a schedule with `after` are not known. */
export const previewTimes = async (
  { now }: Pick<Schedules, "now">,
  { when, name, jitterMs = 0 }: PreviewWish,
  afterAt = now(),
): Promise<Coming[]> => {
  if ("after" in when) return [];
  const delayMs = jitterOf(name ?? "", jitterMs);
  const zone = "zone" in when ? when.zone : undefined;
  return nextTimes(await timesOf(when), afterAt, SHOWN_TIMES).map((at) => ({
    at: isoTime(at),
    ...(zone !== undefined && { local: localText(at, zone) }),
    ...(delayMs > 0 && { startsAt: isoTime(at + delayMs) }),
  }));
};

/** `Tue 2026-11-17 06:00 GMT+1` */
const localText = (at: number, timeZone: string): string => {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
  const day = `${part("year")}-${part("month")}-${part("day")}`;
  return `${part("weekday").replace(".", "")} ${day} ${part("hour")}:${part("minute")} ${part("timeZoneName")}`;
};

interface Origin {
  readonly origin: ScheduleBody["origin"];
  readonly guardsTargets: boolean;
  /** As in the audit log. */
  readonly by: string;
}

/** Everything is checked before it is stored: pattern, zone, scraper, inputs, and cycles of schedules that follow each other. */
export const createSchedule = async (
  context: ServiceContext,
  actor: Actor,
  { name, client: asked, ...definition }: NewSchedule,
  origin: Origin,
): Promise<Schedule> => {
  const { dataset } = definition;
  // A release is made of its owner's jobs.
  const client =
    asked ?? (dataset === undefined ? actor.client : (await datasetOf(context, actor, dataset)).client);
  if (client !== actor.client && !isAtLeast(actor.role, "operator"))
    throw new Problem("forbidden", "Only operators can create schedules for other clients.");
  if (await readSchedule(context.ledger, name))
    throw new Problem(
      "schedule-exists",
      `${shown(name)}: a schedule with this name exists. Change it, or remove it first.`,
    );
  await checkCount(context);
  const body = newBody(await checkedDefinition(context, name, client, definition, origin), {
    client,
    ...origin,
    now: context.now(),
  });
  const change = { kind: "schedule" as const, name, expected: 0, body };
  await mustCommit(name, context.ledger.documents.commit({ changes: [change] }));
  return await showSchedule(context, actor, name);
};

const newBody = (
  definition: Checked,
  { now, ...owner }: Origin & { readonly client: string; readonly now: number },
): ScheduleBody => ({
  ...definition,
  ...owner,
  createdAt: now,
  decidedAt: now,
  queue: [],
  running: [],
  counts: { fired: 0, done: 0, failed: 0, skipped: 0, missed: 0 },
});

/** Changes future times; running firings continue unchanged. */
export const changeSchedule = async (
  context: ServiceContext,
  actor: Actor,
  name: string,
  definition: ScheduleDefinition,
  origin: Origin,
): Promise<Schedule> => {
  const stored = await findSchedule(context.ledger, actor, name);
  if (stored.body.origin === "config" && origin.origin !== "config")
    throw new Problem("in-use", `${shown(name)} is declared in the configuration. Change it there.`);
  const { client, createdAt, decidedAt, queue, pausedAt, pausedBy, running, counts } = stored.body;
  const { releasedAt, lastSuccessAt } = stored.body;
  const next = await checkedDefinition(context, name, client, definition, origin);
  const isSameTimes = JSON.stringify(next.when) === JSON.stringify(stored.body.when);
  const body: ScheduleBody = {
    ...newBody(next, { client, ...origin, now: createdAt }),
    decidedAt: isSameTimes ? decidedAt : context.now(),
    queue,
    running,
    counts,
    ...(pausedAt !== undefined && { pausedAt }),
    ...(pausedBy !== undefined && { pausedBy }),
    ...(releasedAt !== undefined && { releasedAt }),
    ...(lastSuccessAt !== undefined && { lastSuccessAt }),
  };
  await mustCommit(name, context.ledger.documents.commit({ changes: [scheduleChange(stored, body)] }));
  return await showSchedule(context, actor, name);
};

type Checked = Pick<
  ScheduleBody,
  "scraper" | "when" | "inputsFrom" | "overlap" | "catchUpMs" | "jitterMs" | "stages" | "dataset" | "job"
>;

const checkedDefinition = async (
  context: ServiceContext,
  name: string,
  client: string,
  given: ScheduleDefinition,
  { guardsTargets }: Origin,
): Promise<Checked> => {
  const definition = definitionOf(given);
  const { when, inputsFrom, scraper: named, dataset, stages } = definition;
  if ("after" in when) await checkCircle(context, name, when.after);
  else await timesOf(when);
  const { scraper } = await context.scrapers.find(named, { client, role: "client" });
  const sources =
    dataset === undefined ? [] : (await datasetOf(context, { client, role: "client" }, dataset)).sources;
  if (dataset !== undefined && !sources.some((source) => source.scraper === scraper.name))
    throw new Problem(
      "invalid-request",
      `dataset: ${shown(dataset)} has no source ${shown(scraper.name)}. Its sources are ${shown(sources.map((source) => source.scraper).join(", "))}.`,
    );
  checkSource(inputsFrom, guardsTargets);
  await pinned(context, inputsFrom);
  if (dataset === undefined && stages.some((stage) => stage === "audit" || stage === "publish"))
    throw new Problem(
      "invalid-request",
      "stages: `audit` and `publish` make a release of a dataset. Name it with `dataset`.",
    );
  return definition;
};

/** With its defaults. */
export const definitionOf = (given: ScheduleDefinition): Checked => {
  const definition = JSON.parse(JSON.stringify(scheduleDefinition.parse(given))) as Omit<Checked, "stages"> &
    Partial<Pick<Checked, "stages">>;
  const { dataset } = definition;
  return {
    ...definition,
    stages: definition.stages ?? (dataset === undefined ? ["collect"] : ["collect", "audit", "publish"]),
  };
};

const PARTS: { readonly [part in keyof Checked]-?: true } = {
  scraper: true,
  when: true,
  inputsFrom: true,
  overlap: true,
  catchUpMs: true,
  jitterMs: true,
  stages: true,
  dataset: true,
  job: true,
};

export const isSameDefinition = (a: { readonly [part in keyof Checked]?: unknown }, b: Checked): boolean =>
  (Object.keys(PARTS) as (keyof Checked)[]).every((part) => isDeepStrictEqual(a[part], b[part]));

const datasetOf = async (context: Schedules, actor: Actor, name: string): Promise<Dataset> => {
  try {
    return (await findDataset(context, actor, name)).body;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(
      "invalid-request",
      `dataset: client ${shown(actor.client)} has no dataset ${shown(name)}. Declare it first, in sluice.config.ts or with \`sluice datasets set\`.`,
    );
  }
};

const checkCount = async ({ ledger }: Schedules): Promise<void> => {
  let count = 0;
  for await (const _ of allSchedules(ledger)) count++;
  if (count >= MOST_SCHEDULES)
    throw new Problem("too-many", `There are ${MOST_SCHEDULES} schedules, which is the limit. Remove some.`);
};

const checkCircle = async ({ ledger }: Schedules, name: string, after: string): Promise<void> => {
  const path = [name];
  for (let next: string | undefined = after; next !== undefined;) {
    if (path.includes(next))
      throw new Problem(
        "invalid-request",
        `when/after: the schedules form a cycle: ${[...path, next].join(" → ")}.`,
      );
    path.push(next);
    const found = await readSchedule(ledger, next);
    if (!found && next === after)
      throw new Problem("invalid-request", `when/after: there is no schedule ${shown(after)}.`);
    next = found && "after" in found.body.when ? found.body.when.after : undefined;
  }
};

const mustCommit = async (name: string, committing: Promise<CommitReply>): Promise<void> => {
  if (!(await committing).committed)
    throw new Problem(
      "changed-meanwhile",
      `${shown(name)}: it was changed by someone else at the same time. Try again.`,
      {
        retryAfterSeconds: 1,
      },
    );
};

export const scheduleView = async (
  context: Schedules,
  { name, revision, body }: StoredSchedule,
): Promise<Schedule> => {
  const { guardsTargets: _, by: __, decidedAt, queue, pausedAt, running, createdAt, ...rest } = body;
  const { releasedAt: ___, missing: ____, lateSince: _____, lastSuccessAt, ...shownParts } = rest;
  const { when, jitterMs } = body;
  const preview = { when, name, ...(jitterMs !== undefined && { jitterMs }) };
  return {
    name,
    ...(shownParts as unknown as Omit<
      Schedule,
      "name" | "createdAt" | "next" | "running" | "queued" | "revision"
    >),
    createdAt: isoTime(createdAt),
    ...(pausedAt !== undefined && { pausedAt: isoTime(pausedAt) }),
    next:
      pausedAt === undefined ? await previewTimes(context, preview, Math.max(decidedAt, context.now())) : [],
    running: running.map(isoTime),
    queued: queue.map(({ at }) => isoTime(at)),
    ...(lastSuccessAt !== undefined && { lastSuccessAt: isoTime(lastSuccessAt) }),
    revision,
  };
};

export const showSchedule = async (context: Schedules, actor: Actor, name: string): Promise<Schedule> =>
  await scheduleView(context, await findSchedule(context.ledger, actor, name));

interface ListPage {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of the schedules that the actor may see, by name. */
export const listSchedules = async (
  context: Schedules,
  actor: Actor,
  { after, limit }: ListPage,
): Promise<{ readonly schedules: readonly Schedule[]; readonly next?: string | undefined }> => {
  const found = (await context.ledger.documents.list("schedule", {
    limit,
    ...(after !== undefined && { after }),
  })) as readonly StoredSchedule[];
  const own = found.filter(({ body }) => mayRead(actor, body.client));
  return {
    schedules: await Promise.all(own.map((schedule) => scheduleView(context, schedule))),
    next: found.length < limit ? undefined : found.at(-1)?.name,
  };
};

/** Newest first. */
export const listFirings = async (
  { ledger }: Pick<Schedules, "ledger">,
  actor: Actor,
  name: string,
  { after, limit }: ListPage,
): Promise<{ readonly firings: readonly Firing[]; readonly next?: string | undefined }> => {
  await findSchedule(ledger, actor, name);
  const found = (await ledger.documents.list("firing", {
    prefix: `${name}/`,
    newest: true,
    limit,
    ...(after !== undefined && { after }),
  })) as readonly StoredFiring[];
  return { firings: found.map(firingView), next: found.length < limit ? undefined : found.at(-1)?.name };
};

/** Running firings continue. Pausing again changes nothing. */
export const pauseSchedule = async (
  context: Schedules,
  actor: Actor,
  name: string,
  by: string,
): Promise<Schedule> => {
  const stored = await findSchedule(context.ledger, actor, name);
  const body = { ...stored.body, pausedAt: context.now(), pausedBy: by };
  if (stored.body.pausedAt === undefined)
    await mustCommit(name, context.ledger.documents.commit({ changes: [scheduleChange(stored, body)] }));
  return await showSchedule(context, actor, name);
};

/** It fires at its next time; with `catchUp`, also for the last time that was missed. Missed times are counted as skipped. */
export const resumeSchedule = async (
  context: Schedules,
  actor: Actor,
  name: string,
  catchUp: boolean,
): Promise<Schedule> => {
  const stored = await findSchedule(context.ledger, actor, name);
  const { pausedBy: _, ...body } = stored.body;
  if (body.pausedAt !== undefined) {
    const now = context.now();
    const passed = catchUp ? 0 : dueTimes(await nextTimeOf(context, body), body.decidedAt, now).length;
    const { pausedAt: __, ...next } = { ...body, ...resumed(body, now, catchUp) };
    const counts = { ...body.counts, skipped: body.counts.skipped + Math.min(passed, MOST_TOLD) };
    await mustCommit(
      name,
      context.ledger.documents.commit({ changes: [scheduleChange(stored, { ...next, counts })] }),
    );
  }
  return await showSchedule(context, actor, name);
};

/** Fires now, whether it is paused or not. Its nominal time is the current second. */
export const runSchedule = async (context: ServiceContext, actor: Actor, name: string): Promise<Firing> => {
  const { ledger, now } = context;
  const stored = await findSchedule(ledger, actor, name);
  const { running, overlap } = stored.body;
  if (running.length > 0 && overlap !== "allow")
    throw new Problem(
      "still-running",
      `${shown(name)}: the firing of ${isoTime(running[0]!)} has not ended. Wait for it, or cancel its job.`,
    );
  let at = Math.floor(now() / 1000) * 1000;
  while (await readFiring(ledger, name, at)) at += 1000;
  const { firing, job } = await newFiring(context, stored, at, "asked");
  if (!job) throw new Problem("invalid-request", `${shown(name)}: ${firing.reason}`);
  const changes = [firingChange(firing, 0), scheduleChange(stored, afterFiring(stored.body, firing))];
  await mustCommit(
    name,
    ledger.documents.commit({ changes, job, events: [eventOf(firing, stored.body.scraper)] }),
  );
  return firingView({ body: firing });
};

/** Queues the times of a period that did not fire: they fire one after another, each when no other firing of the schedule is running. */
export const backfillSchedule = async (
  context: Schedules,
  actor: Actor,
  name: string,
  { from, to }: Backfill,
): Promise<{ readonly queued: readonly string[]; readonly fired: number }> => {
  const { ledger, now } = context;
  const stored = await findSchedule(ledger, actor, name);
  const { body } = stored;
  if ("after" in body.when)
    throw new Problem(
      "invalid-request",
      `${shown(name)}: it follows ${body.when.after} and has no times of its own. Backfill that schedule.`,
    );
  const times = timesIn(await timesOf(body.when), Date.parse(from), Math.min(Date.parse(to), now()));
  const queue = [...body.queue];
  let fired = 0;
  const added: number[] = [];
  for (const at of times) {
    const known = await readFiring(ledger, name, at);
    if (queue.some((one) => one.at === at)) continue;
    if (known && known.body.state !== "skipped" && known.body.state !== "missed") fired++;
    else {
      queue.push({ at, cause: "backfill" });
      added.push(at);
    }
  }
  if (queue.length > MOST_BACKFILLED) throw tooManyTimes();
  if (added.length > 0)
    await mustCommit(
      name,
      ledger.documents.commit({ changes: [scheduleChange(stored, { ...body, queue })] }),
    );
  return { queued: added.map(isoTime), fired };
};

const timesIn = (next: NextTime, from: number, to: number): number[] => {
  const found: number[] = [];
  for (let at = next(from - 1000); at !== undefined && at <= to; at = next(at)) {
    found.push(at);
    if (found.length > MOST_BACKFILLED) throw tooManyTimes();
  }
  return found;
};

const tooManyTimes = (): Problem =>
  new Problem(
    "too-many",
    `At most ${MOST_BACKFILLED} times can wait to be backfilled. Name a shorter period.`,
  );

/** Repeats a stage of a firing that has ended, alone or with the later ones. `collect` is repeated with a new job. */
export const repeatStage = async (
  context: ServiceContext,
  actor: Actor,
  name: string,
  at: number,
  { stage, onward = false }: Repeat,
): Promise<Firing> => {
  const { ledger, now } = context;
  const stored = await findSchedule(ledger, actor, name);
  const found = await readFiring(ledger, name, at);
  if (!found) throw new Problem("not-found", `${shown(name)}: no firing at ${isoTime(at)}.`);
  if (found.body.state === "running")
    throw new Problem("still-running", `${shown(name)}: the firing of ${isoTime(at)} has not ended.`);
  const { endedAt: _, reason: __, ...firing } = found.body;
  if (!firing.stages.some((one) => one.name === stage))
    throw new Problem(
      "invalid-request",
      `${shown(name)}: the firing of ${isoTime(at)} has no stage ${stage}.`,
    );
  const job = stage === "collect" ? await jobOf(context, stored, at) : undefined;
  const next: FiringBody = {
    ...firing,
    state: "running",
    decidedAt: now(),
    stages: repeated(firing.stages, stage, onward),
    ...(job && { job: job.id }),
  };
  const running = { ...stored.body, running: [...stored.body.running, at] };
  const changes = [firingChange(next, found.revision), scheduleChange(stored, running)];
  await mustCommit(name, ledger.documents.commit({ changes, ...(job && { job }) }));
  return firingView({ body: next });
};

/** Its jobs and firings stay; firings are deleted after some time. */
export const removeSchedule = async (context: Schedules, actor: Actor, name: string): Promise<Schedule> => {
  const stored = await findSchedule(context.ledger, actor, name);
  for await (const { name: other, body } of allSchedules(context.ledger))
    if ("after" in body.when && body.when.after === name)
      throw new Problem(
        "in-use",
        `${shown(name)}: schedule ${other} follows it. Change or remove that one first.`,
      );
  const view = await scheduleView(context, stored);
  await mustCommit(name, context.ledger.documents.commit({ changes: [scheduleChange(stored, null)] }));
  return view;
};
