import { z } from "zod";
import { pageOf } from "../../schemas/describe.ts";
import {
  backfillSchema,
  comingListSchema,
  firingParams,
  firingQuery,
  firingSchema,
  newScheduleSchema,
  previewSchema,
  repeatSchema,
  resumeScheduleSchema,
  scheduleDefinition,
  scheduleParams,
  scheduleQuery,
  scheduleSchema,
} from "../../schemas/schedule.ts";
import type { Actor } from "../../services/context.ts";
import {
  backfillSchedule,
  changeSchedule,
  createSchedule,
  listFirings,
  listSchedules,
  pauseSchedule,
  previewTimes,
  removeSchedule,
  repeatStage,
  resumeSchedule,
  runSchedule,
  showSchedule,
} from "../../services/schedules.ts";
import { fromCursor, json, page, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { actorName } from "../audit.ts";
import type { RouteContext } from "../route-context.ts";

const tags = ["schedules"];
const config = { role: "operator" } as const;
const originOf = (actor: Actor) => ({ origin: "api", guardsTargets: true, by: actorName(actor) }) as const;

export const addScheduleRoutes = (app: Api, { service }: RouteContext): void => {
  app.post(
    "/v1/schedules",
    {
      config,
      schema: {
        operationId: "createSchedule",
        summary: "Create a schedule",
        description: "Fires at its next time, not at once. See `preview` for its times before it is created.",
        tags,
        body: newScheduleSchema,
        response: { 201: json("The schedule.", scheduleSchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ body, actor }, reply) =>
      await reply.code(201).send(await createSchedule(service, actor, body, originOf(actor))),
  );

  app.post(
    "/v1/schedules/preview",
    {
      schema: {
        operationId: "previewSchedule",
        summary: "Show the next times of a schedule",
        description: "The next five, in its zone and in UTC. Nothing is stored.",
        tags,
        body: previewSchema,
        response: { 200: json("The times.", comingListSchema), ...problems(413, 415) },
      },
    },
    async ({ body }) => ({ data: await previewTimes(service, body) }),
  );

  app.get(
    "/v1/schedules",
    {
      schema: {
        operationId: "listSchedules",
        summary: "List schedules",
        description: "By name.",
        tags,
        querystring: scheduleQuery,
        response: { 200: json("A page of schedules.", pageOf(scheduleSchema)), ...problems() },
      },
    },
    async ({ query: { cursor, limit }, actor }) => {
      const after = fromCursor(cursor, z.string());
      const { schedules, next } = await listSchedules(service, actor, { after, limit });
      return page(schedules, next);
    },
  );

  app.get(
    "/v1/schedules/:schedule",
    {
      schema: {
        operationId: "getSchedule",
        summary: "Get a schedule",
        tags,
        params: scheduleParams,
        response: { 200: json("The schedule.", scheduleSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => await showSchedule(service, actor, params.schedule),
  );

  app.put(
    "/v1/schedules/:schedule",
    {
      config,
      schema: {
        operationId: "changeSchedule",
        summary: "Change a schedule",
        description: "Running firings continue unchanged.",
        tags,
        params: scheduleParams,
        body: scheduleDefinition,
        response: { 200: json("The schedule.", scheduleSchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, body, actor }) =>
      await changeSchedule(service, actor, params.schedule, body, originOf(actor)),
  );

  app.delete(
    "/v1/schedules/:schedule",
    {
      config,
      schema: {
        operationId: "removeSchedule",
        summary: "Remove a schedule",
        description: "Its jobs stay and continue.",
        tags,
        params: scheduleParams,
        response: { 200: json("The removed schedule.", scheduleSchema), ...problems(404, 409, 413, 415) },
      },
    },
    async ({ params, actor }) => await removeSchedule(service, actor, params.schedule),
  );

  app.get(
    "/v1/schedules/:schedule/firings",
    {
      schema: {
        operationId: "listFirings",
        summary: "List the firings of a schedule",
        description: "Newest first, including those that were skipped or missed.",
        tags,
        params: scheduleParams,
        querystring: firingQuery,
        response: { 200: json("A page of firings.", pageOf(firingSchema)), ...problems(404) },
      },
    },
    async ({ params, query: { cursor, limit }, actor }) => {
      const after = fromCursor(cursor, z.string());
      const { firings, next } = await listFirings(service, actor, params.schedule, { after, limit });
      return page(firings, next);
    },
  );

  app.post(
    "/v1/schedules/:schedule/run",
    {
      config,
      schema: {
        operationId: "runSchedule",
        summary: "Run a schedule now",
        description: "Even while it is paused. The nominal time is the current second.",
        tags,
        params: scheduleParams,
        response: { 201: json("The firing.", firingSchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, actor }, reply) =>
      await reply.code(201).send(await runSchedule(service, actor, params.schedule)),
  );

  app.post(
    "/v1/schedules/:schedule/pause",
    {
      config,
      schema: {
        operationId: "pauseSchedule",
        summary: "Pause a schedule",
        description: "Running firings continue.",
        tags,
        params: scheduleParams,
        response: { 200: json("The schedule.", scheduleSchema), ...problems(404, 409, 413, 415) },
      },
    },
    async ({ params, actor }) => await pauseSchedule(service, actor, params.schedule, actorName(actor)),
  );

  app.post(
    "/v1/schedules/:schedule/resume",
    {
      config,
      schema: {
        operationId: "resumeSchedule",
        summary: "Resume a schedule",
        description: "It fires at its next time; with `catchUp`, also for the last time that was missed.",
        tags,
        params: scheduleParams,
        body: resumeScheduleSchema.optional(),
        response: { 200: json("The schedule.", scheduleSchema), ...problems(404, 409, 413, 415) },
      },
    },
    async ({ params, body, actor }) =>
      await resumeSchedule(service, actor, params.schedule, body?.catchUp === true),
  );

  app.post(
    "/v1/schedules/:schedule/backfill",
    {
      config,
      schema: {
        operationId: "backfillSchedule",
        summary: "Backfill a schedule",
        description:
          "Queues the times of a period that did not fire, at most 100. They fire one after another, each when no other firing of the schedule is running.",
        tags,
        params: scheduleParams,
        body: backfillSchema,
        response: {
          200: json(
            "The times that will fire, and how many of the period had fired.",
            z.object({ queued: z.array(z.string()), fired: z.int() }),
          ),
          ...problems(404, 409, 413, 415),
        },
      },
    },
    async ({ params, body, actor }) => await backfillSchedule(service, actor, params.schedule, body),
  );

  app.post(
    "/v1/schedules/:schedule/firings/:at/repeat",
    {
      config,
      schema: {
        operationId: "repeatStage",
        summary: "Repeat a stage of a firing",
        description: "Alone, or with the stages after it. `collect` is repeated with a new job.",
        tags,
        params: firingParams,
        body: repeatSchema,
        response: { 200: json("The firing.", firingSchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, body, actor }) =>
      await repeatStage(service, actor, params.schedule, Date.parse(params.at), body),
  );
};
