import { z } from "zod";
import { pageOf } from "../../schemas/describe.ts";
import { auditEntrySchema, auditQuery } from "../../schemas/operations.ts";
import { listAudit } from "../../services/audit.ts";
import { fromCursor, json, page, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

export const addAuditRoutes = (app: Api, { service }: RouteContext): void => {
  app.get(
    "/v1/audit",
    {
      config: { role: "operator" },
      schema: {
        operationId: "listAudit",
        summary: "List the audit log",
        description:
          "Changes by operators and admins, newest first, including refused ones and those made by commands on the data folder. Entries are kept for 400 days, at most 200,000.",
        tags: ["service"],
        querystring: auditQuery,
        response: { 200: json("A page of entries.", pageOf(auditEntrySchema)), ...problems() },
      },
    },
    async ({ query: { cursor, limit, ...query } }) => {
      const before = fromCursor(cursor, z.int());
      const entries = await listAudit(service, query, { limit, before });
      return page(entries, entries.length < limit ? undefined : entries.at(-1)?.id);
    },
  );
};
