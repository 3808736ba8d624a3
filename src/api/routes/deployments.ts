import { z } from "zod";
import { described } from "../../schemas/describe.ts";
import { deploymentSchema } from "../../schemas/operations.ts";
import { MOST_BUNDLE_BYTES } from "../../scrapers/bundle.ts";
import { deployScraper } from "../../services/deployments.ts";
import { Problem } from "../../services/problem.ts";
import { json, problems } from "../answers.ts";
import type { Api, ApiTypes } from "../api.ts";
import { actorName } from "../audit.ts";
import type { RouteContext } from "../route-context.ts";

const TYPE = "application/octet-stream";

export const addDeploymentRoutes = (app: Api, { service }: RouteContext): void => {
  void app.register(async (plugin) => {
    const scope = plugin.withTypeProvider<ApiTypes>();
    scope.addContentTypeParser(
      TYPE,
      { parseAs: "buffer", bodyLimit: MOST_BUNDLE_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.put(
      "/v1/scrapers/:scraper/bundle",
      {
        config: { role: "operator" },
        bodyLimit: MOST_BUNDLE_BYTES,
        schema: {
          operationId: "deployScraper",
          summary: "Deploy a scraper",
          description:
            "Stores a version of a scraper with all of its code, as `sluice deploy` makes it. The code is loaded at once, and runs with the rights of the installation. " +
            "New jobs use it if the installation has no file of this name. Jobs that have begun keep their version.",
          tags: ["scrapers"],
          consumes: [TYPE],
          params: z.object({ scraper: described("The scraper's name.", z.string().max(64)) }),
          querystring: z.strictObject({
            commit: described(
              "Commit of the repository that it comes from.",
              z.string().regex(/^[0-9a-f]{7,64}$/),
            ).optional(),
          }),
          body: described("The bundle.", z.any()),
          response: {
            200: json("This version was already deployed.", deploymentSchema),
            201: json("The version was deployed.", deploymentSchema),
            ...problems(413, 415, 422),
          },
        },
      },
      async ({ params, query, body, actor }, reply) => {
        if (!Buffer.isBuffer(body)) throw new Problem("unsupported-media-type", `Send ${TYPE}.`);
        const { isNew, ...deployed } = await deployScraper(service, {
          name: params.scraper,
          bundle: body,
          by: actorName(actor),
          commit: query.commit,
        });
        return await reply.code(isNew ? 201 : 200).send({ ...deployed, isNew });
      },
    );
  });
};
