import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Service } from "./service-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-logs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a controller rotates its log by size and keeps the given number of files", async () => {
  await using service = new Service(folder);
  const client = await service.serve("--log-max-mb", "0.001", "--log-keep", "2");
  for (let n = 0; n < 40; n++) await client.whoAmI();
  const names = readdirSync(join(service.data, "logs")).filter((name) => name.startsWith("controller."));
  assert.equal(
    names.filter((name) => /^controller\.\d{8}T\d{9}-\d+-\d+\.jsonl$/.test(name)).length,
    2,
    names.join(", "),
  );
});
