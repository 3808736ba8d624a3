import { z } from "zod";
import { isAddressLane } from "../../domain/lane-name.ts";
import type { LaneState } from "../../domain/job.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { fromCursor, page, pageOf, pageQuery } from "../cursor.ts";
import { type RouteContext, shown } from "../route-context.ts";
import { isoTime } from "../iso-time.ts";
import { orNull } from "../job-view.ts";
import { laneBefore } from "../lane-before.ts";
import { Problem } from "../problem.ts";
import { instant } from "../schemas/instant.ts";
import { perSecond } from "../schemas/job.ts";
import { numberIn } from "../schemas/number-in.ts";

const laneSchema = named(
  "Lane",
  z.object({
    lane: z.string(),
    perSecond: says("Requests a second now; null without a limit.", perSecond),
    factor: says("1 at full pace; less while the site is being spared.", z.number()),
    operatorPerSecond: says(
      "What an operator allows at most; null where nothing was said.",
      z.number().nullable(),
    ),
    isHeld: says("An operator has stopped it.", z.boolean()),
    heldUntil: says("The site is left alone until then.", instant).optional(),
    holdReason: z.string().optional(),
    backlog: says("Items of all jobs that have not ended.", z.int()),
    inFlight: z.int(),
  }),
);

const laneParams = z.object({ lane: says("Its name.", z.string().min(1).max(500)) });

export const addLaneRoutes = (app: Api, context: RouteContext): void => {
  const { ledger } = context.service;

  const laneView = (state: LaneState): z.infer<typeof laneSchema> => ({
    lane: state.lane,
    perSecond: orNull(state.perSecond),
    factor: state.factor,
    operatorPerSecond: state.operatorPerSecond,
    isHeld: state.isHeldByOperator,
    ...(state.holdMs > 0 &&
      Number.isFinite(state.holdMs) && { heldUntil: isoTime(context.now() + state.holdMs) }),
    ...(state.holdReason !== undefined && { holdReason: state.holdReason }),
    backlog: state.backlog,
    inFlight: state.inFlight,
  });

  const findLane = async (name: string): Promise<LaneState> => {
    const [found] = await ledger.listLanes({ after: laneBefore(name), limit: 1 });
    if (found?.lane === name) return found;
    throw new Problem("not-found", `${shown(name)}: no such lane.`);
  };

  app.get(
    "/v1/lanes",
    {
      config: { role: "operator" },
      schema: {
        operationId: "listLanes",
        summary: "List the lanes, by name",
        tags: ["lanes"],
        querystring: z.strictObject(pageQuery(500, 100)),
        response: { 200: json("A page of lanes.", pageOf(laneSchema)), ...problems() },
      },
    },
    async ({ query: { cursor, limit } }) => {
      const after = fromCursor(cursor, z.string());
      const lanes = await ledger.listLanes({ limit, ...(after !== undefined && { after }) });
      return page(lanes.map(laneView), lanes.length < limit ? undefined : lanes.at(-1)?.lane);
    },
  );

  app.get(
    "/v1/lanes/:lane",
    {
      config: { role: "operator" },
      schema: {
        operationId: "getLane",
        summary: "One lane",
        tags: ["lanes"],
        params: laneParams,
        response: { 200: json("The lane.", laneSchema), ...problems(404) },
      },
    },
    async ({ params }) => laneView(await findLane(params.lane)),
  );

  app.patch(
    "/v1/lanes/:lane",
    {
      config: { role: "operator" },
      schema: {
        operationId: "controlLane",
        summary: "Change a lane's pace, hold, release or reset it",
        tags: ["lanes"],
        params: laneParams,
        body: z.strictObject({
          perSecond: says(
            "At most so many requests a second; null takes it back.",
            numberIn("perSecond").nullable(),
          ).optional(),
          isHeld: says(
            "A held lane starts nothing. False also ends a hold that a site's `Retry-After` has set.",
            z.boolean(),
          ).optional(),
          reset: says(
            "Forgets the lane's learned speed, `Crawl-delay`, holds and bookings. What an operator allows at most stays.",
            z.literal(true),
          ).optional(),
        }),
        response: { 200: json("The lane.", laneSchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params: { lane }, body }) => {
      // An address may be given a rate before anybody has asked it for something.
      if (!isAddressLane(lane)) await findLane(lane);
      await ledger.controlLane(lane, {
        ...(body.perSecond !== undefined && { perSecond: body.perSecond }),
        ...(body.isHeld !== undefined && { isHeld: body.isHeld }),
        ...(body.reset && { isReset: true }),
      });
      return laneView(await findLane(lane));
    },
  );
};
