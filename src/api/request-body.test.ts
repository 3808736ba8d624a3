import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemBody } from "./answers.ts";
import { checkJson } from "./request-body.ts";
import { openApiKit } from "./testing/api-kit.ts";

const check = (text: string): void => checkJson(Buffer.from(text));
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

test("brackets in strings do not count as levels, whatever is escaped", () => {
  check(nested(64));
  assert.throws(() => check(nested(65)), { code: "invalid-request" });
  check(JSON.stringify({ a: nested(100), b: `\\"${nested(100)}\\`, c: '\\\\"[' }));
  assert.throws(() => check(`{"a":"\\\\","b":${nested(65)}}`), { code: "invalid-request" });
  check(`["${"[".repeat(100)}`);
});

test("a body may be large but not have too many values", () => {
  check(JSON.stringify(Array.from({ length: 400_000 }, () => 1)));
  assert.throws(() => check(`[${"{},".repeat(300_000)}{}]`), { code: "too-large" });
});

test("JSON with thousands of levels is refused as a bad request, wherever it is nested", async () => {
  await using kit = await openApiKit();
  for (const deep of [`{"a":`.repeat(5000) + "1" + "}".repeat(5000), nested(1_000_000)]) {
    const { status, body } = await kit.ask<ProblemBody>("POST", "/v1/jobs", {
      body: `{"scraper":"county","inputs":[${deep}]}`,
      headers: { "content-type": "application/json" },
    });
    assert.deepEqual([status, body.code], [400, "invalid-request"]);
  }
});
