import { z } from "zod";
import { described } from "../../schemas/describe.ts";
import { acceptSchema, driftQuery, findingSchema, qualitySchema } from "../../schemas/quality.ts";
import { findingView, qualityView } from "../../services/dataset-view.ts";
import { acceptFinding, readDrift } from "../../services/quality.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

const scraper = described("The scraper's name.", z.string().min(1).max(64));

export const addQualityRoutes = (app: Api, { service }: RouteContext): void => {
  app.get(
    "/v1/scrapers/:scraper/quality",
    {
      schema: {
        operationId: "listQuality",
        summary: "List the quality of a scraper's runs",
        description: "Counts of each run that has ended, newest first.",
        tags: ["quality"],
        params: z.object({ scraper }),
        querystring: driftQuery.omit({ open: true }),
        response: { 200: json("The runs.", z.object({ data: z.array(qualitySchema) })), ...problems() },
      },
    },
    async ({ params, query: { limit }, actor }) => {
      const { runs } = await readDrift(service, actor, params.scraper, { limit });
      return { data: runs.map(qualityView) };
    },
  );

  app.get(
    "/v1/scrapers/:scraper/drift",
    {
      schema: {
        operationId: "listDrift",
        summary: "List findings about the runs of a scraper",
        description: "Newest first. A finding is a share in which a run differs from earlier runs.",
        tags: ["quality"],
        params: z.object({ scraper }),
        querystring: driftQuery,
        response: { 200: json("The findings.", z.object({ data: z.array(findingSchema) })), ...problems() },
      },
    },
    async ({ params, query: { limit, open }, actor }) => {
      const isOpen = open === "true";
      const { findings } = await readDrift(service, actor, params.scraper, { limit, isOpen });
      return { data: findings.map(findingView) };
    },
  );

  app.post(
    "/v1/scrapers/:scraper/drift/:finding/accept",
    {
      schema: {
        operationId: "acceptFinding",
        summary: "Accept a finding",
        description:
          "Needs a reason. The run becomes part of the baseline, and the finding no longer holds releases.",
        tags: ["quality"],
        params: z.object({ scraper, finding: z.string().min(1).max(100) }),
        body: acceptSchema,
        response: { 200: json("The finding.", findingSchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params, body: { reason }, actor }) =>
      findingView(
        await acceptFinding(service, actor, { scraper: params.scraper, id: params.finding, reason }),
      ),
  );
};
