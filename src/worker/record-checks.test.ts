import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING_LEARNED } from "../domain/auto-mode.ts";
import type { Failure } from "../domain/failure.ts";
import type { RecordFields } from "../domain/same-records.ts";
import { RecordChecks } from "./record-checks.ts";

const CHANGED: Failure = { kind: "navigation", detail: "meta was not found" };
const DOWN: Failure = { kind: "maintenance", detail: "down" };

type End = string | Failure | undefined;

/** Items whose record is a text, absent if undefined; each side may give another one for each call. */
const openChecks = (oneIn: number) => {
  const taken: string[] = [];
  const log: string[] = [];
  const told: string[] = [];
  const checks = new RecordChecks({
    capacity: 2,
    onLearned: ({ saw }) => told.push(saw.saw),
    onTakeOver: (_, reason) => taken.push(reason),
  });
  const runOf = (who: string, end: End) => {
    log.push(who);
    const records: RecordFields[] =
      typeof end === "string" ? [{ name: { status: "present", value: end } }] : [];
    const failure = typeof end === "object" ? end : undefined;
    return {
      end,
      result: {
        ended: failure ? ("failure" as const) : end === undefined ? ("absent" as const) : ("pages" as const),
        failure,
        missing: end === "" ? ["name"] : [],
      },
      records: () => records,
      drop: async () => void log.push(`drop ${who}`),
    };
  };
  const item = async (http: End | End[], browser: End): Promise<End> => {
    const each = [http].flat();
    const ran = await checks.run({
      key: { lane: "lane", key: "1" },
      oneIn,
      required: ["name"],
      own: async () => runOf("http", each.length > 1 ? each.shift() : each[0]),
      other: async () => (browser === "none" ? undefined : runOf("browser", browser)),
      mayRepeat: () => true,
    });
    return ran.end;
  };
  return { item, taken, log, told, checks };
};

test("the first item and one in N are compared", async () => {
  const { item, log, taken } = openChecks(3);
  for (let count = 0; count < 7; count++) assert.equal(await item("a", "a"), "a");
  assert.equal(log.filter((who) => who === "browser").length, 3);
  assert.equal(log.filter((who) => who === "drop browser").length, 3);
  assert.deepEqual(taken, []);
});

test("when the records differ twice, the browser's counts, and it takes over", async () => {
  const { item, log, taken } = openChecks(100);
  assert.equal(await item("a", "b"), "b");
  assert.deepEqual(log, ["http", "browser", "http", "drop http", "drop http"]);
  assert.deepEqual(taken, ["field name differs from the browser's"]);
  assert.equal(await item("a", "c"), "c");
  assert.equal(log.filter((who) => who === "http").length, 2);
});

test("a difference that another worker found applies here too", async () => {
  const { item, checks, told, log } = openChecks(100);
  const state = { ...NOTHING_LEARNED, way: "browser" as const, reason: "field name differs" };
  assert.equal(checks.hear({ lane: "lane", key: "1", state }), false);
  assert.equal(await item("a", "a"), "a");
  assert.deepEqual(told, ["same"]);
  assert.equal(checks.hear({ lane: "lane", key: "1", state }), true);
  assert.equal(await item("a", "b"), "b");
  assert.equal(log.filter((who) => who === "http").length, 1);
});

test("a site that changed between the two runs does not count as a difference", async () => {
  const { item, taken } = openChecks(100);
  assert.equal(await item(["old", "new"], "new"), "new");
  assert.deepEqual(taken, []);
});

test("absent is compared too", async () => {
  const { item, taken } = openChecks(1);
  assert.equal(await item(undefined, undefined), undefined);
  assert.equal(await item(undefined, "found"), "found");
  assert.deepEqual(taken, ["plain requests say absent, the browser finds a record"]);
});

test("an unexpected page is checked in the browser at once; a failing site is not", async () => {
  const { item, log, taken } = openChecks(100);
  assert.equal(await item("a", "a"), "a");
  assert.equal(await item(DOWN, "a"), DOWN);
  assert.equal(log.filter((who) => who === "browser").length, 1);
  assert.equal(await item(CHANGED, DOWN), CHANGED);
  assert.equal(await item(CHANGED, "a"), "a");
  assert.match(taken.join(), /plain requests fail \(navigation: meta was not found\)/);
});

test("a browser run without required fields is not evidence", async () => {
  const { item, taken } = openChecks(1);
  assert.equal(await item("a", ""), "a");
  assert.deepEqual(taken, []);
});

test("without a browser, nothing is compared", async () => {
  const { item } = openChecks(1);
  assert.equal(await item("a", "none"), "a");
});
