// e2e: several processes write one log
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { removeJobLog } from "./job-log.ts";
import { openLog } from "./log.ts";
import { logLimits, rotatedLogs } from "./rotate-log.ts";

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

test("processes that share a log lose no line while it is set aside again and again", async (t) => {
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

test("a removed job takes along the logs that were set aside", async (t) => {
  const data = temporary(t);
  const { openJobLog } = await import("./job-log.ts");
  process.env["SLUICE_LOG_MAX_MB"] = "0.001";
  t.after(() => delete process.env["SLUICE_LOG_MAX_MB"]);
  const log = openJobLog(data, "job1", "info");
  for (let n = 0; n < 60; n++) log.info("event", { n });
  assert.ok(readdirSync(join(data, "logs")).length > 1);
  await removeJobLog(data, "job1");
  assert.deepEqual(readdirSync(join(data, "logs")), []);
});

test("limits that cannot be are taken as not said", () => {
  const usual = logLimits({});
  assert.deepEqual(usual, { maxBytes: 64e6, kept: 4 });
  assert.deepEqual(logLimits({ SLUICE_LOG_MAX_MB: "0", SLUICE_LOG_KEEP: "-1" }), usual);
  assert.deepEqual(logLimits({ SLUICE_LOG_MAX_MB: "0.5", SLUICE_LOG_KEEP: "0" }), {
    maxBytes: 500_000,
    kept: 0,
  });
});
