import assert from "node:assert/strict";
import { test } from "node:test";
import { narrowProblem, narrowScraper } from "./narrow-ladder.ts";

const list = { name: "list" };
const detail = { name: "detail", proxies: ["direct", "datacenter", "residential:us-tx"] };

test("a job may use a part of the ladder, in its order", () => {
  assert.equal(narrowProblem([detail], ["residential:us-tx", "direct"]), undefined);
  const { proxies } = narrowScraper(detail, ["residential:us-tx", "direct"]);
  assert.deepEqual(proxies, ["direct", "residential:us-tx"]);
  assert.equal(narrowScraper(detail, undefined), detail);
  assert.equal(narrowScraper(list, ["direct"]), list);
});

test("a tier that no scraper lists is an error that names the listed ones", () => {
  assert.equal(
    narrowProblem([detail], ["direct", "mobile"]),
    "mobile: no scraper of the job lists this proxy tier. Scraper detail lists direct, datacenter, residential:us-tx.",
  );
});

test("every scraper of the job needs a tier", () => {
  assert.equal(
    narrowProblem([list, detail], ["datacenter"]),
    "datacenter: scraper list lists none of these proxy tiers. Scraper list lists direct.",
  );
  assert.equal(narrowProblem([list, detail], ["direct", "datacenter"]), undefined);
});
