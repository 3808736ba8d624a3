// e2e: several processes share a registry
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it, type TestContext } from "node:test";
import { delivery } from "../../../ports/registry-suite/test-kit.ts";
import type { Registry } from "../../../ports/registry.ts";
import { openRegistry } from "./open.ts";

const NAME = "SLUICE_REGISTRY_RACER";
const FILE = "SLUICE_REGISTRY_FILE";
const ROUNDS = 40;
const DELIVERIES = 200;

/** In a child: waits for the word on its input, then asks for everything as fast as it can and says what it got. */
const race = async (registry: Registry, name: string): Promise<void> => {
  const say = (what: string): boolean => process.stdout.write(`${what}\n`);
  say("ready");
  await once(process.stdin, "data");
  for (let round = 0; round < ROUNDS; round++) {
    if (await registry.holdTask(`task${round}`, name, 600_000)) say(`task${round}`);
    const request = { client: "team", key: `key${round}`, fingerprint: "same", keepMs: 600_000, name };
    if ((await registry.beginOnce(request)).begun) say(`key${round}`);
  }
  for (let taken = 1; taken > 0;) {
    const deliveries = await registry.takeDeliveries(3, 600_000);
    for (const { id } of deliveries) say(`delivery ${id}`);
    taken = deliveries.length;
  }
  say("done");
  await once(process.stdin, "end");
};

const start = async (t: TestContext, name: string, file: string) => {
  assert.ok(t.filePath !== undefined);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [t.filePath], {
    env: { ...env, [NAME]: name, [FILE]: file },
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const said: string[] = [];
  const waiters = new Map<string, () => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(line);
    waiters.get(line)?.();
  });
  const hears = (line: string) =>
    new Promise<void>((resolve) => {
      waiters.set(line, resolve);
      if (said.includes(line)) resolve();
    });
  await hears("ready");
  return { said, hears, child };
};

const main = (): void => {
  it("processes that race for tasks, keys and deliveries get each of them once", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-registry-"));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, "sluice.db");
    let nowMs = Date.now();
    const registry = await openRegistry(file, { now: () => nowMs });
    t.after(() => registry.close());
    await registry.addDeliveries(
      Array.from({ length: DELIVERIES }, (_, i) => delivery(i, `e${i}`, { client: `client${i}` })),
    );
    const racers = await Promise.all(["one", "two"].map((name) => start(t, name, file)));
    for (const { child } of racers) child.stdin.write("go\n");
    await Promise.all(racers.map(({ hears }) => hears("done")));

    const got = racers.flatMap(({ said }) => said.filter((line) => line !== "ready" && line !== "done"));
    assert.equal(new Set(got).size, got.length, "nothing was given twice");
    assert.equal(got.length, 2 * ROUNDS + DELIVERIES, "everything was given");

    for (const { child } of racers) child.kill("SIGKILL");
    await Promise.all(racers.map(({ child }) => once(child, "exit")));
    assert.deepEqual(await registry.takeDeliveries(10, 1000), [], "still hidden, though the takers are dead");
    nowMs += 700_000;
    assert.equal((await registry.takeDeliveries(1000, 1000)).length, DELIVERIES, "given again");
    assert.equal(await registry.holdTask("duty0", "three", 1000), true);
  });
};

const name = process.env[NAME];
if (name === undefined) main();
else await race(await openRegistry(process.env[FILE] ?? ""), name);
