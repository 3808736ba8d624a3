import assert from "node:assert/strict";
import type { AuditEntry } from "../../domain/audit.ts";
import type { RegistryTest } from "./test-kit.ts";

const DAY_MS = 86_400_000;

export const audit = (test: RegistryTest): void => {
  const entry = (at: number, own: Partial<AuditEntry> = {}): AuditEntry => ({
    at,
    actor: "key:1",
    via: "api",
    action: "controlLane",
    outcome: "ok",
    ...own,
  });

  test("what operators did is listed from the newest on, by pages and filters", async (kit) => {
    const { registry, other, nowMs } = kit;
    const full = entry(nowMs, {
      client: "ops",
      target: "site.test",
      detail: '{"isHeld":true}',
      from: "10.0.0.9",
    });
    await registry.addAudit(full);
    await registry.addAudit(entry(nowMs + 1, { actor: "user:root", via: "cli", action: "revokeKey" }));
    await registry.addAudit(entry(nowMs + 2, { outcome: "not-found" }));
    const [newest, next] = await other.listAudit({ limit: 2 });
    assert.deepEqual([newest?.outcome, next?.actor], ["not-found", "user:root"]);
    const older = await other.listAudit({ limit: 2, before: next!.id });
    assert.deepEqual(older, [{ id: older[0]!.id, ...full }]);
    const count = async (query: object) => (await other.listAudit({ limit: 10, ...query })).length;
    assert.deepEqual(
      [
        await count({ actor: "key:1" }),
        await count({ action: "revokeKey" }),
        await count({ actor: "key:1", action: "revokeKey" }),
        await count({ sinceAt: nowMs + 1 }),
      ],
      [2, 1, 0, 2],
    );
  });

  test("entries are kept for 400 days", async (kit) => {
    await kit.registry.addAudit(entry(kit.nowMs));
    kit.pass(399 * DAY_MS);
    await kit.registry.addAudit(entry(kit.nowMs));
    assert.equal((await kit.other.listAudit({ limit: 10 })).length, 2);
    kit.pass(2 * DAY_MS);
    await kit.registry.addAudit(entry(kit.nowMs));
    assert.equal((await kit.other.listAudit({ limit: 10 })).length, 2);
  });
};
