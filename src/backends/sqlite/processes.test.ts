// e2e: several processes share a ledger
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it, type TestContext } from "node:test";
import { DONE, settlement } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/test-kit.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { openSqlite } from "./open.ts";

const WORKER = "SLUICE_SQLITE_WORKER";
const FILE = "SLUICE_SQLITE_FILE";
const ITEMS = 1500;

/** What each child settles before the other may go on: on a busy machine one might else do it all before the other has started. */
const FIRST = 60;

/**
 * In a child: claims and settles until nothing is left, and says each key once its settle has returned. After the first ones it waits for a
 * word on its input.
 */
const work = async (ledger: Ledger, worker: string): Promise<void> => {
  let said = 0;
  for (let idle = 0; idle < 40;) {
    if (said >= FIRST) {
      said = -Infinity;
      await once(process.stdin, "data");
      process.stdin.destroy();
    }
    const { items } = await ledger.claim({ worker, room: 7, inFlight: new Map() });
    await ledger.pulse({
      worker,
      running: [],
      unsettled: [],
      acting: [],
      inFlight: new Map(),
      wishes: [],
      returned: [],
      refunds: [],
      outcomes: [],
      lanes: [],
      crawlDelays: [],
    });
    const { refused } = await ledger.settle(
      worker,
      items.map((item) => settlement(item, DONE)),
    );
    const lost = new Set(refused.map(({ seq }) => seq));
    for (const { key, seq } of items) if (!lost.has(seq)) process.stdout.write(`${key}\n`);
    said += items.length;
    idle = items.length === 0 ? idle + 1 : 0;
  }
  await ledger.close();
};

const start = (t: TestContext, worker: string, file: string) => {
  assert.ok(t.filePath !== undefined);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [t.filePath], {
    env: { ...env, [WORKER]: worker, [FILE]: file },
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const settled: string[] = [];
  let onKey: (() => void) | undefined;
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (key) => {
    settled.push(key);
    onKey?.();
  });
  const gone = Promise.all([once(child, "exit"), once(lines, "close")]);
  const reaches = (count: number) =>
    new Promise<void>((resolve) => {
      onKey = () => settled.length >= count && resolve();
      onKey();
    });
  const goOn = () => child.stdin.write("go on\n");
  return { settled, gone, reaches, goOn, kill: () => child.kill("SIGKILL") };
};

const main = (): void => {
  it("two processes share one file, one is killed, and every item ends once: what was settled stays settled", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-processes-"));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, "ledger.db");
    const ledger = await openSqlite(file);
    t.after(() => ledger.close());
    await ledger.createJob(jobSpec("job"));
    await ledger.addItems("job", planned(keysOf(ITEMS)), []);
    await ledger.sealJob("job");
    const [one, two] = [start(t, "one", file), start(t, "two", file)];
    await Promise.all([one.reaches(FIRST), two.reaches(FIRST)]);
    one.goOn();
    two.goOn();
    one.kill();
    await one.gone;
    await ledger.reap({ worker: "one" });
    await two.gone;

    // What the dead one may have been running goes to a process of its own; the other one may have been done too soon.
    for (const alone of [true, false])
      for (let room = 1; room > 0;) {
        const worker = alone ? "alone" : "last";
        const { items } = await ledger.claim({ worker, room, inFlight: new Map(), alone });
        await ledger.settle(
          worker,
          items.map((item) => settlement(item, DONE)),
        );
        room = items.length;
      }
    const view = await ledger.readJob("job");
    assert.equal(view?.state, "done");
    assert.equal(view?.counts.states.done, ITEMS);
    assert.equal(view?.requests, ITEMS, "each item was settled once");
    const told = [...one.settled, ...two.settled];
    assert.equal(new Set(told).size, told.length);
    assert.ok(one.settled.length >= FIRST && two.settled.length >= FIRST);
  });
};

const role = process.env[WORKER];
if (role === undefined) main();
else await work(await openSqlite(process.env[FILE] ?? ""), role);
