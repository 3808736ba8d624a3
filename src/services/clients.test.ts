import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import { openRegistry } from "../backends/sqlite/registry/open.ts";
import { makeFirstKey } from "./clients.ts";
import { hashKey } from "./secrets.ts";

test("of several controllers that start at once, one creates the first key, and none later", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-first-"));
  const file = join(folder, "sluice.db");
  const ledger = await openSqlite(file);
  const registries = [await openRegistry(file), await openRegistry(file), await openRegistry(file)];
  t.after(async () => {
    await Promise.all([ledger, ...registries].map((one) => one.close()));
    await rm(folder, { recursive: true });
  });
  const [registry] = registries;
  const made = await Promise.all(
    registries.map((one, at) => makeFirstKey({ registry: one, ledger, now: Date.now }, `c${at}`)),
  );
  const keys = made.filter((key) => key !== undefined);
  assert.equal(keys.length, 1);
  const info = await registry!.findKey(hashKey(keys[0]!));
  assert.deepEqual([info?.client, info?.role], ["default", "admin"]);
  assert.equal((await registry!.readClient("default"))?.weight, 1);
  assert.equal(await makeFirstKey({ registry: registry!, ledger, now: Date.now }, "c9"), undefined);
});
