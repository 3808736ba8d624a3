import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { LOG_LEVELS, openLog } from "./log.ts";

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
