import { z } from "zod";
import { OVERLAPS } from "../domain/schedule.ts";
import { STAGE_STATES, STAGES } from "../domain/stage.ts";
import {
  type Answer,
  count,
  described,
  instant,
  named,
  numberIn,
  pageQuery,
  type Request,
} from "./describe.ts";
import { inputsFromSchema, plainName } from "./inputs.ts";
import { scheduledOptions } from "./job-options.ts";

const whenSchema = named(
  "ScheduleTimes",
  z.union([
    z.strictObject({
      cron: described(
        "Minute, hour, day, month and weekday, for example `0 6 * * mon`.",
        z.string().min(9).max(200),
      ),
      zone: described(
        "A name from the IANA database, for example `Europe/Berlin`. There is no default.",
        z.string().min(1).max(100),
      ),
    }),
    z.strictObject({ everyMs: described("An interval, counted from 1970 in UTC.", numberIn("everyMs")) }),
    z.strictObject({
      after: described(
        "Another schedule: this one fires when a firing of that one has completed all stages.",
        plainName,
      ),
    }),
  ]),
);

const definition = {
  scraper: described("Name of a scraper of this installation.", z.string().min(1).max(64)),
  when: whenSchema,
  inputsFrom: inputsFromSchema,
  overlap: described(
    "What happens if it fires while an earlier firing has not ended; a paused or held job has not ended.",
    z.enum(OVERLAPS),
  ).default("skip"),
  catchUpMs: described(
    "How late a firing may begin; one period by default.",
    numberIn("catchUpMs"),
  ).optional(),
  jitterMs: described(
    "Firings start up to this much later; the delay is computed from the schedule's name.",
    numberIn("jitterMs"),
  ).optional(),
  stages: described(
    "The stages of a firing, in order. Default `collect`, or with a dataset `collect`, `audit` and `publish`.",
    z
      .array(z.enum(STAGES))
      .min(1)
      .max(STAGES.length)
      .refine((names) => names[0] === "collect" && isInOrder(names), {
        error: `expected "collect" and then some of ${STAGES.slice(1).join(", ")}, in this order`,
      }),
  ).optional(),
  dataset: described(
    "The dataset for the stages `audit` and `publish`.",
    z.string().min(1).max(64),
  ).optional(),
  job: described("Options of its jobs.", z.strictObject(scheduledOptions)).optional(),
};

const isInOrder = (names: readonly (typeof STAGES)[number][]): boolean =>
  names.every((name, at) => at === 0 || STAGES.indexOf(name) > STAGES.indexOf(names[at - 1]!));

export const scheduleDefinition = named("ScheduleDefinition", z.strictObject(definition));
export type ScheduleDefinition = Request<typeof scheduleDefinition>;

export const newScheduleSchema = named(
  "NewSchedule",
  z.strictObject({
    name: plainName,
    ...definition,
    client: described("The client that owns the jobs; for operators.", z.string().min(1).max(100)).optional(),
  }),
);
export type NewSchedule = Request<typeof newScheduleSchema>;

export const previewSchema = z.strictObject({
  when: whenSchema,
  name: described("The delay by jitter depends on it.", plainName).optional(),
  jitterMs: numberIn("jitterMs").optional(),
});
export type PreviewWish = Request<typeof previewSchema>;

export const comingSchema = named(
  "ComingTime",
  z.object({
    at: described("The nominal time.", instant),
    local: described("The same in the schedule's zone.", z.string()).optional(),
    startsAt: described("When it starts, with jitter.", instant).optional(),
  }),
);
export type Coming = Answer<typeof comingSchema>;
export const comingListSchema = z.object({ data: z.array(comingSchema) });

const stageSchema = z.object({
  name: z.enum(STAGES),
  state: z.enum(STAGE_STATES),
  startedAt: instant.optional(),
  endedAt: instant.optional(),
  detail: z.string().optional(),
});

export const FIRING_STATES = ["running", "done", "failed", "skipped", "missed"] as const;
export const FIRING_CAUSES = ["time", "asked", "backfill"] as const;

export const firingSchema = named(
  "Firing",
  z.object({
    schedule: z.string(),
    at: described("The nominal time, which identifies the firing.", instant),
    cause: z.enum(FIRING_CAUSES),
    state: z.enum(FIRING_STATES),
    reason: described("Why it was skipped or missed, or why it failed.", z.string()).optional(),
    decidedAt: described("When it fired, or was skipped or missed.", instant),
    endedAt: instant.optional(),
    job: z.string().optional(),
    stages: z.array(stageSchema),
  }),
);
export type Firing = Answer<typeof firingSchema>;

export const scheduleSchema = named(
  "Schedule",
  z.object({
    name: z.string(),
    client: z.string(),
    ...definition,
    stages: z.array(z.enum(STAGES)),
    origin: described(
      "Schedules from the configuration can be changed only there.",
      z.enum(["config", "api"]),
    ),
    createdAt: instant,
    pausedAt: instant.optional(),
    pausedBy: z.string().optional(),
    next: described("The next five times; none while it is paused.", z.array(comingSchema)),
    running: described("Firings that have not ended.", z.array(instant)),
    queued: described("Times that fire when nothing runs.", z.array(instant)),
    counts: z.object({ fired: count, done: count, failed: count, skipped: count, missed: count }),
    lastSuccessAt: described("When its last successful firing ended.", instant).optional(),
    revision: z.int(),
  }),
);
export type Schedule = Answer<typeof scheduleSchema>;

export const scheduleParams = z.object({ schedule: described("The schedule's name.", plainName) });
export const firingParams = scheduleParams.extend({ at: described("Its nominal time.", instant) });
export const scheduleQuery = z.strictObject({ ...pageQuery(200, 50) });
export const firingQuery = z.strictObject({ ...pageQuery(200, 20) });

export const resumeScheduleSchema = z.strictObject({
  catchUp: described("Also fires the last time that was missed during the pause.", z.boolean()).default(
    false,
  ),
});

export const MOST_BACKFILLED = 100;
export const backfillSchema = z.strictObject({
  from: described("The first time, inclusive.", z.iso.datetime({ offset: true })),
  to: described("The last time, inclusive.", z.iso.datetime({ offset: true })),
});
export type Backfill = Request<typeof backfillSchema>;

export const repeatSchema = z.strictObject({
  stage: z.enum(STAGES),
  onward: described("Also repeats the stages after it.", z.boolean()).default(false),
});
export type Repeat = Request<typeof repeatSchema>;
