// own process: starts promtool
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { AddressInfo } from "node:net";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { openFiles } from "../backends/files/open-files.ts";
import type { EventType } from "../ports/event-log.ts";
import { MISS_REASONS, SKIP_REASONS } from "../domain/schedule.ts";
import { laneName } from "../domain/lane-name.ts";
import { DONE, SimWorker } from "../ports/ledger-suite/sim-worker.ts";
import { workerInfo, jobSpec } from "../ports/ledger-suite/test-kit.ts";
import { findPromtool } from "../../test/promtool.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { readMetrics, type Series, whatIsWrong } from "./testing/metrics.ts";
import { openCatalog } from "../services/scraper-catalog.ts";
import { buildServer } from "./server.ts";
import { NotifyKit } from "./testing/notify-kit.ts";

const open = async (t: TestContext): Promise<{ service: NotifyKit; metrics: Metrics }> => {
  const service = await NotifyKit.open(t);
  const { ledger, registry } = service;
  return { service, metrics: openMetrics({ ledger, registry, version: "sluice/test", keptMs: 0 }) };
};

const find = (all: readonly Series[], name: string, labels: Readonly<Record<string, string>> = {}) =>
  all.filter(
    (one) =>
      one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
const valueOf = (...asked: Parameters<typeof find>): number | undefined => find(...asked)[0]?.value;

/** Items spread over so many lanes, the first with the most. */
const fill = async ({ ledger }: NotifyKit, lanes: number): Promise<void> => {
  await ledger.createJob(jobSpec("wide"));
  const items = Array.from({ length: lanes }, (_, n) => ({
    key: `k${n}`,
    input: "{}",
    lane: `site-${n}.example`,
  }));
  const busy = Array.from({ length: 60 }, (_, n) =>
    Array.from({ length: 100 - n }, (__, i) => ({
      key: `busy-${n}-${i}`,
      input: "{}",
      lane: `site-${n}.example`,
    })),
  );
  await ledger.addItems("wide", [...items, ...busy.flat()], []);
};

test("the text is valid for Prometheus and its linter", async (t) => {
  const { service, metrics } = await open(t);
  await fill(service, 60);
  assert.deepEqual(whatIsWrong(await metrics.text()), []);
});

const checkWithPromtool = async (t: TestContext, words: readonly string[], input?: string): Promise<void> => {
  const promtool = await findPromtool();
  if ("reason" in promtool) return t.skip(promtool.reason);
  const { status, stdout, stderr } = spawnSync(promtool.path, ["check", ...words], {
    encoding: "utf8",
    ...(input !== undefined && { input }),
  });
  assert.equal(status, 0, stdout + stderr);
};

test("promtool reports no problem with the metrics", async (t) => {
  const { service, metrics } = await open(t);
  await fill(service, 60);
  await service.ledger.registerWorker(workerInfo("w1"), { "claim within 0.01": 2, "claim seconds": 0.01 });
  await checkWithPromtool(t, ["metrics"], await metrics.text());
});

test("promtool accepts the alert rules", async (t) => {
  await checkWithPromtool(t, [
    "rules",
    fileURLToPath(new URL("../../deploy/alert-rules.yml", import.meta.url)),
  ]);
});

test("10,000 lanes are counted, and only the 50 busiest have their own series", async (t) => {
  const { service, metrics } = await open(t);
  await fill(service, 10_000);
  const text = await metrics.text();
  assert.ok(text.split("\n").length < 2000, `${text.split("\n").length} lines`);
  const all = readMetrics(text);
  assert.equal(valueOf(all, "sluice_lanes", { condition: "known" }), 10_000);
  assert.equal(valueOf(all, "sluice_lanes", { condition: "busy" }), 10_000);
  const lanes = find(all, "sluice_lane_backlog_items");
  assert.equal(lanes.length, 50);
  assert.deepEqual(
    lanes.map(({ value }) => value),
    Array.from({ length: 50 }, (_, n) => 101 - n),
  );
});

test("a lane that is no longer among the busiest loses its series", async (t) => {
  const { service, metrics } = await open(t);
  await fill(service, 1);
  assert.equal(find(readMetrics(await metrics.text()), "sluice_lane_backlog_items").length, 50);
  await service.ledger.controlJob("wide", "cancel");
  assert.equal(find(readMetrics(await metrics.text()), "sluice_lane_backlog_items").length, 0);
});

test("held and spared lanes, workers and deliveries are counted", async (t) => {
  const { service, metrics } = await open(t);
  const { ledger, registry } = service;
  await fill(service, 2);
  await ledger.controlLane("site-0.example", { isHeld: true });
  await ledger.registerWorker(workerInfo("w1", { concurrency: 20 }));
  await ledger.registerWorker(workerInfo("w2", { concurrency: 20, isDraining: true }));
  const delivery = { event: 1, client: "team", url: "https://x.example", type: "job.started", body: "{}" };
  await registry.addDeliveries([
    { ...delivery, id: "msg_1", endpoint: "a" },
    { ...delivery, id: "msg_2", endpoint: "b" },
  ]);
  await registry.endDelivery("msg_2", { state: "parked", error: "gone" });
  metrics.onDeliveryEnd({}, { state: "parked" });
  const all = readMetrics(await metrics.text());
  assert.equal(valueOf(all, "sluice_lanes", { condition: "held-by-operator" }), 1);
  assert.equal(valueOf(all, "sluice_workers", { state: "working" }), 1);
  assert.equal(valueOf(all, "sluice_workers", { state: "draining" }), 1);
  assert.equal(valueOf(all, "sluice_workers_capacity_items"), 40);
  assert.ok(valueOf(all, "sluice_workers_useful", { kind: "http" })! >= 1);
  assert.equal(valueOf(all, "sluice_workers_useful", { kind: "browser" }), 0);
  assert.equal(valueOf(all, "sluice_deliveries", { state: "due" }), 1);
  assert.equal(valueOf(all, "sluice_deliveries", { state: "parked" }), 1);
  assert.equal(valueOf(all, "sluice_delivery_tries_total", { state: "parked" }), 1);
});

test("times are histograms over all workers, and neither they nor losses fall when a worker is gone", async (t) => {
  const { service, metrics } = await open(t);
  const { ledger, now } = service;
  await fill(service, 2);
  await new SimWorker("w1", ledger, now).take(3);
  await ledger.registerWorker(workerInfo("w1"), { "claim within 0.01": 2, "claim seconds": 0.02 });
  await ledger.registerWorker(workerInfo("w2"), {
    "claim within 5": 1,
    "claim within Infinity": 1,
    "claim seconds": 99,
  });
  await ledger.registerWorker(workerInfo("w2"), { "refused settles": 4 });
  await ledger.reap({ worker: "w1", cause: { blame: "unknown", detail: "gone" } });
  const all = readMetrics(await metrics.text());
  const buckets = ["0.005", "0.01", "2.5", "5", "60", "+Inf"].map((le) =>
    valueOf(all, "sluice_claim_duration_seconds_bucket", { le }),
  );
  assert.deepEqual(buckets, [0, 2, 2, 3, 3, 4]);
  assert.equal(valueOf(all, "sluice_claim_duration_seconds_count"), 4);
  assert.equal(valueOf(all, "sluice_claim_duration_seconds_sum"), 99.02);
  assert.equal(valueOf(all, "sluice_settle_duration_seconds_count"), 0);
  assert.equal(valueOf(all, "sluice_lane_wait_seconds_count"), 0);
  assert.equal(valueOf(all, "sluice_workers_lost_total"), 1);
  assert.equal(valueOf(all, "sluice_leases_lost_total"), 1);
  assert.equal(valueOf(all, "sluice_suspect_items_total"), 3);
  assert.equal(valueOf(all, "sluice_settles_refused_total"), 4);
});

test("what went through proxies is counted by tier, and the busiest lanes say which tier they are on", async (t) => {
  const { service, metrics } = await open(t);
  const { ledger, now } = service;
  await fill(service, 2);
  const worker = new SimWorker("w1", ledger, now);
  const [first, ...others] = await worker.take(3);
  const proxied = [{ tier: "datacenter", requests: 3, bytes: 4000, microCost: 1_250_000 }];
  await worker.settle([first!], DONE, { attempt: { startedAt: 0, ms: 1, requests: 3, bytes: 1, proxied } });
  const ladder = ["direct", "datacenter"];
  const { lane } = others[0]!;
  const blocked = ["a", "b"].map((item) => ({
    lane,
    ladder,
    sign: { at: 0, item, result: "blocked" as const },
  }));
  await worker.pulse({ tiers: blocked });
  const text = await metrics.text();
  const all = readMetrics(text);
  const tier = { tier: "datacenter" };
  assert.equal(valueOf(all, "sluice_proxy_requests_total", tier), 3);
  assert.equal(valueOf(all, "sluice_proxy_bytes_total", tier), 4000);
  assert.equal(valueOf(all, "sluice_proxy_cost_total", tier), 1.25);
  assert.equal(valueOf(all, "sluice_lane_proxy_tier", { lane, ladder: "direct,datacenter", ...tier }), 1);
  assert.deepEqual(whatIsWrong(text), []);
});

test("counters have the ledger's sums, however often they are read", async (t) => {
  const { service, metrics } = await open(t);
  await fill(service, 5);
  await metrics.text();
  const all = readMetrics(await metrics.text());
  const { accepted } = (await service.ledger.readJob("wide"))!.counts;
  assert.equal(valueOf(all, "sluice_inputs_total", { fate: "accepted" }), accepted);
});

test("versions, canaries, releases, drift and times that did not fire are counted, whoever writes the events", async (t) => {
  const { service, metrics } = await open(t);
  const { ledger } = service;
  const write = async (type: EventType, facts: Readonly<Record<string, unknown>> = {}): Promise<void> =>
    await ledger.events.write([{ type, job: "", facts: { client: "local", ...facts } }]);
  await write("version.refused");
  await metrics.text();
  await write("version.activated");
  await write("canary.rolled-back");
  await write("release.published");
  await write("release.held");
  await write("drift.found");
  await write("schedule.skipped", { reason: SKIP_REASONS["still-running"] });
  await write("schedule.missed", { reason: MISS_REASONS["too-late"], count: 3 });
  await ledger.documents.commit({
    changes: [
      { kind: "scraper", name: "a", body: { active: "1", previous: "0" } },
      { kind: "scraper", name: "b", body: { active: "1", canary: "2" } },
    ],
  });
  const all = readMetrics(await metrics.text());
  const shown = (name: string): Record<string, number> =>
    Object.fromEntries(
      find(all, name).flatMap(({ labels, value }) =>
        value > 0 ? [[Object.values(labels).join(" "), value]] : [],
      ),
    );
  assert.deepEqual(shown("sluice_version_decisions_total"), { activated: 1, refused: 1 });
  assert.deepEqual(shown("sluice_canary_decisions_total"), { "rolled-back": 1 });
  assert.deepEqual(shown("sluice_release_decisions_total"), { published: 1, held: 1 });
  assert.deepEqual(shown("sluice_drift_total"), { found: 1 });
  assert.deepEqual(shown("sluice_schedule_times_unfired_total"), {
    "skipped still-running": 1,
    "missed too-late": 3,
  });
  assert.deepEqual(shown("sluice_scraper_versions"), { active: 2, canary: 1, previous: 1 });
});

test("the last success of a scraper is that of its schedules, or of its jobs if it has none", async (t) => {
  const { service, metrics } = await open(t);
  const { ledger } = service;
  const worker = new SimWorker("w1", ledger, service.now);
  for (const scraper of ["town", "empty"]) {
    await service.job(scraper, { scraper }, scraper === "town" ? 1 : 0);
    await ledger.sealJob(scraper);
  }
  await worker.settle(await worker.take());
  const endedAt = (await ledger.readJob("town"))!.endedAt!;
  const all = readMetrics(await metrics.text());
  assert.deepEqual(
    find(all, "sluice_scraper_last_success_timestamp_seconds").map(({ labels, value }) => [
      labels["scraper"],
      value,
    ]),
    [["town", endedAt / 1000]],
  );
});

test("answers are counted by route, and unknown paths are one series", async (t) => {
  const { service, metrics } = await open(t);
  const folder = await mkdtemp(join(tmpdir(), "sluice-metrics-"));
  const note = (): void => {};
  const server = await buildServer({
    ledger: service.ledger,
    registry: service.registry,
    blobs: await openFiles(folder),
    scrapers: openCatalog(undefined),
    laneOf: (url) => laneName(url, (host) => host),
    log: { debug: note, info: note, warn: note, error: note },
    metrics: () => metrics.text(),
  });
  t.after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  metrics.watch(server);
  await server.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const paths = ["/v1/jobs", "/v1/jobs/a", "/v1/jobs/b", "/nothing/1", "/nothing/2", "/healthz"];
  for (const path of paths) await (await fetch(url + path)).text();
  const response = await fetch(`${url}/metrics`);
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const all = readMetrics(text);
  const counts = find(all, "sluice_api_requests_total").map(({ labels, value }) => [
    labels["method"],
    labels["route"],
    labels["status"],
    value,
  ]);
  assert.deepEqual(counts, [
    ["GET", "/v1/jobs", "2xx", 1],
    ["GET", "/v1/jobs/:job", "4xx", 2],
    ["any", "none", "4xx", 2],
    ["GET", "/healthz", "2xx", 1],
  ]);
  assert.equal(valueOf(all, "sluice_api_request_duration_seconds_count", { route: "/v1/jobs/:job" }), 2);
  assert.deepEqual(whatIsWrong(text), []);
});

test("the dashboard and the alert rules use only existing metrics", async (t) => {
  const { metrics } = await open(t);
  const text = await metrics.text();
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  // These come with the API.
  known.add("sluice_api_requests_total").add("sluice_api_request_duration_seconds");
  for (const file of ["grafana-dashboard.json", "alert-rules.yml"]) {
    const asked = await readFile(new URL(`../../deploy/${file}`, import.meta.url), "utf8");
    const names = [...asked.matchAll(/\b(?:sluice|process|nodejs)_\w+/g)].map(([name]) =>
      name.replace(/_bucket$/, ""),
    );
    assert.ok(names.length > 5);
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
      file,
    );
  }
});
