/** No Docker engine is needed: the Dockerfile is read, and what it starts runs as the first process of its own process space. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { freePort } from "../free-port.ts";
import { childrenOf, ROOT } from "./sluice-process.ts";

interface Step {
  readonly name: string;
  readonly args: string;
}

/** The instructions, with continued lines joined. */
const steps: Step[] = readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n\s*/g, " ")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [, name, args] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    assert.ok(name !== undefined && args !== undefined, `not an instruction: ${line}`);
    return { name, args };
  });
const image = steps.slice(steps.findLastIndex(({ name }) => name === "FROM"));
const valueOf = (wanted: string): string => {
  const step = image.findLast(({ name }) => name === wanted);
  assert.ok(step, `the image has no ${wanted}`);
  return step.args;
};
const listOf = (text: string): string[] => JSON.parse(text.slice(text.indexOf("["))) as string[];

const kit = mkdtempSync(join(tmpdir(), "sluice-container-"));
after(() => rmSync(kit, { recursive: true, force: true }));

test("the image is small and unprivileged, keeps data in a volume, and contains no build tools", () => {
  assert.equal(steps[0]?.args, "BASE=node:24-slim");
  for (const { name, args } of steps)
    if (name === "FROM") assert.match(args, /^(node:24-slim\b|\$\{BASE\}$)/);
  assert.equal(valueOf("USER"), "node");
  assert.equal(valueOf("VOLUME"), "/data");
  assert.equal(valueOf("STOPSIGNAL"), "SIGTERM");
  assert.ok(!image.some(({ name, args }) => name === "RUN" && /npm|apt/.test(args)));
  assert.match(valueOf("COPY"), /^--from=install /);
});

const mayUnshare = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;

test(
  "what the image starts answers its health check as process 1, and drains on SIGTERM",
  { skip: mayUnshare ? false : "this user may not create a process space (unshare --pid)" },
  async () => {
    const project = join(kit, "project");
    mkdirSync(project);
    const settings = Object.fromEntries(
      valueOf("ENV")
        .split(" ")
        .map((pair) => pair.split("=") as [string, string]),
    );
    const env = {
      ...process.env,
      ...settings,
      SLUICE_DATA: join(kit, "data"),
      SLUICE_PORT: `${await freePort()}`,
    };
    const command = [...listOf(valueOf("ENTRYPOINT")), ...listOf(valueOf("CMD"))].map((word) =>
      word === "node" ? process.execPath : word.replace("/opt/sluice/node_modules/sluice-jobs", ROOT),
    );
    const space = spawn("unshare", ["--pid", "--fork", "--mount-proc", ...command], {
      cwd: project,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exit = once(space, "exit");
    try {
      for await (const line of createInterface(space.stdout)) if (/listen/i.test(line)) break;
      const [, ...check] = listOf(valueOf("HEALTHCHECK"));
      assert.equal(spawnSync(process.execPath, check, { env }).status, 0);
      process.kill(childrenOf(space.pid!)[0]!, "SIGTERM");
      const [code] = (await exit) as [number];
      assert.ok(code === 0 || code === 5, `exit code ${code}`);
      assert.notEqual(spawnSync(process.execPath, check, { env }).status, 0);
    } finally {
      for (const pid of childrenOf(space.pid!)) process.kill(pid, "SIGKILL");
    }
  },
);
