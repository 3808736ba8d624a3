import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROBLEM_CODES, statusOf } from "../src/services/problem.ts";

test("the page on errors has every code of the API, in order, with its status", () => {
  const page = readFileSync(join(import.meta.dirname, "errors.md"), "utf8");
  const rows = Array.from(
    page.matchAll(/^\| (\d{3}) \| `([\w-]+)` \| \S/gm),
    ([, status, code]) => `${status} ${code}`,
  );
  assert.deepEqual(
    rows,
    PROBLEM_CODES.map((code) => `${statusOf(code)} ${code}`),
  );
});
