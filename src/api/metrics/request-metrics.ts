import type { FastifyInstance } from "fastify";
import { Counter, Histogram, type Registry } from "prom-client";

/** Live events and uploads last as long as somebody wants them to. */
const UNTIMED = new Set(["GET /v1/events", "POST /v1/jobs/:job/inputs"]);

/** Counts what an API answers, by the route's pattern: ids and paths that nobody has routes for make no series. */
export const watchRequests = (app: FastifyInstance, register: Registry): void => {
  const answered = new Counter({
    name: "sluice_api_requests_total",
    help: "Requests that were answered, by route and class of status.",
    labelNames: ["method", "route", "status"],
    registers: [register],
  });
  const took = new Histogram({
    name: "sluice_api_request_duration_seconds",
    help: "From a request's head to the end of its answer. Without live events and uploads.",
    labelNames: ["method", "route"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers: [register],
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    const method = route === undefined ? "any" : request.method;
    const labels = { method, route: route ?? "none" };
    answered.inc({ ...labels, status: `${Math.floor(reply.statusCode / 100)}xx` });
    if (!UNTIMED.has(`${method} ${route}`)) took.observe(labels, reply.elapsedTime / 1000);
  });
};
