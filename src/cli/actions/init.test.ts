import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { initCommand } from "./init.ts";

const kit = mkdtempSync(join(tmpdir(), "sluice-init-"));
after(() => rmSync(kit, { recursive: true, force: true }));

test("a file at the project's path is an error, even with --force, and stays unchanged", async () => {
  const file = join(kit, "loop.ts");
  writeFileSync(file, "mine");
  for (const force of [false, true])
    for (const folder of [file, join(file, "below")])
      await assert.rejects(initCommand(folder, { force }), { name: "UsageError", message: /is a file/ });
  assert.equal(readFileSync(file, "utf8"), "mine");
});

test(
  "a folder that cannot be created is a usage error",
  { skip: existsSync("/proc") ? false : "this system has no /proc" },
  async () => {
    await assert.rejects(initCommand("/proc/sluice/deep", { force: false }), { name: "UsageError" });
  },
);
