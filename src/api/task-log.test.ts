import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Delivery } from "../ports/registry.ts";
import { openLog } from "../worker/log.ts";
import { type TaskLog, taskLog } from "./task-log.ts";

const DELIVERY: Delivery = {
  id: "msg_1",
  event: 7,
  client: "team",
  job: "j1",
  endpoint: "wh_1",
  url: "https://hooks.test/T0KEN/path",
  type: "job.paused",
  body: "{}",
  state: "due",
  attempts: 2,
  createdAt: 0,
  dueAt: 0,
};

const linesOf = async (t: TestContext, say: (log: TaskLog) => void): Promise<Record<string, unknown>[]> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-duty-log-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "controller.jsonl");
  say(taskLog(openLog(file, "info")));
  const text = await readFile(file, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { at: _, ...rest } = JSON.parse(line) as Record<string, unknown>;
      return rest;
    });
};

test("a try of a delivery is told with its ids and without its URL", async (t) => {
  const lines = await linesOf(t, (log) => {
    log.onDeliveryEnd(DELIVERY, { state: "delivered", status: 204 });
    log.onDeliveryEnd(DELIVERY, { state: "parked", error: "it answered 410", status: 410 });
  });
  const ids = {
    event: "delivery",
    delivery: "msg_1",
    client: "team",
    job: "j1",
    type: "job.paused",
    attempt: 3,
  };
  assert.deepEqual(lines, [
    { level: "info", ...ids, state: "delivered", status: 204 },
    { level: "warn", ...ids, state: "parked", error: "it answered 410", status: 410 },
  ]);
});

test("an event is told with its job and what is short of it", async (t) => {
  const evidence = Array.from({ length: 50 }, (_, n) => ({ key: `k${n}` }));
  const facts = { reason: "all of its lanes are held", kinds: { blocked: 3 }, held: evidence };
  const [line] = await linesOf(t, (log) => {
    log.onEvent({ id: 7, at: 0, type: "job.paused", job: "j1", facts });
  });
  const { held: _, ...short } = facts;
  assert.deepEqual(line, { level: "info", event: "job.paused", job: "j1", id: 7, ...short });
});

test("alerts, workers that were given up and duties that failed are told", async (t) => {
  const lines = await linesOf(t, (log) => {
    log.onAlerts("slack", { raised: ["breaker j1"], over: ["noSuccess j2"] });
    log.onReaped({ workers: 1, suspects: 3 });
    log.report("alerts: email", new Error("smtp://user:hunter2@mail.test does not answer"));
  });
  assert.deepEqual(lines, [
    { level: "info", event: "alerts told", channel: "slack", raised: ["breaker j1"], over: ["noSuccess j2"] },
    { level: "warn", event: "workers given up", workers: 1, suspects: 3 },
    {
      level: "error",
      event: "duty failed",
      task: "alerts: email",
      message: "smtp://***@mail.test does not answer",
    },
  ]);
});
