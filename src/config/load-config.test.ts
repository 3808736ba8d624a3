import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { proxySettings, takeInheritedSettings } from "./check-config.ts";
import { loadConfig } from "./load-config.ts";

const kit = mkdtempSync(join(tmpdir(), "sluice-config-"));
after(() => rmSync(kit, { recursive: true, force: true }));

const project = (name: string, text: string, file = "sluice.config.ts"): string => {
  const folder = join(kit, name);
  mkdirSync(join(folder, "deep/down"), { recursive: true });
  writeFileSync(join(folder, file), text);
  return folder;
};

test("a configuration is found in a folder above, and its paths are relative to it", async () => {
  const folder = project(
    "above",
    'import { defineConfig } from "sluice";\nexport default defineConfig({ data: "./d", scrapers: ["a", "../b"] });\n',
  );
  assert.deepEqual(await loadConfig(join(folder, "deep/down")), {
    file: join(folder, "sluice.config.ts"),
    folder,
    data: join(folder, "d"),
    scrapers: [join(folder, "a"), join(kit, "b")],
  });
});

test("omitted options have defaults", async () => {
  const folder = project("defaults", "export default {};\n", "sluice.config.js");
  const found = await loadConfig(folder);
  assert.equal(found?.data, join(folder, "data"));
  assert.deepEqual(found.scrapers, [join(folder, "scrapers")]);
});

test("the nearest configuration wins", async () => {
  const folder = project("outer", 'export default { data: "outer" };\n');
  writeFileSync(join(folder, "deep/sluice.config.ts"), 'export default { data: "inner" };\n');
  assert.equal((await loadConfig(join(folder, "deep/down")))?.data, join(folder, "deep/inner"));
});

test("without a configuration there is no project", async () => {
  assert.equal(await loadConfig(kit), undefined);
});

test("a file that cannot be loaded is named with the reason", async () => {
  const folder = project("broken", "export default {{;\n");
  await assert.rejects(loadConfig(folder), { code: "broken-config", message: /sluice\.config\.ts/ });
});

test("a file with invalid options is refused", async () => {
  const folder = project("bad", 'export default { ledger: "x" };\n');
  await assert.rejects(loadConfig(folder), { code: "bad-config", message: /`ledger`/ });
});

test("a file that ends the process is reported, with the exit code for a bad configuration", () => {
  const folder = project("ends", "process.exit(0);\n");
  const loader = new URL("./load-config.ts", import.meta.url).href;
  const code = `const { loadConfig } = await import(${JSON.stringify(loader)}); await loadConfig();`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.equal(status, 2);
  assert.match(stderr, /sluice\.config\.ts/);
});

test("worker processes inherit the proxies, with absolute paths and without secrets", async (t) => {
  t.after(() => delete process.env["SLUICE_PROXIES"]);
  assert.equal(proxySettings(), undefined);
  const tier = `{ url: "http://p.test:1", user: "me", passwordFile: "./secret", ca: "/etc/ca.pem" }`;
  const folder = project(
    "proxies",
    `export default { proxies: { currency: "EUR", tiers: { dc: ${tier} } } };\n`,
  );
  takeInheritedSettings(await loadConfig(folder));
  const dc = { url: "http://p.test:1", user: "me", passwordFile: join(folder, "secret"), ca: "/etc/ca.pem" };
  assert.deepEqual(proxySettings(), { currency: "EUR", tiers: { dc } });
  process.env["SLUICE_PROXIES"] = `{"tiers":{"dc":{"url":"http://me:hush@p:1"}}}`;
  assert.throws(proxySettings, { code: "bad-config", message: /^SLUICE_PROXIES: (?!.*hush).*passwordEnv/ });
});
