import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import { Problem } from "../services/problem.ts";
import { answerBroken, answerProblem, requestId } from "./answer-problem.ts";
import type { Api, ApiTypes } from "./api.ts";
import { addAudit } from "./audit.ts";
import { addAuth } from "./auth.ts";
import type { ControllerContext } from "./controller-context.ts";
import { EventFeed } from "./event-feed.ts";
import { addIdempotency } from "./idempotency.ts";
import { OpenStreams, whenClosed } from "./open-streams.ts";
import { addDocs, addOpenapi } from "./openapi.ts";
import { ProgressWatch } from "./progress-watch.ts";
import { addJsonParser, BodyRoom } from "./request-body.ts";
import { RequestTurns } from "./turns.ts";
import { caller } from "./yielding.ts";
import { RouteContext } from "./route-context.ts";
import { addAlertRoutes } from "./routes/alerts.ts";
import { addAuditRoutes } from "./routes/audit.ts";
import { addBatchRoutes } from "./routes/batches.ts";
import { addBlobRoutes } from "./routes/blobs.ts";
import { addCaptureRoutes } from "./routes/captures.ts";
import { addClientRoutes } from "./routes/clients.ts";
import { addDashboardRoutes } from "./routes/dashboard.ts";
import { addDatasetRoutes } from "./routes/datasets.ts";
import { addDeploymentRoutes } from "./routes/deployments.ts";
import { addVersionRoutes } from "./routes/versions.ts";
import { addEventRoutes } from "./routes/events.ts";
import { addItemRoutes } from "./routes/items.ts";
import { addJobControlRoutes } from "./routes/job-control.ts";
import { addInputRoutes } from "./routes/job-inputs.ts";
import { addJobRoutes } from "./routes/jobs.ts";
import { addLaneRoutes } from "./routes/lanes.ts";
import { addScaleRoutes } from "./routes/scale.ts";
import { addLedgerRoutes } from "./routes/ledger.ts";
import { addQualityRoutes } from "./routes/quality.ts";
import { addPageViewRoutes } from "./routes/page-view.ts";
import { addRemovalRoutes } from "./routes/removals.ts";
import { addResultRoutes } from "./routes/results.ts";
import { addScraperRoutes } from "./routes/scrapers.ts";
import { addServiceRoutes } from "./routes/service.ts";
import { addInputSetRoutes } from "./routes/input-sets.ts";
import { addScheduleRoutes } from "./routes/schedules.ts";
import { addSessionRoutes } from "./routes/session.ts";
import { addWebhookRoutes } from "./routes/webhooks.ts";

const BODY_LIMIT = 1024 * 1024;
const BODY_MS = 60_000;
const WATCH_MS = 1000;
const CLOSE_IDLE_MS = 50;

/** The controller's API, ready to listen. Its context stays open when it closes. */
export const buildServer = async (service: ControllerContext): Promise<FastifyInstance> => {
  const { log, now = Date.now, version = "0.1.0", tls } = service;
  const app = fastify({
    // Typed as plain HTTP, which the API is written for.
    ...(tls && ({ https: tls } as object)),
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false },
    requestIdHeader: false,
    genReqId: requestId,
    logger: false,
    forceCloseConnections: "idle",
    // Bodies of uploads may take hours.
    requestTimeout: 0,
    clientErrorHandler: answerBroken,
    frameworkErrors: (error, request, reply) => void answerProblem(error, request, reply, log),
  }).withTypeProvider<ApiTypes>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.removeContentTypeParser("text/plain");
  addJsonParser(app);

  const methodsOf = gatherMethods(app);
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply, log));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?")[0]!;
    const methods = methodsOf(path);
    const problem =
      methods.length === 0
        ? new Problem("not-found", `${request.method} ${path.slice(0, 200)}: not found. See /docs.`)
        : new Problem("method-not-allowed", `${request.method}: use ${methods.join(" or ")}.`, {
            headers: { allow: methods.join(", ") },
          });
    return answerProblem(problem, request, reply, log);
  });

  app.addHook("onRequest", async (request, reply) => {
    void reply.headers({
      "x-request-id": request.id,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
  });
  const keyCache = addAuth(app, service.registry, now);
  const turns = new RequestTurns();
  app.addHook("onRequest", async (request) => await turns.take(request.actor.client || request.ip));
  // Not earlier: reading the body leaves the context.
  app.addHook("preValidation", ({ actor }, _reply, done) => caller.run(actor.client, done));
  addIdempotency(app, service.registry, now);
  addAudit(app, service.registry, log, now);
  app.addHook("onResponse", async (request, reply) => {
    if (request.isUnlogged) return;
    log.info("request", {
      request: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(request.actor?.client && { client: request.actor.client, key: request.actor.key }),
      ...namedBy(request),
    });
  });

  // A streamed body may take hours (see `OpenStreams`); a body that is read as a whole may not.
  const bodies = new BodyRoom();
  app.addHook("preParsing", async (request, reply) => {
    const { raw, routeOptions } = request;
    if (routeOptions.config.isStreamed || raw.complete) return;
    bodies.take(request, (over) => whenClosed(reply.raw, over));
    const timer = setTimeout(() => raw.socket.destroy(), BODY_MS).unref();
    raw.once("end", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
  });

  const watch = new ProgressWatch(service.ledger, log, now, service.watchMs ?? WATCH_MS);
  app.addHook("onClose", async () => await watch.stop());
  // Otherwise a connection whose last answer ends while the server closes would be kept open for another request.
  app.addHook("preClose", async () => {
    const timer = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS);
    app.server.once("close", () => clearInterval(timer));
  });
  const streams = new OpenStreams(service.registry, now, log, service.streamTimes);
  app.addHook("onClose", async () => streams[Symbol.dispose]());
  const feed = new EventFeed(service.ledger);
  const context = new RouteContext({ ...service, now }, { watch, feed, keys: keyCache, streams });

  await addOpenapi(app, version);
  for (const addRoutes of ROUTES) addRoutes(app, context);
  await addDocs(app);
  return app;
};

/** The ids in the path of a known route: a job, an item, a lane. */
const namedBy = ({ is404, params }: FastifyRequest): { readonly of?: unknown } =>
  is404 || Object.keys(params as object).length === 0 ? {} : { of: params };

/** In the order of the API document. */
const ROUTES = [
  addJobRoutes,
  addInputRoutes,
  addJobControlRoutes,
  addRemovalRoutes,
  addItemRoutes,
  addCaptureRoutes,
  addPageViewRoutes,
  addResultRoutes,
  addBatchRoutes,
  addInputSetRoutes,
  addScheduleRoutes,
  addScraperRoutes,
  addDeploymentRoutes,
  addVersionRoutes,
  addQualityRoutes,
  addDatasetRoutes,
  addLaneRoutes,
  addScaleRoutes,
  addClientRoutes,
  addWebhookRoutes,
  addEventRoutes,
  addAlertRoutes,
  addAuditRoutes,
  addServiceRoutes,
  addSessionRoutes,
  addDashboardRoutes,
  addLedgerRoutes,
  addBlobRoutes,
];

/** Answers with the allowed methods if a path exists but not with this method. Routes are collected as they are added. */
export const gatherMethods = (app: Api): ((path: string) => readonly string[]) => {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    const source = url
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/:[A-Za-z]+/g, "[^/]+")
      .replaceAll("\\*", ".*");
    routes.push({ pattern: new RegExp(`^${source}$`), methods: [method].flat() });
  });
  return (path) => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
  ];
};
