import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it, type TestContext } from "node:test";
import { code, jobSpec } from "../../../ports/ledger-suite/test-kit.ts";
import { clientInfo } from "../../../ports/registry-suite/test-kit.ts";
import { registrySuite } from "../../../ports/registry.suite.ts";
import { openSqlite } from "../open.ts";
import { REGISTRY_SCHEMA } from "../migrate.ts";
import { openRegistry } from "./open.ts";

registrySuite("sqlite", (folder, options) => openRegistry(join(folder, "sluice.db"), options));

const newFile = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-registry-"));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, "sluice.db");
};

it("shares its file with a ledger, whichever of them was there first", async (t) => {
  for (const isLedgerFirst of [true, false]) {
    const file = await newFile(t);
    const early = isLedgerFirst ? await openSqlite(file) : undefined;
    const registry = await openRegistry(file);
    t.after(() => registry.close());
    const ledger = early ?? (await openSqlite(file));
    t.after(() => ledger.close());
    await ledger.createJob(jobSpec("job"));
    await registry.saveClient(clientInfo("team"));
    assert.equal((await ledger.readJob("job"))?.spec.id, "job");
    assert.equal((await registry.readClient("team"))?.name, "team");
  }
});

it("opens what it has written", async (t) => {
  const file = await newFile(t);
  const registry = await openRegistry(file);
  await registry.saveClient(clientInfo("team"));
  await registry.close();
  const again = await openRegistry(file);
  t.after(() => again.close());
  assert.deepEqual(await again.listClients(), [clientInfo("team")]);
});

it("says newer-version to a file of a newer release, and leaves it as it is", async (t) => {
  const file = await newFile(t);
  await (await openRegistry(file)).close();
  const raw = new DatabaseSync(file);
  t.after(() => raw.close());
  const next = REGISTRY_SCHEMA.migrations.length + 1;
  raw.exec(`INSERT INTO schema_migrations VALUES ('registry', ${next}, 'of tomorrow')`);
  await assert.rejects(() => openRegistry(file), code("newer-version"));
});
