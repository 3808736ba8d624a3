import assert from "node:assert/strict";
import { clientInfo, keyInfo, type RegistryTest } from "./test-kit.ts";

export const clients = (test: RegistryTest): void => {
  test("a client is saved and changed as a whole, and listed by name", async ({ registry, other }) => {
    const client = clientInfo("b", {
      weight: 3,
      itemsPerDay: 10,
      maxRunning: 2,
      requestsPerMinute: 60,
      webhooks: [{ id: "e1", url: "https://b.test", secrets: ["whsec_eA=="], events: ["job.completed"] }],
      secrets: ["whsec_eQ=="],
    });
    await registry.saveClient(client);
    await registry.saveClient(clientInfo("a"));
    assert.deepEqual(await other.readClient("b"), client);
    await registry.saveClient(clientInfo("b", { weight: 4 }));
    assert.deepEqual(await other.listClients(), [clientInfo("a"), clientInfo("b", { weight: 4 })]);
    assert.equal(await other.readClient("c"), undefined);
  });

  test("concurrent changes of a client are both kept", async ({ registry, other }) => {
    const nobody = await registry.changeClient("team", (client) => client);
    assert.deepEqual([nobody, await registry.listClients()], [undefined, []]);
    const count = (): Promise<unknown> => {
      const up = (client = clientInfo("team", { weight: 0 })) => ({ ...client, weight: client.weight + 1 });
      return Promise.all([registry.changeClient("team", up), other.changeClient("team", up)]);
    };
    await Promise.all(Array.from({ length: 10 }, count));
    assert.equal((await other.readClient("team"))?.weight, 20);
    const left = await other.changeClient("team", () => undefined);
    assert.deepEqual(left, await registry.readClient("team"));
  });

  test("a key is found only by its hash", async ({ registry, other }) => {
    await registry.saveKey(keyInfo("key1", { role: "admin" }));
    assert.deepEqual(await other.findKey("hash of key1"), keyInfo("key1", { role: "admin" }));
    assert.equal(await other.findKey("key1"), undefined);
  });

  test("keys are listed for one client or for all", async ({ registry }) => {
    await registry.saveKey(keyInfo("a2", { createdAt: 2 }));
    await registry.saveKey(keyInfo("a1", { createdAt: 1 }));
    await registry.saveKey(keyInfo("b1", { client: "zebra" }));
    const ids = async (client?: string) => (await registry.listKeys(client)).map(({ id }) => id);
    assert.deepEqual(await ids("team"), ["a1", "a2"]);
    assert.deepEqual(await ids(), ["a1", "a2", "b1"]);
    assert.deepEqual(await ids("nobody"), []);
  });

  test("a key is revoked once, and the first time stays", async ({ registry, other }) => {
    await registry.saveKey(keyInfo("key1"));
    assert.equal(await registry.revokeKey("key1", 70), true);
    assert.equal(await other.revokeKey("key1", 80), false);
    assert.equal(await other.revokeKey("none", 80), false);
    assert.equal((await other.findKey("hash of key1"))?.revokedAt, 70);
  });

  test("the use of a key is recorded at most once a minute", async ({ registry }) => {
    await registry.saveKey(keyInfo("key1"));
    const usedAt = async () => (await registry.findKey("hash of key1"))?.usedAt;
    assert.equal(await usedAt(), undefined);
    await registry.touchKey("key1", 100_000);
    await registry.touchKey("key1", 159_999);
    assert.equal(await usedAt(), 100_000);
    await registry.touchKey("key1", 160_000);
    assert.equal(await usedAt(), 160_000);
    await registry.touchKey("none", 160_000);
  });
};
