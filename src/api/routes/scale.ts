import { scaleSchema } from "../../schemas/operations.ts";
import { ScaleWatch } from "../../services/scale.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

export const addScaleRoutes = (app: Api, { service }: RouteContext): void => {
  const scale = new ScaleWatch(service);

  app.get(
    "/v1/scale",
    {
      config: { role: "operator", orRole: "worker" },
      schema: {
        operationId: "getScale",
        summary: "Get the useful number of workers",
        description:
          "For autoscalers. It is computed from the rates of the lanes, the items that can run now, and the measured time of an item. Keys of role `worker` can use it too.",
        tags: ["workers"],
        response: { 200: json("The useful number of workers.", scaleSchema), ...problems() },
      },
    },
    async () => await scale.look(),
  );
};
