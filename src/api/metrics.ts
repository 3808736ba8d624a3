import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Counter, Histogram, Registry as Register, type Registry } from "prom-client";
import type { DeliveryEnd } from "../ports/registry.ts";
import { type FigureSource, serviceMetrics } from "./metrics/service-metrics.ts";

export interface MetricsOptions extends FigureSource {
  /** So long a look at the service is good enough for whoever asks next. */
  readonly keptMs?: number;
}

/** What a controller knows of itself and of the service, for Prometheus. */
export interface Metrics {
  /** In the text format. */
  text(): Promise<string>;
  /** Before it listens. */
  watch(app: FastifyInstance): void;
  onDeliveryEnd(delivery: unknown, end: Pick<DeliveryEnd, "state">): void;
}

/** Gauges whose names Prometheus keeps for counters. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];
const KEPT_MS = 5000;

/**
 * The number of series does not grow with jobs, items, clients or lanes: a label's values are of a closed set, but for routes and the busiest
 * lanes. What the ledger and the registry say is the same from every controller on them; what happens in this process is only its own.
 */
export const openMetrics = ({ ledger, registry, version, keptMs = KEPT_MS }: MetricsOptions): Metrics => {
  const register = new Register();
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);

  const figures = serviceMetrics({ ledger, registry, version }, register);
  const tries = new Counter({
    name: "sluice_delivery_tries_total",
    help: "Tries of this controller to send to a webhook, by what became of the delivery.",
    labelNames: ["state"],
    registers: [register],
  });
  for (const state of ["delivered", "due", "parked"]) tries.inc({ state }, 0);

  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    if (performance.now() - lookedAt < keptMs) return;
    looking ??= figures.look().finally(() => (looking = undefined));
    await looking;
    lookedAt = performance.now();
  };
  return {
    async text() {
      await look();
      return `${await register.metrics()}\n${figures.histograms()}`;
    },
    watch: (app) => watchRequests(app, register),
    onDeliveryEnd: (_delivery, { state }) => tries.inc({ state }),
  };
};

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
