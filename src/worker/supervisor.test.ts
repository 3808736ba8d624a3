import { storageLocation } from "../config/storage-location.ts";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { openSqlite } from "../backends/sqlite/open.ts";
import { type Ledger, LedgerError } from "../ports/ledger.ts";
import { jobSpec, keysOf, planned } from "../ports/ledger-suite/test-kit.ts";
import type { Log } from "./log.ts";
import { Supervisor } from "./supervisor.ts";

const source = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** A small worker on the real ledger: settles what it takes, but ends itself over a "bad" item and never settles a "slow" one. */
const WORKER = `
  import { openSqlite } from ${source("../backends/sqlite/open.ts")};
  import { DONE, settlement } from ${source("../ports/ledger-suite/sim-worker.ts")};
  let isStopped = false;
  process.on("message", async (message) => {
    if (message.type === "stop") return void (isStopped = true);
    const { name: worker, location: { data }, jobs, isAlone } = message;
    process.send({ type: "beat", suspects: 0 });
    const ledger = await openSqlite(data + "/ledger.db");
    while (!isStopped) {
      const room = isAlone ? 1 : 10;
      const grant = await ledger.claim({ worker, room, inFlight: new Map(), jobs, ...(isAlone && { alone: true }) });
      process.send({ type: "beat", suspects: grant.suspects });
      if (isAlone && grant.items.length === 0) break;
      if (grant.items.some(({ key }) => key === "bad")) process.exit(7);
      if (grant.items.some(({ key }) => key === "slow")) console.log("in hand");
      else await ledger.settle(worker, grant.items.map((item) => settlement(item, DONE)));
      if (grant.items.length > 0) console.log("settled");
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await ledger.close();
    process.send({ type: "ended" }, () => process.exit(0));
  });`;

interface Kit {
  readonly ledger: Ledger;
  readonly supervisor: Supervisor;
  readonly output: string[];
  readonly deaths: Readonly<Record<string, unknown>>[];
  start(change?: Partial<Ledger>): void;
  /** Resolves once `isSo` is true, checked at each event of the supervisor. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
}

const open = async (
  t: TestContext,
  keys: readonly string[],
  program = WORKER,
  processes = 1,
): Promise<Kit> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-supervisor-"));
  const script = join(folder, "worker.ts");
  writeFileSync(script, program);
  const ledger = await openSqlite(join(folder, "ledger.db"));
  await ledger.createJob(jobSpec("j1"));
  await ledger.addItems("j1", planned(keys), []);
  await ledger.sealJob("j1");
  let wake = () => {};
  const deaths: Readonly<Record<string, unknown>>[] = [];
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (_event, facts = {}) => {
      deaths.push(facts);
      wake();
    },
    error: () => {},
  };
  const output: string[] = [];
  const onOutput = (line: string) => {
    output.push(line);
    wake();
  };
  // What a death changes in the ledger may be the last change of all.
  const reapAndWake: Ledger["reap"] = async (request) => {
    const reply = await ledger.reap(request);
    wake();
    return reply;
  };
  const supervisor = new Supervisor({ script: pathToFileURL(script), processes, onOutput });
  t.after(async () => {
    await supervisor.kill();
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  return {
    ledger,
    supervisor,
    output,
    deaths,
    start: (change = {}) =>
      supervisor.start({
        ledger: { ...ledger, reap: reapAndWake, ...change },
        location: storageLocation({ data: folder }),
        jobs: ["j1"],
        logLevel: "silent",
        log,
      }),
    async until(isSo) {
      for (;;) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        if (await isSo()) return;
        await woken;
      }
    },
  };
};

/** Until its parent has waited for it, an ended process still exists. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const states = async (ledger: Ledger) => (await ledger.readJob("j1"))!.counts.states;

test("processes work until they are stopped, and leave no item in flight", async (t) => {
  const kit = await open(t, keysOf(50), WORKER, 2);
  kit.start();
  await kit.until(async () => (await states(kit.ledger)).done === 50);
  await kit.supervisor.stop();
  assert.deepEqual([kit.deaths, kit.supervisor.failure], [[], undefined]);
  assert.equal((await states(kit.ledger)).leased, 0);
});

test("with fewer processes the newest drain and are not replaced; with more, new ones start work", async (t) => {
  const idle = `process.on("message", ({ type }) => {
    console.log(type + " " + process.pid);
    process.send({ type: type === "stop" ? "ended" : "beat", suspects: 0 }, () => type === "stop" && process.exit(0));
  });`;
  const kit = await open(t, ["a"], idle, 3);
  const told = (type: string) =>
    kit.output.flatMap((line) => (line.startsWith(type) ? line.split(" ")[1] : []));
  kit.start();
  await kit.until(() => told("start").length === 3);
  kit.supervisor.scaleTo(1);
  kit.supervisor.scaleTo(1);
  await kit.until(() => told("stop").length === 2);
  kit.supervisor.scaleTo(2);
  await kit.until(() => told("start").length === 4);
  kit.supervisor.scaleTo(0);
  await kit.until(() => told("stop").length === 4);
  await kit.supervisor.stop();
  assert.deepEqual([new Set(told("start")), told("start").length], [new Set(told("stop")), 4]);
  assert.deepEqual(kit.deaths, []);
});

test("a process that dies is reaped and replaced; its suspects run alone until the item at fault is known", async (t) => {
  const kit = await open(t, [...keysOf(15), "bad", ...keysOf(15, "z")]);
  kit.start();
  await kit.until(async () => (await states(kit.ledger)).failed === 1);
  await kit.until(async () => (await states(kit.ledger)).done === 30);
  const { items } = await kit.ledger.listItems("j1", { states: ["failed"], limit: 5 });
  assert.deepEqual(
    items.map(({ key, failure }) => [key, failure?.kind]),
    [["bad", "scraper-error"]],
  );
  assert.match(String(kit.deaths[0]?.["detail"]), /exit code 7/);
  assert.ok(kit.deaths.some(({ worker }) => String(worker).endsWith("alone")));
});

test("after a kill, all items in flight are returned", async (t) => {
  const kit = await open(t, ["slow"]);
  kit.start();
  await kit.until(async () => (await states(kit.ledger)).leased === 1);
  await kit.supervisor.kill();
  assert.equal((await states(kit.ledger)).leased, 0);
});

test("processes that never start report an installation problem", async (t) => {
  const kit = await open(t, ["a"], "process.exit(9)");
  kit.start();
  await kit.until(() => kit.deaths.length >= 5);
  await kit.supervisor.kill();
  assert.match(kit.supervisor.failure!.message, /before they start work.*exit code 9/);
});

test("a process that ends before it gets work is replaced", async (t) => {
  const dyingFirst = `import { existsSync, writeFileSync } from "node:fs";
    const mark = new URL("./mark", import.meta.url);
    if (!existsSync(mark)) { writeFileSync(mark, ""); console.log(process.pid); process.exit(1); }
    ${WORKER}`;
  const kit = await open(t, ["a"], dyingFirst);
  await kit.until(() => kit.output.length > 0);
  while (isAlive(Number(kit.output[0]))) await new Promise(setImmediate);
  kit.start();
  await kit.until(async () => (await states(kit.ledger)).done === 1);
});

test("a worker that cannot continue ends the run with its own error", async (t) => {
  const program = `process.on("message", () =>
    process.send({ type: "failed", name: "LedgerError", code: "no-space", message: "full" }, () => process.exit(1)));`;
  const kit = await open(t, ["a"], program);
  kit.start();
  await kit.supervisor.stop();
  const failure = kit.supervisor.failure as Error & { code?: string };
  assert.deepEqual([failure.name, failure.code, failure.message], ["LedgerError", "no-space", "full"]);
});

test("a death that cannot be recorded ends the run", async (t) => {
  const full = new LedgerError("no-space", "full");
  const kit = await open(t, ["bad"]);
  kit.start({ reap: () => Promise.reject(full) });
  await kit.until(() => kit.deaths.length > 0);
  await kit.supervisor.stop();
  assert.equal(kit.supervisor.failure, full);
});
