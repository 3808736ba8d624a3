import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { AuditEntry } from "../../src/client.ts";
import { Service } from "./service-process.ts";
import { sluice } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-audit-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("the audit list has changes made through the API and in the data folder, without secrets", async () => {
  await using service = new Service(folder);
  const client = await service.serve();
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await sluice(args, { SLUICE_KEY: service.key });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const here = ["--data", service.data];
  await client.createClient({ name: "tax", weight: 3 });
  const made = await run("clients", "key", "tax", ...here);
  await run("clients", "set", "tax", "--weight", "1", ...here);
  const key = (await client.listKeys("tax")).data[0]!;
  await run("clients", "revoke", "tax", key.id, "--server", service.url);
  await run("backup", join(folder, "copy"), ...here);
  assert.notEqual((await sluice(["clients", "revoke", "tax", "none", ...here])).code, 0);

  const listed = await run("audit", "--json", "--server", service.url);
  const parsed = (text: string): AuditEntry[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditEntry);
  const entries = parsed(listed);
  assert.deepEqual(
    parsed(await run("audit", "--json", ...here)),
    entries,
    "a data folder and its server tell the same",
  );
  const me = `user:${userInfo().username}`;
  const admin = `key:${(await client.whoAmI()).key}`;
  assert.deepEqual(
    entries.map(({ actor, via, action, target, outcome }) => [actor, via, action, target, outcome]),
    [
      [me, "cli", "revokeKey", "tax/none", "not-found"],
      [me, "cli", "backup", join(folder, "copy"), "ok"],
      [admin, "api", "revokeKey", `tax/${key.id}`, "ok"],
      [me, "cli", "changeClient", "tax", "ok"],
      [me, "cli", "createKey", "tax", "ok"],
      [admin, "api", "createClient", "tax", "ok"],
      [me, "cli", "createKey", "default", "ok"],
    ],
  );
  assert.equal(entries[2]?.from, "127.0.0.1");
  assert.deepEqual(entries[3]?.detail, { weight: 1 });
  const secrets = [service.key, made.trim().split("\n").at(-1)!];
  for (const secret of secrets)
    assert.ok(secret.startsWith("sluice_") && !listed.includes(secret.slice(-20)));
  assert.equal(
    (await run("audit", "--json", "--actor", me, "--action", "backup", ...here)).split("\n").length,
    2,
  );
});
