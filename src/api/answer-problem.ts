import type { FastifyReply, FastifyRequest } from "fastify";
import type { ControllerLog } from "./controller-context.ts";
import { problemOf } from "./problem-of.ts";
import { type Problem, statusOf, titleOf } from "../services/problem.ts";
import type { ProblemBody } from "./problem-schema.ts";

export const problemBody = ({ code, message, facts }: Problem, request: string): ProblemBody => ({
  type: `/problems/${code}`,
  title: titleOf(code),
  status: statusOf(code),
  detail: message,
  instance: request,
  code,
  ...(facts.errors && { errors: [...facts.errors] }),
  ...(facts.reasons && { reasons: [...facts.reasons] }),
  ...(facts.offset !== undefined && { offset: facts.offset }),
});

/** The one way in which a request ends badly. */
export const answerProblem = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: ControllerLog,
): FastifyReply => {
  const problem = problemOf(error);
  const status = statusOf(problem.code);
  request.problem = problem.code;
  if (status >= 500) {
    const { cause } = problem;
    log.error("request.failed", {
      request: request.id,
      route: request.routeOptions?.url,
      problem: problem.code,
      error: cause instanceof Error ? (cause.stack ?? cause.message) : problem.message,
    });
  }
  if ((status === 401 || status === 403) && !request.isUnlogged)
    log.warn("request.refused", {
      request: request.id,
      route: request.routeOptions?.url,
      problem: problem.code,
      from: request.ip,
      ...(request.actor?.client && { client: request.actor.client, key: request.actor.key }),
    });
  // Of somebody whom nobody knows, no body is waited for.
  if (!request.actor && !request.raw.complete) void reply.header("connection", "close");
  const { retryAfterSeconds, headers } = problem.facts;
  if (retryAfterSeconds !== undefined) void reply.header("retry-after", String(retryAfterSeconds));
  // As text: an error may come before the route, and with it the schema, is known.
  return reply
    .headers({ "x-request-id": request.id, ...headers })
    .code(status)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(problemBody(problem, request.id)));
};
