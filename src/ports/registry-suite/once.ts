import assert from "node:assert/strict";
import type { OnceRequest } from "../registry.ts";
import type { RegistryTest } from "./world.ts";

const DAY = 24 * 60 * 60 * 1000;
const request = (own: Partial<OnceRequest> = {}): OnceRequest => ({
  client: "team",
  key: "k",
  fingerprint: "POST /v1/jobs a",
  keepMs: DAY,
  ...own,
});

export const once = (test: RegistryTest): void => {
  test("of requests with one key, the first begins and the next ones get its answer", async ({
    registry,
    other,
  }) => {
    assert.deepEqual(await registry.beginOnce(request()), { begun: true });
    assert.deepEqual(await other.beginOnce(request()), { begun: false, isUnderWay: true });
    await registry.endOnce("team", "k", { status: 201, body: '{"id":1}' });
    const answer = { begun: false, answer: { status: 201, body: '{"id":1}' } };
    assert.deepEqual(await other.beginOnce(request()), answer);
    await other.endOnce("team", "k", { status: 500, body: "late" });
    assert.deepEqual(await registry.beginOnce(request()), answer);
  });

  test("another request under the same key is told apart, before and after the first has ended", async ({
    registry,
  }) => {
    await registry.beginOnce(request());
    const other = request({ fingerprint: "POST /v1/jobs b" });
    assert.deepEqual(await registry.beginOnce(other), { begun: false, isOther: true });
    await registry.endOnce("team", "k", { status: 201, body: "" });
    assert.deepEqual(await registry.beginOnce(other), { begun: false, isOther: true });
  });

  test("keys of different clients have nothing to do with each other", async ({ registry }) => {
    await registry.beginOnce(request());
    await registry.endOnce("team", "k", { status: 201, body: "team's" });
    assert.deepEqual(await registry.beginOnce(request({ client: "zebra" })), { begun: true });
  });

  test("a request that never ended may be made again after a minute", async (world) => {
    await world.registry.beginOnce(request());
    world.pass(59_999);
    assert.deepEqual(await world.other.beginOnce(request()), { begun: false, isUnderWay: true });
    world.pass(1);
    assert.deepEqual(await world.other.beginOnce(request()), { begun: true });
    assert.deepEqual(await world.registry.beginOnce(request()), { begun: false, isUnderWay: true });
  });

  test("an answer is kept for its time, and then forgotten", async (world) => {
    await world.registry.beginOnce(request());
    await world.registry.endOnce("team", "k", { status: 201, body: "" });
    world.pass(DAY - 1);
    assert.equal((await world.registry.beginOnce(request())).begun, false);
    world.pass(1);
    assert.deepEqual(await world.registry.beginOnce(request({ fingerprint: "new" })), { begun: true });
  });
};
