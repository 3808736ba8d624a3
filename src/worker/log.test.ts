import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { LOG_LEVELS, logWith, openLog } from "./log.ts";

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

test("what is below the level is not written", (t) => {
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

test("no secret is written, however deep it stands", (t) => {
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

test("facts of a log are on each of its lines, and a line's own come first", (t) => {
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

test("a log that cannot be written stops nobody", (t) => {
  openLog(join(temporaryFile(t), "no-folder", "log.jsonl"), "info").error("task failed");
});
