import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors, ResponseSerializationError } from "fastify-type-provider-zod";
import { withoutPlaces } from "../domain/record.ts";
import { Problem, type ProblemCode, statusOf, titleOf } from "../services/problem.ts";
import type { ControllerLog } from "./controller-context.ts";
import type { ProblemBody } from "./answers.ts";

const problemBody = ({ code, message, facts }: Problem, request: string): ProblemBody => ({
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

/** Every failed request is answered here. */
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
  // Do not wait for the body of an unauthenticated request.
  if (!request.actor && !request.raw.complete) void reply.header("connection", "close");
  const { retryAfterSeconds, headers } = problem.facts;
  if (retryAfterSeconds !== undefined) void reply.header("retry-after", String(retryAfterSeconds));
  // As text: the error may come before the route and its schema are known.
  return reply
    .headers({ "x-request-id": request.id, ...headers })
    .code(status)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(problemBody(problem, request.id)));
};

/** Known errors, by name and code: a port's errors come from any backend. */
const BY_NAME: Readonly<Record<string, Readonly<Record<string, ProblemCode>>>> = {
  LedgerError: {
    "no-such-job": "not-found",
    "job-ended": "job-ended",
    "lower-cap": "lower-limit",
    "job-running": "job-running",
    "job-removed": "job-removed",
    locked: "unavailable",
    "no-space": "unavailable",
    "read-only": "unavailable",
    unavailable: "unavailable",
    "damaged-row": "damaged",
  },
  InputError: { "*": "bad-inputs" },
  ScraperLoadError: {
    "*": "broken-scraper",
    "unknown-scraper": "unknown-scraper",
    "changed-scraper": "scraper-changed",
  },
  ReextractError: {
    "no-such-extraction": "no-such-extraction",
    "does-not-fit": "new-version-refused",
    "items-in-flight": "items-in-flight",
  },
  OutputError: { "no-such-field": "no-such-field", "no-changes": "no-changes" },
  ArchiveError: { damaged: "damaged" },
  BlobError: { "no-space": "unavailable", "read-only": "unavailable", unavailable: "unavailable" },
};

const BY_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: "invalid-request",
  404: "not-found",
  413: "too-large",
  414: "too-large",
  415: "unsupported-media-type",
  431: "too-large",
};

const MEDIA_TYPE =
  "Unsupported media type. Send JSON with `content-type: application/json`; send inputs as `text/csv` or `application/x-ndjson`.";

/** Turns any error into the problem to answer with. An unexpected one becomes `internal` and reveals nothing. */
const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const part = error.validationContext ?? "request";
    const errors = error.validation.map(({ instancePath, message }) => ({
      path: `${part}${instancePath === "/" ? "" : instancePath}`,
      message: message ?? "invalid",
    }));
    return new Problem("invalid-request", `The ${part} does not match its schema.`, { errors });
  }
  if (!(error instanceof Error) || error instanceof ResponseSerializationError) return internal(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const codes = BY_NAME[error.name];
  const known = codes?.[code] ?? codes?.["*"];
  if (known === "unavailable")
    return new Problem(
      known,
      "The storage is temporarily unavailable. Try again.",
      { retryAfterSeconds: 5 },
      { cause: error },
    );
  if (known) return new Problem(known, withoutPlaces(error.message), {}, { cause: error });
  const status = "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500;
  const byStatus = code.startsWith("FST_") || status < 500 ? BY_STATUS[status] : undefined;
  if (byStatus === "unsupported-media-type") return new Problem(byStatus, MEDIA_TYPE, {}, { cause: error });
  return byStatus ? new Problem(byStatus, `${error.message}.`, {}, { cause: error }) : internal(error);
};

const internal = (cause: unknown): Problem =>
  new Problem(
    "internal",
    "Internal error. The server's log has the details under this request's id.",
    {},
    { cause },
  );

const STATUS_LINES = {
  "too-large": "431 Request Header Fields Too Large",
  "invalid-request": "400 Bad Request",
} as const;

/** Answers what is not even HTTP, by writing to the socket. */
export const answerBroken = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const code = error.code === "HPE_HEADER_OVERFLOW" ? "too-large" : "invalid-request";
  const body = JSON.stringify(
    problemBody(new Problem(code, "This is not a valid HTTP request."), requestId({ headers: {} })),
  );
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${STATUS_LINES[code]}\r\nconnection: close\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  socket.destroySoon();
};

const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's request id if it is safe to log, otherwise a new one. */
export const requestId = ({ headers }: Pick<IncomingMessage, "headers">): string => {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE.test(given) ? given : randomUUID();
};
