import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import type { Blobs } from "./blobs.ts";

const ROLE = "SLUICE_BLOBS_ROLE";
const FOLDER = "SLUICE_BLOBS_FOLDER";
const never = new Promise<never>(() => undefined);

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

/** What the child does until it is killed. */
const roles = {
  async "half-put"(blobs: Blobs): Promise<void> {
    await blobs.put("finished", Buffer.from("durable"));
    await blobs.put(
      "cut",
      (async function* () {
        for (let i = 0; i < 20; i++) yield new Uint8Array(100_000);
        say("half");
        await never;
      })(),
    );
  },
  async rewrite(blobs: Blobs): Promise<void> {
    for (let version = 1; version < 250; version++) {
      await blobs.put("manifest", new Uint8Array(500_000).fill(version));
      say(`put ${version}`);
    }
    await never;
  },
};

type Role = keyof typeof roles;
const isRole = (name: string | undefined): name is Role => name !== undefined && name in roles;

/** In a child: starts its role and answers true. */
export const runBlobsRole = (open: (folder: string) => Promise<Blobs> | Blobs): boolean => {
  const role = process.env[ROLE];
  if (!isRole(role)) return false;
  setInterval(() => undefined, 60_000); // a promise alone does not keep the process alive
  void Promise.resolve(open(process.env[FOLDER] ?? "")).then(roles[role]);
  return true;
};

/** Starts the running test file again as a process that plays `role`. */
export const startBlobsRole = (t: TestContext, role: Role, folder: string) => {
  assert.ok(t.filePath !== undefined);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [t.filePath], {
    env: { ...env, [ROLE]: role, [FOLDER]: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async line(expected: string): Promise<void> {
      for (let next = await lines.next(); next.value !== expected; next = await lines.next())
        assert.ok(!next.done, `the child ended without saying "${expected}"`);
    },
    async kill(): Promise<void> {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
};
