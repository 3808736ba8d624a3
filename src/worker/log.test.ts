// own process: several processes write one log
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { LOG_LEVELS, logLimits, logWith, openLog, removeJobLog, rotatedLogs } from "./log.ts";

const temporaryFile = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "log.jsonl");
};

const read = (file: string): Record<string, unknown>[] =>
  readFileSync(file, { encoding: "utf8", flag: "a+" })
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("an event is one line of JSON with its time, level and facts", (t) => {
  const file = temporaryFile(t);
  openLog(file, "info").warn("attempt failed", { job: "j1", detail: "two\nlines" });
  const [line, ...others] = read(file);
  const { at, ...rest } = line!;
  assert.deepEqual(rest, { level: "warn", event: "attempt failed", job: "j1", detail: "two\nlines" });
  assert.ok(Number.isFinite(Date.parse(at as string)));
  assert.deepEqual(others, []);
});

test("messages below the level are not written", (t) => {
  for (const [index, level] of LOG_LEVELS.entries()) {
    const file = temporaryFile(t);
    const log = openLog(file, level);
    for (const name of ["debug", "info", "warn", "error"] as const) log[name](name);
    assert.deepEqual(
      read(file).map(({ event }) => event),
      ["debug", "info", "warn", "error"].slice(index),
    );
  }
});

test("several writers share one file", (t) => {
  const file = temporaryFile(t);
  const logs = [openLog(file, "info"), openLog(file, "info")];
  for (let n = 0; n < 50; n++) logs[n % 2]!.info("event", { n });
  assert.deepEqual(
    read(file).map(({ n }) => n),
    Array.from({ length: 50 }, (_, n) => n),
  );
});

test("no secret is written, however deeply nested", (t) => {
  const file = temporaryFile(t);
  openLog(file, "info").error("request.failed", {
    item: "https://site.test/a?api_key=abc123&page=2",
    errors: [{ text: "POST https://user:hunter2@hooks.test: Bearer abc123def456" }],
    key: `sluice_0123abcd_${"0f".repeat(20)}`,
    secret: `signed with whsec_${Buffer.alloc(32, 7).toString("base64")}`,
  });
  const [{ item, errors, key, secret }] = read(file) as [Record<string, unknown>];
  assert.deepEqual(
    [item, errors, key, secret],
    [
      "https://site.test/a?api_key=***&page=2",
      [{ text: "POST https://***@hooks.test: Bearer ***" }],
      "sluice_0123abcd_***",
      "signed with whsec_***",
    ],
  );
});

test("facts of a logger are on each of its lines, and a line's own facts override them", (t) => {
  const file = temporaryFile(t);
  const log = logWith(openLog(file, "info"), { worker: "w1", job: "j1" });
  log.info("one");
  log.warn("two", { job: "j2" });
  assert.deepEqual(
    read(file).map(({ event, worker, job }) => [event, worker, job]),
    [
      ["one", "w1", "j1"],
      ["two", "w1", "j2"],
    ],
  );
});

test("a log that cannot be written stops nothing", (t) => {
  openLog(join(temporaryFile(t), "no-folder", "log.jsonl"), "info").error("task failed");
});

const temporary = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-rotate-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
};

const linesOf = (file: string): { readonly writer: number; readonly n: number }[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly writer: number; readonly n: number });

test("processes that share a log lose no line while it is rotated repeatedly", async (t) => {
  const folder = temporary(t);
  const file = join(folder, "worker.jsonl");
  const script = join(folder, "writer.ts");
  const from = new URL("./log.ts", import.meta.url).href;
  writeFileSync(
    script,
    `import { openLog } from ${JSON.stringify(from)};
const log = openLog(${JSON.stringify(file)}, "info", { maxBytes: 5000, kept: 10_000 });
for (let n = 0; n < 1000; n++) log.info("event", { writer: Number(process.argv[2]), n });
`,
  );
  const writers = [0, 1, 2].map((writer) => fork(script, [String(writer)]));
  for (const exit of await Promise.all(writers.map((writer) => once(writer, "exit"))))
    assert.deepEqual(exit, [0, null]);
  const files = [...rotatedLogs(file), file].filter((name) =>
    readdirSync(folder).some((known) => name.endsWith(known)),
  );
  assert.ok(files.length > 20, `${files.length} files`);
  const lines = files.flatMap(linesOf);
  for (const writer of [0, 1, 2])
    assert.deepEqual(
      lines
        .filter((line) => line.writer === writer)
        .map(({ n }) => n)
        .toSorted((a, b) => a - b),
      Array.from({ length: 1000 }, (_, n) => n),
    );
});

test("the newest are kept, and files of other logs are left alone", (t) => {
  const folder = temporary(t);
  const others = ["worker.jsonl", "worker.notes.jsonl", "workers.20261116T042309472-1-1.jsonl"];
  for (const name of others.slice(1)) writeFileSync(join(folder, name), "");
  const log = openLog(join(folder, "worker.jsonl"), "info", { maxBytes: 200, kept: 2 });
  for (let n = 0; n < 60; n++) log.info("event", { n });
  log.info("last");
  const aside = rotatedLogs(join(folder, "worker.jsonl"));
  assert.equal(aside.length, 2);
  assert.ok(others.slice(1).every((name) => readdirSync(folder).includes(name)));
});

test("the rotated logs of a removed job are removed", async (t) => {
  const data = temporary(t);
  const { openJobLog } = await import("./log.ts");
  process.env["SLUICE_LOG_MAX_MB"] = "0.001";
  t.after(() => delete process.env["SLUICE_LOG_MAX_MB"]);
  const log = openJobLog(data, "job1", "info");
  for (let n = 0; n < 60; n++) log.info("event", { n });
  assert.ok(readdirSync(join(data, "logs")).length > 1);
  await removeJobLog(data, "job1");
  assert.deepEqual(readdirSync(join(data, "logs")), []);
});

test("invalid limits are ignored", () => {
  const usual = logLimits({});
  assert.deepEqual(usual, { maxBytes: 64e6, kept: 4 });
  assert.deepEqual(logLimits({ SLUICE_LOG_MAX_MB: "0", SLUICE_LOG_KEEP: "-1" }), usual);
  assert.deepEqual(logLimits({ SLUICE_LOG_MAX_MB: "0.5", SLUICE_LOG_KEEP: "0" }), {
    maxBytes: 500_000,
    kept: 0,
  });
});
