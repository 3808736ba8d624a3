import assert from "node:assert/strict";
import { test } from "node:test";
import { FAILURE_KINDS } from "../../domain/failure.ts";
import { holdAdvice } from "./next-steps.ts";

test("the most frequent failure decides, regardless of successes", () => {
  const mixed = holdAdvice({ chart: "failures", counts: { done: 40, captcha: 3, connection: 7 } });
  assert.equal(mixed, holdAdvice({ chart: "failures", counts: { connection: 1 } }));
  assert.notEqual(mixed, holdAdvice({ chart: "failures", counts: { captcha: 1 } }));
});

test("there is advice for every kind, for absent items and for a missing field, and none without evidence", () => {
  for (const kind of FAILURE_KINDS) assert.ok(holdAdvice({ chart: "failures", counts: { [kind]: 1 } }), kind);
  assert.ok(holdAdvice({ chart: "absent" }));
  assert.ok(holdAdvice({ chart: "missing:owner" }));
  assert.equal(holdAdvice({}), undefined);
});
