// own process: starts and kills processes
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { isGone, thisProcess } from "./this-process.ts";

const skip = !existsSync("/proc/self/ns/pid") && "the system does not tell one process space from another";

const sleeper = (t: { after(end: () => void): void }) => {
  const child = spawn("sleep", ["600"]);
  t.after(() => child.kill("SIGKILL"));
  return child;
};

const untilState = async (pid: number, state: string): Promise<void> => {
  while (!readFileSync(`/proc/${pid}/stat`, "utf8").includes(`) ${state} `))
    await new Promise((resolve) => setTimeout(resolve, 2));
};

test("a process of this machine is gone once it has ended", { skip }, async (t) => {
  const child = sleeper(t);
  await once(child, "spawn");
  const info = { ...thisProcess(), pid: child.pid! };
  assert.equal(isGone(info), false);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(isGone(info), true);
});

test("a zombie process counts as ended", { skip }, async (t) => {
  const parent = spawn("sh", ["-c", "sleep 600 & echo $!; wait"]);
  t.after(() => parent.kill("SIGKILL"));
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  // A stopped parent cannot wait for its child: only then does the child end.
  parent.kill("SIGSTOP");
  await untilState(parent.pid!, "T");
  process.kill(pid, "SIGKILL");
  await untilState(pid, "Z");
  assert.equal(isGone({ ...thisProcess(), pid }), true);
});

test("processes of other machines or containers, and unknown ones, never count as ended", async (t) => {
  const child = sleeper(t);
  await once(child, "spawn");
  child.kill("SIGKILL");
  await once(child, "exit");
  const { space: _space, ...untold } = thisProcess();
  assert.equal(isGone({ ...untold, pid: child.pid! }), false);
  assert.equal(isGone({ ...untold, pid: child.pid!, space: "another" }), false);
  assert.equal(isGone({}), false);
});
