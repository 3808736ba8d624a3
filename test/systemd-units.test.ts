// e2e: starts systemd-analyze
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";

const DEPLOY = resolve(import.meta.dirname, "../deploy");
const UNITS = ["sluice.service", "sluice-prune.service", "sluice-prune.timer"];
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test(
  "systemd finds nothing wrong with the units",
  { skip: hasSystemd ? false : "systemd-analyze is not installed here" },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-units-"));
    // What they start is not installed here.
    const here = (text: string): string =>
      text
        .replaceAll("/opt/sluice/node_modules/.bin/sluice", process.execPath)
        .replaceAll("=/opt/sluice", `=${folder}`);
    for (const unit of UNITS)
      writeFileSync(join(folder, unit), here(readFileSync(join(DEPLOY, unit), "utf8")));
    const files = UNITS.map((unit) => join(folder, unit));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...files], {
      encoding: "utf8",
    });
    rmSync(folder, { recursive: true });
    assert.equal(status, 0, stderr);
    const ours = stderr.split("\n").filter((line) => line.includes(folder));
    assert.deepEqual(ours, []);
  },
);

test("systemd waits longer than the service drains", () => {
  const unit = readFileSync(join(DEPLOY, "sluice.service"), "utf8");
  const [, drain] = /^ExecStart=.* --drain (\d+)s$/m.exec(unit) ?? [];
  const [, patience] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
  assert.ok(Number(patience) > Number(drain), `${patience} s, ${drain} s`);
});
