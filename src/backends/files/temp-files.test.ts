// own process: starts a process
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { sweepTempFiles, tempName } from "./put-file.ts";

it("sweeps what dead processes of this host left and what is a day old, and nothing else", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-temp-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const now = Date.now();
  const daysAgo = (days: number) => new Date(now - days * 86_400_000);
  const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, "-");
  const mine = tempName();
  const files = [
    { name: mine, writtenAt: daysAgo(0), stays: true },
    { name: `${host}.${child.pid}.dead`, writtenAt: daysAgo(0), stays: false },
    { name: `elsewhere.${child.pid}.fresh`, writtenAt: daysAgo(0.9), stays: true },
    { name: `elsewhere.${child.pid}.old`, writtenAt: daysAgo(1.1), stays: false },
    { name: `${host}.${process.pid}.old`, writtenAt: daysAgo(1.1), stays: false },
  ];
  for (const { name, writtenAt } of files) {
    await writeFile(join(folder, name), "x");
    await utimes(join(folder, name), writtenAt, writtenAt);
  }
  await sweepTempFiles(folder, now);
  const stays = files.filter((file) => file.stays).map((file) => file.name);
  assert.deepEqual((await readdir(folder)).toSorted(), stays.toSorted());
});
