import { z } from "zod";
import { json, openProblems, problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import { described } from "../../schemas/describe.ts";
import type { RouteContext } from "../route-context.ts";
import { describeActor } from "../../services/clients.ts";
import { shown } from "../../services/context.ts";
import { PROBLEM_CODES, Problem, statusOf, titleOf } from "../../services/problem.ts";
import { Readiness, UNREADY, UNREADY_CODES } from "../readiness.ts";
import { meSchema } from "../../schemas/client.ts";

const healthSchema = z.object({ status: z.literal("ok") });

export const addServiceRoutes = (app: Api, context: RouteContext): void => {
  const { service } = context;
  const { ledger, registry, metrics, version, isDiskFull } = service;
  const readiness = new Readiness({ ledger, registry, now: context.now, ...(isDiskFull && { isDiskFull }) });

  app.get(
    "/healthz",
    {
      config: { role: "nobody" },
      schema: {
        operationId: "getHealth",
        summary: "Check that the process is alive",
        tags: ["service"],
        security: [],
        response: { 200: json("It is alive.", healthSchema), ...openProblems(400) },
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
        summary: "Check that the service is ready",
        description: `A 503 answer has \`reasons\`: ${Object.keys(UNREADY)
          .map((code) => `\`${code}\``)
          .join(", ")}. Checked at most once a second.`,
        tags: ["service"],
        security: [],
        querystring: z.strictObject({
          exclude: described(
            "A reason to ignore. Use `no-workers` if an autoscaler must reach a service without workers.",
            z.enum(UNREADY_CODES),
          ).optional(),
        }),
        response: { 200: json("It is ready.", healthSchema), ...openProblems(400, 503) },
      },
    },
    async ({ query: { exclude } }) => {
      const codes = (await readiness.look()).filter((code) => code !== exclude);
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
        summary: "Get metrics in the Prometheus text format",
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
        summary: "Get the client and role of the key",
        tags: ["service"],
        response: { 200: json("The client, its role and its quotas.", meSchema), ...problems() },
      },
    },
    async ({ actor }) => ({
      ...(await describeActor(service, actor)),
      ...(version !== undefined && { version }),
    }),
  );

  app.get(
    "/problems/:code",
    {
      config: { role: "nobody" },
      schema: {
        operationId: "getProblem",
        summary: "Get the meaning of a problem code",
        tags: ["service"],
        security: [],
        params: z.object({ code: described("The code.", z.string().max(100)) }),
        response: {
          200: json("The problem.", z.object({ code: z.string(), status: z.int(), title: z.string() })),
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
