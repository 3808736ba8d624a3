import { z } from "zod";
import type { StoredAudit } from "../../ports/registry.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { fromCursor, page, pageOf, pageQuery } from "../cursor.ts";
import type { RouteContext } from "../route-context.ts";
import { isoTime } from "../iso-time.ts";
import { instant } from "../schemas/instant.ts";

const auditSchema = named(
  "AuditEntry",
  z.object({
    id: z.int(),
    at: instant,
    actor: says("`key:ID`, `user:NAME` of the machine, or `local` where no key is needed.", z.string()),
    client: says("Whose key it is.", z.string()).optional(),
    via: says("`cli`: a command on the data folder.", z.enum(["api", "cli"])),
    action: says("The operation, by its `operationId`.", z.string()),
    target: says("What was changed.", z.string()).optional(),
    detail: says("What was asked for, without secrets.", z.unknown()).optional(),
    from: says("The address that it came from.", z.string()).optional(),
    outcome: says("`ok`, or the code of what went wrong.", z.string()),
  }),
);

export const addAuditRoutes = (app: Api, context: RouteContext): void => {
  const { registry } = context.service;

  app.get(
    "/v1/audit",
    {
      config: { role: "operator" },
      schema: {
        operationId: "listAudit",
        summary: "List what operators and admins have changed, the newest first",
        description:
          "Also what was refused to them, and what was done by commands on the data folder. Kept for 400 days, and at most 200,000 entries.",
        tags: ["service"],
        querystring: z.strictObject({
          actor: says("Only of this one.", z.string().min(1).max(200)).optional(),
          action: says("Only these.", z.string().min(1).max(100)).optional(),
          since: says("Not before.", instant).optional(),
          ...pageQuery(500, 100),
        }),
        response: { 200: json("A page of entries.", pageOf(auditSchema)), ...problems() },
      },
    },
    async ({ query: { actor, action, since, cursor, limit } }) => {
      const before = fromCursor(cursor, z.int());
      const entries = await registry.listAudit({
        limit,
        ...(actor !== undefined && { actor }),
        ...(action !== undefined && { action }),
        ...(since !== undefined && { sinceAt: Date.parse(since) }),
        ...(before !== undefined && { before }),
      });
      return page(entries.map(auditView), entries.length < limit ? undefined : entries.at(-1)?.id);
    },
  );
};

const auditView = ({ at, detail, ...entry }: StoredAudit): z.infer<typeof auditSchema> => ({
  ...entry,
  at: isoTime(at),
  ...(detail !== undefined && { detail: JSON.parse(detail) as unknown }),
});
