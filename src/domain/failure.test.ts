import assert from "node:assert/strict";
import { test } from "node:test";
import { FAILURE_KINDS, type FailureKind, failurePolicy, type FailurePolicy } from "./failure.ts";

const kindsWith = (holds: (policy: FailurePolicy) => boolean): FailureKind[] =>
  FAILURE_KINDS.filter((kind) => holds(failurePolicy(kind)));

test("the number of attempts depends on what another attempt could change", () => {
  const tries = Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, failurePolicy(kind).maxAttempts]));
  assert.deepEqual(tries, {
    timeout: 3,
    connection: 3,
    "rate-limited": 3,
    blocked: 3,
    captcha: 2,
    maintenance: 4,
    "server-error": 3,
    "structure-changed": 1,
    navigation: 2,
    "invalid-input": 1,
    "forbidden-target": 1,
    "robots-denied": 1,
    "too-large": 1,
    "bad-content": 2,
    "scraper-error": 1,
    browser: 2,
    proxy: 3,
    "worker-lost": 1,
    budget: 1,
  });
});

test("only failures caused by our address move the proxy tier", () => {
  assert.deepEqual(
    kindsWith((policy) => policy.movesProxyTier),
    ["blocked", "captcha"],
  );
});

test("only signs of an overloaded site slow the lane", () => {
  assert.deepEqual(
    kindsWith((policy) => policy.slowsLane),
    ["timeout", "rate-limited", "maintenance", "server-error"],
  );
});

test("only failures that end without a person heal", () => {
  assert.deepEqual(
    kindsWith((policy) => policy.heals),
    ["timeout", "connection", "rate-limited", "blocked", "maintenance", "server-error"],
  );
});

test("failures decided by Sluice do not count in the breaker", () => {
  assert.deepEqual(
    kindsWith((policy) => policy.breakerWeight === 0),
    [
      "rate-limited",
      "invalid-input",
      "forbidden-target",
      "robots-denied",
      "browser",
      "proxy",
      "worker-lost",
      "budget",
    ],
  );
});

test("a scraper overrides parts of a row, and nothing else changes", () => {
  const overrides = { maintenance: { maxAttempts: 6, backoff: { firstMs: 10 } } };
  const usual = failurePolicy("maintenance");
  assert.deepEqual(failurePolicy("maintenance", overrides), {
    ...usual,
    maxAttempts: 6,
    backoff: { ...usual.backoff, firstMs: 10 },
  });
  assert.deepEqual(failurePolicy("timeout", overrides), failurePolicy("timeout"));
});

test("a kind retries exactly when its cap leaves room for a second try", () => {
  assert.equal(failurePolicy("timeout", { timeout: { maxAttempts: 1 } }).retries, false);
  assert.equal(failurePolicy("structure-changed").retries, false);
  assert.equal(failurePolicy("structure-changed", { "structure-changed": { maxAttempts: 2 } }).retries, true);
});
