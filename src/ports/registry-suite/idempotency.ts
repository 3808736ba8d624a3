import assert from "node:assert/strict";
import type { OnceRequest } from "../registry.ts";
import type { RegistryTest } from "./test-kit.ts";

const DAY = 24 * 60 * 60 * 1000;
const request = (own: Partial<OnceRequest> = {}): OnceRequest => ({
  client: "team",
  key: "k",
  fingerprint: "POST /v1/jobs a",
  keepMs: DAY,
  name: "first",
  ...own,
});

export const once = (test: RegistryTest): void => {
  test("of requests with one key, the first begins and the next ones get its answer", async ({
    registry,
    other,
  }) => {
    assert.deepEqual(await registry.beginOnce(request()), { begun: true, name: "first" });
    assert.deepEqual(await other.beginOnce(request()), { begun: false, isUnderWay: true });
    await registry.endOnce("team", "k", { status: 201, body: '{"id":1}' });
    const answer = { begun: false, answer: { status: 201, body: '{"id":1}' } };
    assert.deepEqual(await other.beginOnce(request()), answer);
    await other.endOnce("team", "k", { status: 500, body: "late" });
    assert.deepEqual(await registry.beginOnce(request()), answer);
  });

  test("a different request with the same key is detected, before and after the first has ended", async ({
    registry,
  }) => {
    await registry.beginOnce(request());
    const other = request({ fingerprint: "POST /v1/jobs b" });
    assert.deepEqual(await registry.beginOnce(other), { begun: false, isOther: true });
    await registry.endOnce("team", "k", { status: 201, body: "" });
    assert.deepEqual(await registry.beginOnce(other), { begun: false, isOther: true });
  });

  test("keys of different clients are independent", async ({ registry }) => {
    await registry.beginOnce(request());
    await registry.endOnce("team", "k", { status: 201, body: "team's" });
    assert.deepEqual(await registry.beginOnce(request({ client: "zebra", name: "hers" })), {
      begun: true,
      name: "hers",
    });
  });

  test("a request that never ended can be repeated after a minute, with the id of the first", async (kit) => {
    await kit.registry.beginOnce(request());
    kit.pass(59_999);
    assert.deepEqual(await kit.other.beginOnce(request()), { begun: false, isUnderWay: true });
    kit.pass(1);
    const again = request({ name: "second" });
    assert.deepEqual(await kit.other.beginOnce(again), { begun: true, name: "first" });
    assert.deepEqual(await kit.registry.beginOnce(again), { begun: false, isUnderWay: true });
    kit.pass(60_000);
    assert.deepEqual(await kit.registry.beginOnce(again), { begun: true, name: "first" });
  });

  test("a request without a final answer can be repeated at once, with the same id", async ({
    registry,
    other,
  }) => {
    await registry.beginOnce(request());
    await registry.leaveOnce("team", "k");
    assert.deepEqual(await other.beginOnce(request({ fingerprint: "another" })), {
      begun: false,
      isOther: true,
    });
    assert.deepEqual(await other.beginOnce(request({ name: "second" })), { begun: true, name: "first" });
    await other.endOnce("team", "k", { status: 201, body: "" });
    await registry.leaveOnce("team", "k");
    assert.equal((await registry.beginOnce(request())).begun, false, "an answer stands");
    await registry.leaveOnce("team", "unknown");
  });

  test("an answer is kept for its time, and then forgotten", async (kit) => {
    await kit.registry.beginOnce(request());
    await kit.registry.endOnce("team", "k", { status: 201, body: "" });
    kit.pass(DAY - 1);
    assert.equal((await kit.registry.beginOnce(request())).begun, false);
    kit.pass(1);
    const next = request({ fingerprint: "new", name: "second" });
    assert.deepEqual(await kit.registry.beginOnce(next), { begun: true, name: "second" });
  });
};
