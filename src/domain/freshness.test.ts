import assert from "node:assert/strict";
import { test } from "node:test";
import { answersUntil, changeOf, freshAnswer, type KnownAnswer } from "./freshness.ts";

const good: KnownAnswer = { outcome: "done", fetchedAt: 1000, freshUntil: 2000, isShared: false };

test("without a max age, an answer is fresh for as long as its headers say", () => {
  assert.equal(answersUntil(good, {}), 2000);
  assert.equal(answersUntil({ ...good, outcome: "blocked" }, {}), 2000);
});

test("a job's max age overrides the headers for the client's own good answers", () => {
  assert.equal(answersUntil(good, { maxAgeMs: 5000 }), 6000);
  assert.equal(answersUntil({ ...good, outcome: "absent" }, { maxAgeMs: 5000 }), 6000);
  assert.equal(answersUntil(good, { maxAgeMs: 10 }), 1010);
  assert.equal(freshAnswer([good], { maxAgeMs: 0 }, 1000), undefined);
});

test("shared answers and failures are never used beyond their own lifetime", () => {
  for (const known of [
    { ...good, isShared: true },
    { ...good, outcome: "timeout" as const },
  ]) {
    assert.equal(answersUntil(known, { maxAgeMs: 5000 }), 2000);
    assert.equal(answersUntil(known, { maxAgeMs: 10 }), 1010);
  }
});

test("a good answer is preferred to a newer failure, and an own answer to a shared one; expired answers are not used", () => {
  const failed: KnownAnswer = { ...good, outcome: "blocked", fetchedAt: 1500, freshUntil: 9000 };
  const shared: KnownAnswer = { ...good, fetchedAt: 1800, isShared: true };
  assert.equal(freshAnswer([failed, shared, good], {}, 1900), good);
  assert.equal(freshAnswer([failed, shared], {}, 1900), shared);
  assert.equal(freshAnswer([failed, shared, good], {}, 2000), failed);
  assert.equal(freshAnswer([failed, shared, good], {}, 9000), undefined);
});

test("an item is new, changed, unchanged or gone, and a failure is none of these", () => {
  const done = { outcome: "done", digest: "a" } as const;
  assert.equal(changeOf(undefined, done), "new");
  assert.equal(changeOf({ outcome: "absent" }, done), "new");
  assert.equal(changeOf(done, { outcome: "done", digest: "b" }), "changed");
  assert.equal(changeOf(done, done), "unchanged");
  assert.equal(changeOf({ outcome: "done" }, { outcome: "done" }), "changed");
  assert.equal(changeOf(done, { outcome: "absent" }), "gone");
  assert.equal(changeOf({ outcome: "absent" }, { outcome: "absent" }), undefined);
  assert.equal(changeOf(undefined, { outcome: "absent" }), undefined);
  for (const outcome of ["blocked", "captcha", "timeout"] as const)
    assert.equal(changeOf(done, { outcome }), undefined);
});
