import { z } from "zod";
import { described, pageOf } from "../../schemas/describe.ts";
import { jobParams } from "../../schemas/job.ts";
import {
  jobLaneQuery,
  jobLaneSchema,
  laneControlSchema,
  laneQuery,
  laneSchema,
  workerSchema,
} from "../../schemas/operations.ts";
import { findJob } from "../../services/jobs.ts";
import { controlLane, findLane, listLanes } from "../../services/lanes.ts";
import { jobLaneView, laneView } from "../../services/lane-view.ts";
import { fromCursor, json, page, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

const laneParams = z.object({ lane: described("The lane's name.", z.string().min(1).max(500)) });

export const addLaneRoutes = (app: Api, { service, now }: RouteContext): void => {
  app.get(
    "/v1/lanes",
    {
      config: { role: "operator" },
      schema: {
        operationId: "listLanes",
        summary: "List lanes",
        description: "By name.",
        tags: ["lanes"],
        querystring: laneQuery,
        response: { 200: json("A page of lanes.", pageOf(laneSchema)), ...problems() },
      },
    },
    async ({ query: { cursor, limit, prefix, held } }) => {
      const after = fromCursor(cursor, z.string());
      const { lanes, next } = await listLanes(service, {
        limit,
        isHeld: held === "true",
        ...(prefix !== undefined && { prefix }),
        ...(after !== undefined && { after }),
      });
      return page(
        lanes.map((lane) => laneView(lane, now())),
        next,
      );
    },
  );

  app.get(
    "/v1/jobs/:job/lanes",
    {
      schema: {
        operationId: "listJobLanes",
        summary: "List the lanes of a job",
        description: "In the order in which the lanes were first used.",
        tags: ["jobs"],
        params: jobParams,
        querystring: jobLaneQuery,
        response: { 200: json("A page of lanes.", pageOf(jobLaneSchema)), ...problems(404) },
      },
    },
    async ({ params, query: { backlog, cursor, limit }, actor }) => {
      const { spec } = await findJob(service, actor, params.job);
      const after = fromCursor(cursor, z.string());
      const lanes = await service.ledger.listJobLanes(spec.id, {
        limit,
        isOpen: backlog === "true",
        ...(after !== undefined && { after }),
      });
      return page(
        lanes.map((lane) => jobLaneView(lane, now())),
        lanes.length < limit ? undefined : lanes.at(-1)?.lane,
      );
    },
  );

  app.get(
    "/v1/lanes/:lane",
    {
      config: { role: "operator" },
      schema: {
        operationId: "getLane",
        summary: "Get a lane",
        tags: ["lanes"],
        params: laneParams,
        response: { 200: json("The lane.", laneSchema), ...problems(404) },
      },
    },
    async ({ params }) => laneView(await findLane(service, params.lane), now()),
  );

  app.patch(
    "/v1/lanes/:lane",
    {
      config: { role: "operator" },
      schema: {
        operationId: "controlLane",
        summary: "Limit, hold, release or reset a lane",
        tags: ["lanes"],
        params: laneParams,
        body: laneControlSchema,
        response: { 200: json("The lane.", laneSchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params: { lane }, body }) => {
      await controlLane(service, lane, {
        ...(body.perSecond !== undefined && { perSecond: body.perSecond }),
        ...(body.isHeld !== undefined && { isHeld: body.isHeld }),
        ...(body.reset && { isReset: true }),
      });
      return laneView(await findLane(service, lane), now());
    },
  );

  app.get(
    "/v1/workers",
    {
      config: { role: "operator" },
      schema: {
        operationId: "listWorkers",
        summary: "List workers",
        description: "With the items that they are running.",
        tags: ["workers"],
        response: {
          200: json("All live workers.", z.object({ data: z.array(workerSchema) })),
          ...problems(),
        },
      },
    },
    async () => ({ data: await service.ledger.listWorkers() }),
  );
};
