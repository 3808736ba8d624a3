// e2e: starts worker processes
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { type FromWorker, type ProcessOptions, WorkerProcess } from "./worker-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-process-"));
after(() => rmSync(folder, { recursive: true }));

/** The program does what the name of its data folder says. */
const script = join(folder, "program.mjs");
writeFileSync(
  script,
  `const ways = {
    exit: () => process.exit(7),
    throw: () => { throw new TypeError("no such thing"); },
    reject: () => void Promise.reject(new RangeError("nobody listens")),
    abort: () => process.abort(),
    killed: () => process.kill(process.pid, "SIGKILL"),
    loop: () => { for (;;); },
    hoard: () => { globalThis.hoard = Buffer.alloc(400_000_000, 1); },
    talk: () => { console.log("one line"); console.error("<--- Last few GCs --->"); console.error("a warning"); process.exit(0); },
    idle: () => process.send({ type: "beat", suspects: 3 }),
    fail: () => process.send({ type: "failed", name: "LedgerError", message: "full" }, () => process.exit(1)),
  };
  setInterval(() => {}, 1000);
  process.on("message", ({ type, location }) => {
    if (type === "start") ways[location.data]();
    else process.send({ type: "ended" }, () => process.exit(0));
  });`,
);

const doing = (data: string) => ({ ledger: "", blobs: "", data });

const start = (t: TestContext, way: string, own: Partial<ProcessOptions> = {}) => {
  const messages: FromWorker[] = [];
  const output: string[] = [];
  const heard = Promise.withResolvers<void>();
  const worker = new WorkerProcess({
    script: pathToFileURL(script),
    maxMemoryMb: 1024,
    stallMs: 60_000,
    onMessage: (message) => {
      messages.push(message);
      heard.resolve();
    },
    onOutput: (line) => output.push(line),
    ...own,
  });
  t.after(() => worker.kill());
  worker.start({
    type: "start",
    name: "w1",
    location: doing(way),
    jobs: [],
    isAlone: false,
    logLevel: "silent",
  });
  return { worker, messages, output, heard: heard.promise };
};

/** Looks at it, as the supervisor does, until it has ended. */
const watch = async (worker: WorkerProcess) => {
  const looker = setInterval(() => worker.look(0), 20);
  try {
    return await worker.ended;
  } finally {
    clearInterval(looker);
  }
};

const ends: readonly [string, "scraper" | "unknown", RegExp][] = [
  ["exit", "scraper", /exit code 7/],
  ["throw", "scraper", /uncaught: TypeError: no such thing/],
  ["reject", "scraper", /uncaught: RangeError: nobody listens/],
  ["abort", "scraper", /SIGABRT/],
  ["killed", "unknown", /from outside by SIGKILL/],
];
for (const [way, blame, detail] of ends)
  test(`a process that ends by "${way}" is recognised`, async (t) => {
    const end = await start(t, way).worker.ended;
    assert.deepEqual([end.isOrderly, end.blame], [false, blame]);
    assert.match(end.detail, detail);
  });

test("a process with a blocked event loop is ended, and the scraper is blamed", async (t) => {
  const end = await watch(start(t, "loop", { stallMs: 300 }).worker);
  assert.equal(end.blame, "scraper");
  assert.match(end.detail, /was blocked/);
});

test("a process without CPU time on a busy machine does not count as blocked for a long time", async (t) => {
  if (process.platform !== "linux") return t.skip("only Linux tells the time that another process has run");
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const { worker, heard } = start(t, "idle", { stallMs: 10_000 });
  await heard;
  worker.child.kill("SIGSTOP");
  worker.look(0);
  nowMs = 50_000;
  worker.look(0);
  worker.child.kill("SIGCONT");
  const again = once(worker.child, "message");
  worker.start({
    type: "start",
    name: "w1",
    location: doing("idle"),
    jobs: [],
    isAlone: false,
    logLevel: "silent",
  });
  await again;
  nowMs = 200_000;
  worker.look(0);
  assert.match((await worker.ended).detail, /was blocked for 150 s/);
});

test("a process with too much memory is ended, and the scraper is blamed", async (t) => {
  if (process.platform !== "linux") return t.skip("only Linux tells the memory of another process");
  const end = await watch(start(t, "hoard", { maxMemoryMb: 300 }).worker);
  assert.equal(end.blame, "scraper");
  assert.match(end.detail, /300 MB/);
});

test("time while the watcher itself slept does not count", async (t) => {
  const { worker, heard } = start(t, "idle", { stallMs: 0 });
  await heard;
  worker.look(3_600_000);
  worker.stop();
  assert.equal((await worker.ended).isOrderly, true);
});

test("a process that has no work yet cannot be late", async (t) => {
  const worker = new WorkerProcess({
    script: pathToFileURL(script),
    maxMemoryMb: 1024,
    stallMs: 0,
    onMessage: () => {},
    onOutput: () => {},
  });
  t.after(() => worker.kill());
  worker.look(0);
  worker.stop();
  assert.equal((await worker.ended).isOrderly, true);
});

test("its messages are received, and its output is passed on", async (t) => {
  const { worker, messages, heard } = start(t, "idle");
  await heard;
  assert.deepEqual(messages, [{ type: "beat", suspects: 3 }]);
  worker.stop();
  await worker.ended;
  assert.deepEqual(messages.at(-1), { type: "ended" });
  const talking = start(t, "talk");
  await talking.worker.ended;
  assert.deepEqual(talking.output.toSorted(), ["a warning", "one line"]);
});

test("a process that reports why it cannot continue has ended in order", async (t) => {
  const { worker, messages } = start(t, "fail");
  assert.equal((await worker.ended).isOrderly, true);
  assert.equal(messages[0]?.type, "failed");
});

test("messages to an ended process do no harm", async (t) => {
  const { worker } = start(t, "exit");
  await worker.ended;
  worker.stop();
  worker.look(0);
  worker.kill();
});
