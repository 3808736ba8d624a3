import { z } from "zod";
import { ROLES } from "../../ports/registry.ts";
import { json, openProblems, problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { type RouteContext, shown } from "../route-context.ts";
import { itemsLeft } from "../items-quota.ts";
import { PROBLEM_CODES, Problem, statusOf, titleOf } from "../problem.ts";
import { Readiness, UNREADY } from "../readiness.ts";
import { clientSchema, clientView } from "../schemas/client.ts";

const healthSchema = z.object({ status: z.literal("ok") });

const meSchema = named(
  "Me",
  z.object({
    client: z.string(),
    role: z.enum(ROLES),
    key: says("Id of the key; left out on loopback without keys.", z.string()).optional(),
    quotas: clientSchema.omit({ name: true, createdAt: true }),
    itemsLeftToday: z.number().nullable(),
    version: says("Of the server.", z.string()).optional(),
  }),
);

export const addServiceRoutes = (app: Api, context: RouteContext): void => {
  const { ledger, registry, metrics, version, isDiskFull } = context.service;
  const readiness = new Readiness({ ledger, registry, now: context.now, ...(isDiskFull && { isDiskFull }) });

  app.get(
    "/healthz",
    {
      config: { role: "nobody" },
      schema: {
        operationId: "getHealth",
        summary: "Whether the process is alive",
        tags: ["service"],
        security: [],
        response: { 200: json("It is.", healthSchema), ...openProblems(400) },
      },
    },
    async () => ({ status: "ok" as const }),
  );

  app.get(
    "/readyz",
    {
      config: { role: "nobody" },
      schema: {
        operationId: "getReadiness",
        summary: "Whether the service can do its work",
        description: `A 503 has \`reasons\`: ${Object.keys(UNREADY)
          .map((code) => `\`${code}\``)
          .join(", ")}. Looked at once a second at most.`,
        tags: ["service"],
        security: [],
        response: { 200: json("It can.", healthSchema), ...openProblems(400, 503) },
      },
    },
    async () => {
      const codes = await readiness.look();
      if (codes.length === 0) return { status: "ok" as const };
      const reasons = codes.map((code) => ({ code, detail: UNREADY[code] }));
      throw new Problem("unavailable", reasons.map(({ detail }) => detail).join(" "), {
        reasons,
        retryAfterSeconds: 5,
      });
    },
  );

  app.get(
    "/metrics",
    {
      config: { role: "operator" },
      schema: {
        operationId: "getMetrics",
        summary: "Metrics, in Prometheus' text format",
        tags: ["service"],
        response: { 200: stream("The metrics.", z.string(), "text/plain"), ...problems() },
      },
    },
    async (_request, reply) =>
      await reply.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics()),
  );

  app.get(
    "/v1/me",
    {
      schema: {
        operationId: "getMe",
        summary: "Who the key is",
        tags: ["service"],
        response: { 200: json("The client, its role and its quotas.", meSchema), ...problems() },
      },
    },
    async ({ who }) => {
      const card = await registry.readClient(who.client);
      const quotas = clientView(card ?? { name: who.client, weight: 1, webhooks: [], createdAt: 0 });
      const left = await itemsLeft(context.service, who.client, context.now());
      return {
        client: who.client,
        role: who.role,
        ...(who.key !== undefined && { key: who.key }),
        quotas,
        itemsLeftToday: Number.isFinite(left) ? left : null,
        ...(version !== undefined && { version }),
      };
    },
  );

  app.get(
    "/problems/:code",
    {
      config: { role: "nobody" },
      schema: {
        operationId: "getProblem",
        summary: "What a problem's code means",
        tags: ["service"],
        security: [],
        params: z.object({ code: says("The code.", z.string().max(100)) }),
        response: {
          200: json("It.", z.object({ code: z.string(), status: z.int(), title: z.string() })),
          ...openProblems(400, 404),
        },
      },
    },
    async ({ params }) => {
      const code = PROBLEM_CODES.find((known) => known === params.code);
      if (!code) throw new Problem("not-found", `${shown(params.code)}: no such code.`);
      return { code, status: statusOf(code), title: titleOf(code) };
    },
  );
};
