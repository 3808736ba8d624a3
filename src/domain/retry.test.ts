import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  type Failure,
  FAILURE_KINDS,
  type FailureKind,
  failurePolicy,
  type PolicyOverrides,
} from "./failure.ts";
import {
  afterDeathAlone,
  afterFailure,
  backoffMs,
  type FailedTry,
  FREE_THROTTLES,
  jitteredMs,
  retryAfterMs as longestMs,
} from "./retry.ts";

const HOUR = 3_600_000;

const failedWith = (kind: FailureKind, facts: Partial<FailedTry> = {}): FailedTry => ({
  failure: { kind, detail: "as planned" },
  attempt: 1,
  throttles: 0,
  hasActed: false,
  random: 0.5,
  ...facts,
});

const anyFailure: fc.Arbitrary<Failure> = fc
  .record({
    kind: fc.constantFrom(...FAILURE_KINDS),
    detail: fc.constant("as planned"),
    retryAfterMs: fc.nat(3 * HOUR),
  })
  .map(({ retryAfterMs, ...failure }) => (retryAfterMs % 2 ? { ...failure, retryAfterMs } : failure));
const anyOverrides: fc.Arbitrary<PolicyOverrides> = fc.dictionary(
  fc.constantFrom(...FAILURE_KINDS),
  fc.record({ maxAttempts: fc.integer({ min: 1, max: 8 }) }),
);
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const throttled = (throttles: number, attempt: number) =>
  afterFailure(failedWith("rate-limited", { throttles, attempt }));

const delayFor = (retryAfterMs: number) => {
  const failure: Failure = { kind: "server-error", detail: "as planned", retryAfterMs };
  const outcome = afterFailure({ ...failedWith("server-error"), failure });
  assert.ok(outcome.state === "waiting");
  return outcome.delayMs;
};

test("the job's own cap can only lower the number of attempts; throttles cost none", () => {
  for (const kind of FAILURE_KINDS.filter((each) => !FREE_KINDS.has(each))) {
    const { maxAttempts } = failurePolicy(kind);
    assert.equal(afterFailure(failedWith(kind, { maxAttempts: 1 })).state, "failed");
    assert.equal(
      afterFailure(failedWith(kind, { attempt: maxAttempts, maxAttempts: maxAttempts + 1 })).state,
      "failed",
    );
  }
  for (const kind of ["rate-limited", "proxy"] as const)
    assert.equal(afterFailure(failedWith(kind, { maxAttempts: 1 })).state, "waiting");
});

/** The lane, or the tier, answers for them at first. */
const FREE_KINDS: ReadonlySet<string> = new Set(["rate-limited", "proxy"]);

test("an item waits until its kind's last attempt has failed", () => {
  for (const kind of FAILURE_KINDS.filter((each) => !FREE_KINDS.has(each))) {
    const { maxAttempts } = failurePolicy(kind);
    for (let attempt = 1; attempt < maxAttempts; attempt++)
      assert.equal(afterFailure(failedWith(kind, { attempt })).state, "waiting", `${kind} ${attempt}`);
    assert.equal(afterFailure(failedWith(kind, { attempt: maxAttempts })).state, "failed", kind);
  }
});

test("ten throttles cost no attempt, the eleventh costs one, and then the cap applies", () => {
  const free = throttled(FREE_THROTTLES - 1, 3);
  assert.ok(free.state === "waiting" && !free.countsAttempt);
  const paid = throttled(FREE_THROTTLES, 2);
  assert.ok(paid.state === "waiting" && paid.countsAttempt);
  assert.equal(throttled(FREE_THROTTLES, 3).state, "failed");
});

test("the wait after a throttle grows with the number of throttles, because the attempt number does not change", () => {
  const outcome = afterFailure(failedWith("rate-limited", { throttles: 3, attempt: 1 }));
  assert.ok(outcome.state === "waiting");
  assert.equal(outcome.delayMs, backoffMs(failurePolicy("rate-limited").backoff, 4) / 2);
});

test("an item whose acting request was sent is never retried, whatever happened", () => {
  fc.assert(
    fc.property(anyFailure, anyOverrides, anyRandom, (failure, overrides, random) => {
      const failed = { ...failedWith(failure.kind), failure, overrides, random, hasActed: true };
      assert.deepEqual(afterFailure(failed), { state: "failed", failure });
    }),
  );
});

test("a site's Retry-After is waited for, but no longer than an hour", () => {
  assert.equal(delayFor(90_000), 90_000);
  assert.equal(delayFor(5 * HOUR), HOUR);
  assert.equal(delayFor(0), 1000, "the backoff itself, where the site asks for less");
});

test("a delay lies between what the site asked for and the longer of that and the backoff", () => {
  fc.assert(
    fc.property(anyFailure, anyRandom, (failure, random) => {
      const outcome = afterFailure({ ...failedWith(failure.kind), failure, random });
      if (outcome.state === "failed") return;
      const asked = Math.min(failure.retryAfterMs ?? 0, HOUR);
      const backoff = backoffMs(failurePolicy(failure.kind).backoff, 1);
      assert.ok(outcome.delayMs >= asked && outcome.delayMs <= Math.max(asked, backoff));
    }),
  );
});

test("over any sequence of failures no item gets more attempts than its cap, and every item ends", () => {
  const manyFailures = fc.array(anyFailure, { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(manyFailures, anyOverrides, anyRandom, (failures, overrides, random) => {
      const capOf = (kind: FailureKind) => failurePolicy(kind, overrides).maxAttempts;
      const cap = Math.max(...FAILURE_KINDS.map(capOf));
      let [attempt, throttles, runs] = [1, 0, 0];
      let hasEnded = false;
      for (const failure of failures) {
        runs++;
        assert.ok(attempt <= cap);
        const tried = { failure, attempt, throttles, hasActed: false, overrides, random };
        const outcome = afterFailure(tried);
        hasEnded = outcome.state === "failed";
        if (outcome.state === "failed") break;
        if (failure.kind === "rate-limited") throttles++;
        if (outcome.countsAttempt) attempt++;
      }
      assert.ok(hasEnded);
      assert.ok(runs <= cap + FREE_THROTTLES);
    }),
    { numRuns: 1000 },
  );
});

const anyBackoff = fc.record({
  firstMs: fc.nat(60_000),
  factor: fc.double({ min: 1, max: 10, noNaN: true }),
  maxMs: fc.nat(3_600_000),
});

test("each wait is twice the one before until the longest is reached", () => {
  const backoff = { firstMs: 1000, factor: 2, maxMs: 5000 };
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((attempt) => backoffMs(backoff, attempt)),
    [1000, 2000, 4000, 5000, 5000],
  );
});

test("a backoff never shrinks from one attempt to the next and never passes its bound", () => {
  fc.assert(
    fc.property(anyBackoff, fc.integer({ min: 1, max: 5000 }), (backoff, attempt) => {
      const ms = backoffMs(backoff, attempt);
      assert.ok(ms >= 0 && ms <= backoff.maxMs);
      assert.ok(backoffMs(backoff, attempt + 1) >= ms);
    }),
  );
});

test("jitter spreads the wait over whole milliseconds from none up to the backoff", () => {
  const backoff = { firstMs: 1000, factor: 2, maxMs: 60_000 };
  assert.equal(jitteredMs(backoff, 2, 0), 0);
  assert.equal(jitteredMs(backoff, 2, 0.5), 1000);
  assert.equal(jitteredMs(backoff, 2, 1 - Number.EPSILON), 1999);
  fc.assert(
    fc.property(anyBackoff, fc.integer({ min: 1, max: 100 }), anyRandom, (any, attempt, random) => {
      const ms = jitteredMs(any, attempt, random);
      assert.ok(Number.isInteger(ms) && ms >= 0 && ms <= backoffMs(any, attempt));
    }),
  );
});

test("an item whose own code ends its process gets one more try alone", () => {
  assert.deepEqual(afterDeathAlone({ blamed: 1, unexplained: 0 }), { waitMs: 250 });
  assert.equal(afterDeathAlone({ blamed: 2, unexplained: 0 }), "give-up");
});

test("unexplained deaths allow more attempts, with longer waits", () => {
  const waits = [1, 2, 3, 4, 5].map((unexplained) => afterDeathAlone({ blamed: 0, unexplained }));
  assert.deepEqual(
    waits,
    [250, 500, 1000, 2000, 4000].map((waitMs) => ({ waitMs })),
  );
  assert.equal(afterDeathAlone({ blamed: 0, unexplained: 6 }), "give-up");
});

const retryAfterMs = (text: string, now: number) => longestMs([text], now);

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

test("seconds and HTTP dates are read, and nothing else", () => {
  assert.equal(retryAfterMs("120", NOW), 120_000);
  assert.equal(retryAfterMs(" 0 ", NOW), 0);
  assert.equal(retryAfterMs("Thu, 01 Jan 2026 00:01:00 GMT", NOW), 60_000);
  assert.equal(retryAfterMs("Wed, 31 Dec 2025 00:00:00 GMT", NOW), 0);
  for (const text of ["", "soon", "-5", "x1", "1h", ",", "12, soon"])
    assert.equal(retryAfterMs(text, NOW), undefined, text);
});

test("no wait is negative or longer than a day", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.nat().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      (text) => {
        const ms = retryAfterMs(text, NOW);
        assert.ok(ms === undefined || (ms >= 0 && ms <= DAY), `${text}: ${ms}`);
      },
    ),
  );
  assert.equal(retryAfterMs("999999999", NOW), DAY);
});

test("of several valid headers the longest counts, whatever their order and form; invalid ones do not", () => {
  const date = "Thu, 01 Jan 2026 00:01:00 GMT";
  const cases: readonly [readonly string[], number | undefined][] = [
    [["5", "120"], 120_000],
    [["120", "5"], 120_000],
    [["5", date], 60_000],
    [[date, "90"], 90_000],
    [["-5", "7"], 7000],
    [["soon", "7", ""], 7000],
    [["5, 120"], 120_000],
    [["120,5", "60"], 120_000],
    [["soon", "-1"], undefined],
    [[], undefined],
  ];
  for (const [values, expected] of cases) assert.equal(longestMs(values, NOW), expected, values.join(" | "));
});

test("the first ten failures of a proxy, and refusals that another tier may avoid, cost no attempt", () => {
  for (const free of [failedWith("proxy", {}), failedWith("blocked", { canMoveTier: true })])
    for (const throttles of [0, 9, 10]) {
      const outcome = afterFailure({ ...free, throttles, attempt: 1 });
      assert.equal(outcome.state, "waiting");
      assert.equal("countsAttempt" in outcome && outcome.countsAttempt, throttles >= 10);
    }
});
