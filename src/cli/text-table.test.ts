import assert from "node:assert/strict";
import { test } from "node:test";
import { textTable } from "./text-table.ts";

test("columns are aligned, and the last one is cut at the width", () => {
  const columns = [{ title: "kind" }, { title: "items", align: "right" as const }, { title: "for example" }];
  const rows = [
    ["timeout", "7", "no answer"],
    ["blocked", "1,200", "the site answered 403"],
  ];
  assert.deepEqual(textTable(columns, rows, 30), [
    "  kind     items  for example",
    "  timeout      7  no answer",
    "  blocked  1,200  the site an…",
  ]);
});
