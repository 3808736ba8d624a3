import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiKit } from "../testing/api-kit.ts";
import type { ProblemBody } from "../answers.ts";

interface Client {
  readonly name: string;
  readonly weight: number;
  readonly itemsPerDay: number | null;
}
interface Key {
  readonly id: string;
  readonly key: string;
  readonly role: string;
  readonly revokedAt?: string;
}

test("a client is created with weight and quotas, which can be changed and removed", async () => {
  await using kit = await openApiKit();
  const made = await kit.ask<Client>("POST", "/v1/clients", {
    json: { name: "tax", weight: 3, itemsPerDay: 10 },
  });
  assert.deepEqual([made.status, made.body.weight, made.body.itemsPerDay], [201, 3, 10]);
  const twice = await kit.ask<ProblemBody>("POST", "/v1/clients", { json: { name: "tax" } });
  assert.deepEqual([twice.status, twice.body.code], [409, "client-exists"]);
  const changed = await kit.ask<Client>("PATCH", "/v1/clients/tax", { json: { itemsPerDay: null } });
  assert.deepEqual([changed.body.weight, changed.body.itemsPerDay], [3, null]);
  const kept = await kit.ask<Client>("PATCH", "/v1/clients/tax", { json: { weight: 2 } });
  assert.deepEqual([kept.body.weight, kept.body.itemsPerDay], [2, null]);
  assert.equal((await kit.ask("GET", "/v1/clients/none")).status, 404);
  for (const name of ["", "A b", "../x", "-x", "local", "try"])
    assert.equal((await kit.ask("POST", "/v1/clients", { json: { name } })).status, 400, name);
});

test("a key is rotated with a grace period, and revoked at once", async () => {
  let now = Date.now();
  await using kit = await openApiKit({ now: () => now });
  const admin = await kit.addClient("boss", "admin");
  await kit.ask("POST", "/v1/clients", { key: admin, json: { name: "tax" } });
  const path = "/v1/clients/tax/keys";
  const { body: first } = await kit.ask<Key>("POST", path, { key: admin, json: { role: "operator" } });
  const me = async (key: string) => (await kit.ask("GET", "/v1/me", { key })).status;
  const { status, body: second } = await kit.ask<Key>("POST", `${path}/${first.id}/rotate`, {
    key: admin,
    json: { graceSeconds: 60 },
  });
  assert.deepEqual([status, second.role], [201, "operator"]);
  assert.deepEqual([await me(first.key), await me(second.key)], [200, 200]);
  now += 61_000;
  assert.deepEqual([await me(first.key), await me(second.key)], [401, 200]);
  const gone = await kit.ask<Key>("DELETE", `${path}/${second.id}`, { key: admin });
  assert.equal(gone.body.revokedAt, new Date(now).toISOString());
  assert.equal(await me(second.key), 401);
  assert.equal((await kit.ask("POST", `${path}/${second.id}/rotate`, { key: admin, json: {} })).status, 404);
  const { body } = await kit.ask<{ data: Key[] }>("GET", path, { key: admin });
  assert.deepEqual(
    body.data.map(({ key }) => key),
    [undefined, undefined],
  );
});
