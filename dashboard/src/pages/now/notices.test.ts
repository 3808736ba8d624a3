import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_ALERT_RULES, NOTICE_TYPES, raiseNotice } from "../../../../src/domain/alert-rules.ts";
import { subjectOf } from "./notices.ts";

const FACTS = {
  release: 3,
  failed: ["drift of lake-county: 6 findings"],
  findings: 6,
  blocking: 6,
  first: "taxDue: 100.0 % values missing",
  schedule: "lake-weekly",
  at: "2026-11-18T06:00:00Z",
  count: 1,
  reason: "the service did not run",
  version: "9f49ef",
  reasons: ["owner: 42 values lost"],
  items: 50,
  since: "2026-11-11T06:00:00Z",
};

const subjectOfEvent = (type: string) => {
  const of = type.startsWith("release.") ? { dataset: "lake-taxes" } : { scraper: "lake-county" };
  const book = raiseNotice({}, { id: 1, type, facts: { ...FACTS, ...of } }, DEFAULT_ALERT_RULES, 0);
  return subjectOf(Object.values(book)[0]!.text);
};

test("each notice of the server has a title, and leads to what it is about", () => {
  assert.ok(NOTICE_TYPES.length > 5);
  for (const type of NOTICE_TYPES) {
    const { title, to, text } = subjectOfEvent(type);
    assert.notEqual(to, "/alerts", type);
    assert.match(title, / /, type);
    assert.match(text, /^[A-Z\d]/, type);
  }
  assert.deepEqual(subjectOfEvent("release.held"), {
    title: "Release 3 of lake-taxes is held",
    to: "/datasets/lake-taxes/releases/3",
    about: "release 3 of lake-taxes",
    text: "The last good one stays: drift of lake-county: 6 findings",
  });
  assert.equal(subjectOfEvent("schedule.missed").to, "/schedules/lake-weekly");
  assert.equal(subjectOfEvent("drift.found").title, "Drift in lake-county");
});

test("a notice that is not known keeps its text, and stays on the page of alerts", () => {
  assert.deepEqual(subjectOf("county: something else: twice"), {
    title: "county",
    to: "/alerts",
    text: "Something else: twice",
  });
});
