import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Counter, Histogram, Registry as Register, type Registry } from "prom-client";
import type { DeliveryEnd } from "../ports/registry.ts";
import { type FigureSource, serviceMetrics } from "./metrics/service-metrics.ts";

export interface MetricsOptions extends FigureSource {
  /** How long collected figures are reused. */
  readonly keptMs?: number;
}

/** Metrics of this controller and of the service, for Prometheus. */
export interface Metrics {
  /** In the text format. */
  text(): Promise<string>;
  /** Call it before the server listens. */
  watch(app: FastifyInstance): void;
  onDeliveryEnd(delivery: unknown, end: Pick<DeliveryEnd, "state">): void;
}

/** Gauges with names that Prometheus reserves for counters. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];
const KEPT_MS = 5000;

/**
 * The number of series does not grow with jobs, items, clients or lanes: labels have a closed set of values, except for routes and the busiest lanes. Figures
 * from ledger and registry are the same in every controller; the others are of this process only.
 */
export const openMetrics = ({ ledger, registry, version, keptMs = KEPT_MS }: MetricsOptions): Metrics => {
  const register = new Register();
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);

  const figures = serviceMetrics({ ledger, registry, version }, register);
  const tries = new Counter({
    name: "sluice_delivery_tries_total",
    help: "Webhook requests of this controller, by the resulting state of the delivery.",
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

/** Live events and uploads have no meaningful duration. */
const UNTIMED = new Set(["GET /v1/events", "POST /v1/jobs/:job/inputs"]);

/** Counts answers by route pattern: ids and unknown paths create no series. */
export const watchRequests = (app: FastifyInstance, register: Registry): void => {
  const answered = new Counter({
    name: "sluice_api_requests_total",
    help: "API requests, by route and status class.",
    labelNames: ["method", "route", "status"],
    registers: [register],
  });
  const took = new Histogram({
    name: "sluice_api_request_duration_seconds",
    help: "Time from the request's headers to the end of the response, without live events and uploads.",
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
