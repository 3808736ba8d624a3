import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Service } from "./service-process.ts";

interface Ready {
  readonly status: number;
  readonly codes: readonly string[];
}

const readyOf = async (url: string): Promise<Ready> => {
  const response = await fetch(`${url}/readyz`);
  const { reasons = [] } = (await response.json()) as { readonly reasons?: { readonly code: string }[] };
  return { status: response.status, codes: reasons.map(({ code }) => code) };
};

const until = async ({ url }: Service, status: number): Promise<Ready> => {
  for (;;) {
    const ready = await readyOf(url);
    if (ready.status === status) return ready;
    await delay(200);
  }
};

test("readiness reports a disk that is nearly full or full, and recovers when there is room", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-ready-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    rmSync(folder, { recursive: true });
    return t.skip(`cannot mount a small tmpfs here (it needs root): ${String(error).split("\n")[0]}`);
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  await using service = new Service(folder);
  await service.serve("--min-free-mb", "8");
  assert.deepEqual(await until(service, 200), { status: 200, codes: [] });
  const filler = join(folder, "filler");
  writeFileSync(filler, new Uint8Array(18_000_000));
  assert.deepEqual(await until(service, 503), { status: 503, codes: ["disk-full"] });
  assert.throws(() => writeFileSync(join(folder, "rest"), new Uint8Array(24_000_000)), { code: "ENOSPC" });
  assert.ok((await readyOf(service.url)).codes.includes("disk-full"));
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  for (const name of ["filler", "rest"]) rmSync(join(folder, name));
  assert.deepEqual(await until(service, 200), { status: 200, codes: [] });
});

test("readiness reports a ledger that another process keeps locked", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-locked-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await using service = new Service(folder);
  await service.serve();
  using other = new DatabaseSync(join(service.data, "sluice.db"), { timeout: 10_000 });
  other.exec("BEGIN IMMEDIATE");
  assert.deepEqual(await until(service, 503), { status: 503, codes: ["ledger-unwritable"] });
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  other.exec("ROLLBACK");
  assert.deepEqual(await until(service, 200), { status: 200, codes: [] });
});
