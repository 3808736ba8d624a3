import assert from "node:assert/strict";
import type { RegistryTest } from "./test-kit.ts";

export const tasks = (test: RegistryTest): void => {
  test("a task has one holder, who may extend its hold", async (kit) => {
    const { registry, other } = kit;
    assert.equal(await registry.holdTask("tidy", "one", 1000), true);
    assert.equal(await other.holdTask("tidy", "two", 1000), false);
    assert.equal(await other.holdTask("reap", "two", 1000), true);
    kit.pass(900);
    assert.equal(await registry.holdTask("tidy", "one", 1000), true);
    kit.pass(999);
    assert.equal(await other.holdTask("tidy", "two", 1000), false);
  });

  test("a task whose hold has expired goes to the next that asks, and its old holder waits", async (kit) => {
    await kit.registry.holdTask("tidy", "one", 1000);
    kit.pass(1000);
    assert.equal(await kit.other.holdTask("tidy", "two", 1000), true);
    assert.equal(await kit.registry.holdTask("tidy", "one", 1000), false);
  });

  test("only its holder drops a task", async ({ registry, other }) => {
    await registry.holdTask("tidy", "one", 1000);
    await other.dropTask("tidy", "two");
    assert.equal(await other.holdTask("tidy", "two", 1000), false);
    await registry.dropTask("tidy", "one");
    assert.equal(await other.holdTask("tidy", "two", 1000), true);
  });

  test("a sent alert is kept until its end is sent", async ({ registry, other }) => {
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
