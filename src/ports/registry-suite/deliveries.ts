import assert from "node:assert/strict";
import { delivery, type RegistryTest, type RegistryKit } from "./test-kit.ts";

const DAY = 24 * 60 * 60 * 1000;
const only = async ({ other }: RegistryKit, id: string) =>
  (await other.listDeliveries({ limit: 100 })).find((one) => one.id === id);

export const deliveries = (test: RegistryTest): void => {
  test("adding the same event twice makes one delivery", async (kit) => {
    await kit.registry.addDeliveries([delivery(1), delivery(1, "e2")]);
    await kit.other.addDeliveries([delivery(1, "e1", { id: "again" }), delivery(2)]);
    const ids = (await kit.registry.listDeliveries({ limit: 10 })).map(({ id }) => id);
    assert.deepEqual(ids, ["2@e1", "1@e2", "1@e1"]);
  });

  test("many are added at once", async ({ registry }) => {
    await registry.addDeliveries(Array.from({ length: 450 }, (_, i) => delivery(i)));
    assert.equal((await registry.listDeliveries({ limit: 1000 })).length, 450);
    await registry.addDeliveries([]);
  });

  test("a taken delivery is hidden from others, and available again if its taker stays silent", async (kit) => {
    await kit.registry.addDeliveries([delivery(1), delivery(1, "e2")]);
    assert.deepEqual(await kit.takenIds(1), ["1@e1"]);
    const [second, ...more] = await kit.other.takeDeliveries(10, 5000);
    assert.deepEqual([second?.id, second?.state, second?.attempts, more], ["1@e2", "due", 0, []]);
    kit.pass(999);
    assert.deepEqual(await kit.takenIds(), []);
    kit.pass(1);
    assert.deepEqual(await kit.takenIds(), ["1@e1"]);
    kit.pass(4000);
    assert.deepEqual(await kit.takenIds(), ["1@e1", "1@e2"]);
  });

  test("for one URL the oldest delivery comes first, and the next when that one has ended", async (kit) => {
    await kit.registry.addDeliveries([delivery(1), delivery(2), delivery(3)]);
    for (const id of ["1@e1", "2@e1", "3@e1"]) {
      assert.deepEqual(await kit.takenIds(), [id]);
      assert.deepEqual(await kit.takenIds(), []);
      await kit.registry.endDelivery(id, { state: "delivered", status: 200 });
    }
    assert.deepEqual(await kit.takenIds(), []);
  });

  test("a delivery that waits for its next attempt lets later ones pass", async (kit) => {
    await kit.registry.addDeliveries([delivery(1), delivery(2)]);
    await kit.takenIds();
    await kit.registry.endDelivery("1@e1", {
      state: "due",
      delayMs: 5000,
      status: 500,
      error: "it said 500",
    });
    assert.deepEqual(await kit.takenIds(), ["2@e1"]);
    await kit.registry.endDelivery("2@e1", { state: "delivered", status: 204 });
    const waiting = await only(kit, "1@e1");
    assert.deepEqual(
      [waiting?.state, waiting?.attempts, waiting?.dueAt, waiting?.lastStatus, waiting?.lastError],
      ["due", 1, kit.nowMs + 5000, 500, "it said 500"],
    );
    kit.pass(4999);
    assert.deepEqual(await kit.takenIds(), []);
    kit.pass(1);
    assert.deepEqual(await kit.takenIds(), ["1@e1"]);
  });

  test("the same URL of two clients is independent", async (kit) => {
    const url = "https://shared.test";
    await kit.registry.addDeliveries([
      delivery(1, "e1", { url }),
      delivery(2, "e9", { url, client: "zebra" }),
    ]);
    assert.deepEqual(await kit.takenIds(), ["1@e1", "2@e9"]);
  });

  test("a client with many slow receivers leaves room for another", async (kit) => {
    const many = Array.from({ length: 20 }, (_, i) => delivery(i, `slow${i}`));
    await kit.registry.addDeliveries([...many, delivery(99, "e9", { client: "zebra" })]);
    assert.ok((await kit.takenIds(2)).includes("99@e9"));
    await kit.registry.addDeliveries([delivery(100, "e8", { client: "zebra" })]);
    assert.ok((await kit.takenIds(4)).includes("100@e8"), "zebra has the fewest in flight");
  });

  test("hanging receivers of one client, or behind one host, take at most half of the places that are free", async (kit) => {
    const { registry } = kit;
    const many = Array.from({ length: 40 }, (_, i) => delivery(i, `slow${i}`));
    await registry.addDeliveries(many);
    assert.equal((await kit.takenIds(16)).length, 8);
    assert.deepEqual(await kit.takenIds(8), []);
    const sameHost = Array.from({ length: 10 }, (_, i) =>
      delivery(100 + i, `same${i}`, { client: `client${i}`, url: `https://hook.test/${i}` }),
    );
    await registry.addDeliveries(sameHost);
    assert.equal((await kit.takenIds(8)).length, 4);
    await registry.addDeliveries([delivery(200, "e9", { client: "zebra" })]);
    assert.deepEqual(await kit.takenIds(4), ["200@e9"]);
  });

  test("a parked delivery is not available until it is replayed, and then at once", async (kit) => {
    await kit.registry.addDeliveries([delivery(1)]);
    await kit.takenIds();
    assert.equal(await kit.registry.replayDelivery("1@e1"), false, "it is under way");
    await kit.registry.endDelivery("1@e1", { state: "parked", status: 410, error: "gone" });
    kit.pass(DAY);
    assert.deepEqual(await kit.takenIds(), []);
    assert.equal(await kit.other.replayDelivery("1@e1"), true);
    assert.equal(await kit.other.replayDelivery("none"), false);
    assert.deepEqual(await kit.takenIds(), ["1@e1"]);
    await kit.registry.endDelivery("1@e1", { state: "delivered", status: 200 });
    const ended = await only(kit, "1@e1");
    assert.deepEqual(
      [ended?.state, ended?.attempts, ended?.lastStatus, ended?.lastError],
      ["delivered", 2, 200, undefined],
    );
    assert.equal(await kit.registry.replayDelivery("1@e1"), true, "also one that was delivered");
    assert.deepEqual(await kit.takenIds(), ["1@e1"]);
  });

  test("a delivered event stays delivered, whatever a late taker reports", async (kit) => {
    await kit.registry.addDeliveries([delivery(1), delivery(1, "e2")]);
    await kit.takenIds(10, 1000);
    kit.pass(1000);
    await kit.other.takeDeliveries(10, 1000);
    await kit.other.endDelivery("1@e1", { state: "delivered", status: 200 });
    await kit.registry.endDelivery("1@e1", { state: "due", delayMs: 0, error: "timeout" });
    assert.equal((await only(kit, "1@e1"))?.state, "delivered");
    await kit.other.endDelivery("1@e2", { state: "parked", error: "timeout" });
    await kit.registry.endDelivery("1@e2", { state: "delivered", status: 200 });
    assert.equal((await only(kit, "1@e2"))?.state, "delivered");
    assert.deepEqual(await kit.takenIds(), []);
  });

  test("deliveries are listed by client, job and state, page by page, the newest first", async ({
    registry,
  }) => {
    await registry.addDeliveries([
      ...[1, 2, 3].map((event) => delivery(event)),
      delivery(4, "e1", { job: "second" }),
      delivery(5, "e1", { client: "zebra", job: "third" }),
    ]);
    await registry.endDelivery("2@e1", { state: "parked", error: "gone" });
    const ids = async (query: Partial<Parameters<typeof registry.listDeliveries>[0]>) =>
      (await registry.listDeliveries({ limit: 10, ...query })).map(({ event }) => event);
    assert.deepEqual(await ids({ client: "team" }), [4, 3, 2, 1]);
    assert.deepEqual(await ids({ job: "second" }), [4]);
    assert.deepEqual(await ids({ client: "zebra", job: "second" }), []);
    assert.deepEqual(await ids({ states: ["parked"] }), [2]);
    assert.deepEqual(await ids({ states: ["due"], client: "team" }), [4, 3, 1]);
    assert.deepEqual(await ids({ limit: 2 }), [5, 4]);
    assert.deepEqual(await ids({ limit: 2, after: "4@e1" }), [3, 2]);
    assert.deepEqual(await ids({ limit: 2, after: "2@e1" }), [1]);
  });

  test("finished deliveries are deleted after a month, due ones never", async (kit) => {
    await kit.registry.addDeliveries([delivery(1), delivery(2)]);
    await kit.registry.endDelivery("1@e1", { state: "delivered", status: 200 });
    kit.pass(31 * DAY);
    await kit.registry.addDeliveries([delivery(3)]);
    const left = (await kit.registry.listDeliveries({ limit: 10 })).map(({ id }) => id);
    assert.deepEqual(left, ["3@e1", "2@e1"]);
  });
};
