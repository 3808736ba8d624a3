import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { initCommand } from "./init.ts";

const kit = mkdtempSync(join(tmpdir(), "sluice-init-"));
after(() => rmSync(kit, { recursive: true, force: true }));

test("a file where the project shall be is named, with --force too, and left as it is", async () => {
  const file = join(kit, "loop.ts");
  writeFileSync(file, "mine");
  for (const force of [false, true])
    for (const folder of [file, join(file, "below")])
      await assert.rejects(initCommand(folder, { force }), { name: "UsageError", message: /is a file/ });
  assert.equal(readFileSync(file, "utf8"), "mine");
});

test(
  "a folder that cannot be made is a wrong command line, and the command ends",
  { skip: existsSync("/proc") ? false : "this system has no /proc" },
  async () => {
    await assert.rejects(initCommand("/proc/sluice/deep", { force: false }), { name: "UsageError" });
  },
);
