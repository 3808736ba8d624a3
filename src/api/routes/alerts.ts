import { alertsSchema } from "../../schemas/alert.ts";
import { readAlerts } from "../../services/alerts.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

export const addAlertRoutes = (app: Api, { service }: RouteContext): void => {
  app.get(
    "/v1/alerts",
    {
      config: { role: "operator" },
      schema: {
        operationId: "listAlerts",
        summary: "List alerts",
        description:
          "What is wrong with jobs now, by the rules of `sluice.config.ts`, checked every ten seconds. Also available without alert channels.",
        tags: ["service"],
        response: { 200: json("All alerts, the oldest first.", alertsSchema), ...problems() },
      },
    },
    async () => await readAlerts(service.registry, service.alerts ?? { channels: [] }),
  );
};
