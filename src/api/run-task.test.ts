import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Delivery, Registry } from "../ports/registry.ts";
import { openLog } from "../worker/log.ts";
import { JobBackoff, runTask, taskLog, type TaskLog } from "./run-task.ts";
import { NotifyKit, stepped } from "./testing/notify-kit.ts";

const controller = (service: NotifyKit, holder: string, run: () => Promise<void>) =>
  stepped((wait, signal) =>
    runTask({ ...service.tools(holder), wait }, { name: "duty", everyMs: 1000, run }, signal),
  );

test("one of two controllers runs the task, and the other one as soon as it stops", async (t) => {
  const service = await NotifyKit.open(t);
  const done: string[] = [];
  const does = (name: string) => async () => void done.push(name);
  const one = controller(service, "one", does("one"));
  await one.rests();
  const two = controller(service, "two", does("two"));
  await two.rests();
  await one.round();
  await two.round();
  assert.deepEqual(done, ["one", "one"]);
  await one.stop();
  await two.round();
  assert.deepEqual(done, ["one", "one", "two"]);
  await two.stop();
});

test("another controller takes over after the hold of a dead one ends", async (t) => {
  const service = await NotifyKit.open(t);
  await service.registry.holdTask("duty", "dead", 11_000);
  let rounds = 0;
  const two = controller(service, "two", async () => void rounds++);
  await two.rests();
  service.nowMs += 10_999;
  await two.round();
  assert.equal(rounds, 0);
  service.nowMs += 1;
  await two.round();
  assert.equal(rounds, 1);
  await two.stop();
});

test("a round that fails is reported, and the next one is tried", async (t) => {
  const service = await NotifyKit.open(t);
  const broken = new Error("broken");
  let rounds = 0;
  const one = controller(service, "one", async () => {
    if (rounds++ === 0) throw broken;
  });
  await one.rests();
  await one.round();
  await one.stop();
  assert.equal(rounds, 2);
  assert.deepEqual(service.problems, [broken]);
});

test("a long round keeps its hold, and stops if another controller has taken the task", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const service = await NotifyKit.open(t);
  const holds: Promise<boolean>[] = [];
  const registry: Registry = {
    ...service.registry,
    holdTask: (...hold) => {
      const asked = service.registry.holdTask(...hold);
      holds.push(asked);
      return asked;
    },
  };
  const begun = Promise.withResolvers<void>();
  const run = async (stop: AbortSignal): Promise<void> => {
    begun.resolve();
    await once(stop, "abort");
  };
  const one = stepped((wait, signal) =>
    runTask({ ...service.tools("one"), registry, wait }, { name: "duty", everyMs: 1000, run }, signal),
  );
  await begun.promise;
  service.nowMs += 9000;
  t.mock.timers.tick(4000);
  await Promise.all(holds);
  service.nowMs += 9000;
  assert.equal(await service.registry.holdTask("duty", "two", 60_000), false, "held on to");
  service.nowMs += 9000;
  assert.equal(await service.registry.holdTask("duty", "two", 60_000), true);
  t.mock.timers.tick(4000);
  await one.rests();
  await one.stop();
});

test("a failing job is reported and skipped for more and more rounds, and the others continue", async () => {
  const reported: string[] = [];
  const jobs = new JobBackoff((error) => reported.push((error as Error).message));
  const tried: number[] = [];
  let done = 0;
  for (let round = 0; round < 12; round++) {
    const isDone = await jobs.try("bad", async () => {
      tried.push(round);
      throw new Error("no space");
    });
    assert.equal(isDone, false);
    if (await jobs.try("good", async () => undefined)) done++;
  }
  assert.deepEqual([tried, done], [[0, 1, 3, 7], 12]);
  assert.deepEqual(new Set(reported), new Set(["job bad: no space"]));
});

test("a success resets the skipping", async () => {
  const jobs = new JobBackoff(() => undefined);
  const fail = async () => {
    throw new Error("x");
  };
  await jobs.try("a", fail);
  await jobs.try("a", fail);
  assert.equal(await jobs.try("a", async () => undefined), false);
  assert.equal(await jobs.try("a", async () => undefined), true);
  await jobs.try("a", fail);
  assert.equal(await jobs.try("a", async () => undefined), true);
});

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

test("a delivery attempt is logged with its ids and without its URL", async (t) => {
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

test("an event is logged with its job and its short facts", async (t) => {
  const evidence = Array.from({ length: 50 }, (_, n) => ({ key: `k${n}` }));
  const facts = { reason: "all of its lanes are held", kinds: { blocked: 3 }, held: evidence };
  const [line] = await linesOf(t, (log) => {
    log.onEvent({ id: 7, at: 0, type: "job.paused", job: "j1", facts });
  });
  const { held: _, ...short } = facts;
  assert.deepEqual(line, { level: "info", event: "job.paused", job: "j1", id: 7, ...short });
});

test("alerts, lost workers and failed tasks are logged", async (t) => {
  const lines = await linesOf(t, (log) => {
    log.onAlerts("slack", { raised: ["breaker j1"], over: ["noSuccess j2"] });
    log.onReaped({ workers: 1, suspects: 3 });
    log.report("alerts: email", new Error("smtp://user:hunter2@mail.test does not answer"));
  });
  assert.deepEqual(lines, [
    { level: "info", event: "alerts sent", channel: "slack", raised: ["breaker j1"], over: ["noSuccess j2"] },
    { level: "warn", event: "workers given up", workers: 1, suspects: 3 },
    {
      level: "error",
      event: "task failed",
      task: "alerts: email",
      message: "smtp://***@mail.test does not answer",
    },
  ]);
});
