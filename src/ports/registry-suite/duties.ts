import assert from "node:assert/strict";
import type { RegistryTest } from "./world.ts";

export const duties = (test: RegistryTest): void => {
  test("a duty has one holder, who may hold it on", async (world) => {
    const { registry, other } = world;
    assert.equal(await registry.holdDuty("tidy", "one", 1000), true);
    assert.equal(await other.holdDuty("tidy", "two", 1000), false);
    assert.equal(await other.holdDuty("reap", "two", 1000), true);
    world.pass(900);
    assert.equal(await registry.holdDuty("tidy", "one", 1000), true);
    world.pass(999);
    assert.equal(await other.holdDuty("tidy", "two", 1000), false);
  });

  test("a duty whose time is over goes to whoever asks, and its old holder waits", async (world) => {
    await world.registry.holdDuty("tidy", "one", 1000);
    world.pass(1000);
    assert.equal(await world.other.holdDuty("tidy", "two", 1000), true);
    assert.equal(await world.registry.holdDuty("tidy", "one", 1000), false);
  });

  test("a duty is dropped by its holder only", async ({ registry, other }) => {
    await registry.holdDuty("tidy", "one", 1000);
    await other.dropDuty("tidy", "two");
    assert.equal(await other.holdDuty("tidy", "two", 1000), false);
    await registry.dropDuty("tidy", "one");
    assert.equal(await other.holdDuty("tidy", "two", 1000), true);
  });

  test("what an alert has said is kept until it is taken back", async ({ registry, other }) => {
    assert.equal(await registry.readAlert("a"), undefined);
    await registry.saveAlert("a", '{"since":1}');
    await registry.saveAlert("a", '{"since":2}');
    await registry.saveAlert("b", "{}");
    assert.equal(await other.readAlert("a"), '{"since":2}');
    await registry.saveAlert("a", null);
    assert.equal(await other.readAlert("a"), undefined);
    assert.equal(await other.readAlert("b"), "{}");
  });
};
