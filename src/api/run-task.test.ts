import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Registry } from "../ports/registry.ts";
import { runTask } from "./run-task.ts";
import { stepped, NotifyKit } from "./testing/notify-kit.ts";

const controller = (service: NotifyKit, holder: string, run: () => Promise<void>) =>
  stepped((wait, signal) =>
    runTask({ ...service.tools(holder), wait }, { name: "duty", everyMs: 1000, run }, signal),
  );

test("of two controllers one does the duty, and the other one as soon as it stops", async (t) => {
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

test("a controller that died is followed by another after its time", async (t) => {
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

test("a long round is held on to, and stopped where another controller has taken the duty", async (t) => {
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
