import assert from "node:assert/strict";
import { test } from "node:test";
import { dueRemoval } from "../domain/removal.ts";
import { retentionOf, retentionProblem } from "./check-scraper.ts";

const DAY = 86_400_000;

test("a scraper's retention is read in milliseconds, and nothing is due before its time", () => {
  assert.equal(retentionProblem({ pages: "90d", records: "2y" }), undefined);
  const retention = retentionOf({ pages: "90d", records: "2y" })!;
  assert.deepEqual(retention, { pagesMs: 90 * DAY, recordsMs: 730 * DAY });
  const due = [89, 90, 729, 730].map((days) => dueRemoval(retention, 0, days * DAY));
  assert.deepEqual(due, [undefined, "pages", "pages", "job"]);
  assert.equal(retentionOf({}), undefined);
  assert.equal(dueRemoval({ recordsMs: DAY }, 0, DAY), "job");
});

test("a retention that cannot be meant is refused with what it takes", () => {
  const problems: readonly [setting: unknown, problem: RegExp][] = [
    ["90d", /takes durations/],
    [{ page: "90d" }, /has no option `page`\. Did you mean `pages`\?/],
    [{ pages: 90 }, /`retention\.pages` is no duration/],
    [{ pages: "90 days" }, /Units are s, m, h, d, w and y/],
    [{ pages: "2y", records: "90d" }, /`retention\.pages` is longer/],
  ];
  for (const [setting, problem] of problems) assert.match(retentionProblem(setting) ?? "", problem);
});
