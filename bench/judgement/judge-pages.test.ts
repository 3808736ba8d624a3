import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePages } from "./judge-pages.ts";
import { judgementReport } from "./report.ts";

const BAR = 0.99;
const run = judgePages({ seed: 11, sites: 180, pagesASite: 3 });

for (const { status, precision, recall } of run.all.scores())
  test(`of 540 generated pages, ${status} is judged with precision and recall of at least ${BAR}`, () => {
    assert.ok(precision >= BAR && recall >= BAR, judgementReport(run));
  });

test(`of 540 generated pages, at least ${BAR} of the present values are read right`, () => {
  assert.ok(run.all.rightShare >= BAR, judgementReport(run));
});
