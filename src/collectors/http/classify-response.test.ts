import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, failureOf, openTestSession, openTestSite } from "./testing/test-site.ts";
import type { Failure } from "../../domain/failure.ts";

const failureFrom = async (
  status: number,
  body: string,
  headers: Readonly<Record<string, string | string[]>> = {},
): Promise<Failure> => {
  await using site = await openTestSite((_, response) => answer(response, body, headers, status));
  await using session = openTestSession(site.url);
  const failure = await failureOf(() => session.http.get("/"));
  assert.equal(session.archived.length, 1, "a failed response is archived too");
  assert.equal(failure.status, status);
  return failure;
};

const APACHE_503 =
  "<title>503 Service Unavailable</title><p>The server is temporarily unable to service your request due to maintenance downtime or capacity problems.</p>";

const AKAMAI = `<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQ'"></head><body></body></html>`;

const CASES: readonly [string, number, string, Readonly<Record<string, string>>, Failure["kind"]][] = [
  ["a plain 429", 429, "slow down", {}, "rate-limited"],
  ["a refusal for the rate, with 403", 403, "<p>Rate limit exceeded</p>", {}, "rate-limited"],
  ["503 with Retry-After", 503, "", { "retry-after": "120" }, "maintenance"],
  ["503 that speaks of maintenance", 503, "<h1>Down for maintenance</h1>", {}, "maintenance"],
  ["503 in plain text", 503, "We'll be back soon", { "content-type": "text/plain" }, "maintenance"],
  ["a bare 503", 503, "", {}, "server-error"],
  ["Apache's stock 503", 503, APACHE_503, {}, "server-error"],
  ["500", 500, "<h1>Server Error</h1>", {}, "server-error"],
  ["504", 504, "", {}, "server-error"],
  ["403", 403, "<h1>403 Forbidden</h1>", {}, "blocked"],
  ["401 without a way to log in", 401, "no", {}, "blocked"],
  ["401 that asks for credentials", 401, "no", { "www-authenticate": "Basic" }, "navigation"],
  ["404", 404, "<h1>Not found</h1>", {}, "navigation"],
  ["410", 410, "", {}, "navigation"],
  ["408", 408, "", {}, "timeout"],
  ["300 without choice", 300, "", {}, "navigation"],
  ["a Cloudflare challenge by header alone", 200, "<p>hello</p>", { "cf-mitigated": "challenge" }, "blocked"],
  ["an AWS captcha by header alone", 405, "", { "x-amzn-waf-action": "captcha" }, "captcha"],
  ["a captcha with 429", 429, '<h1>Are you a robot?</h1><div class="g-recaptcha"></div>', {}, "captcha"],
  ["Akamai's interstitial with 200", 200, AKAMAI, {}, "blocked"],
  ["Kasada's 429", 429, "", { "x-kpsdk-ct": "1", "retry-after": "1" }, "blocked"],
  ["an error page with broken gzip", 500, "not gzip", { "content-encoding": "gzip" }, "server-error"],
];

for (const [what, status, body, headers, kind] of CASES) {
  test(`${what} is ${kind}`, async () => assert.equal((await failureFrom(status, body, headers)).kind, kind));
}

test("what the site asks for in Retry-After comes with the failure", async () => {
  assert.equal((await failureFrom(429, "", { "retry-after": "7" })).retryAfterMs, 7000);
  assert.equal((await failureFrom(500, "", { "retry-after": "3" })).retryAfterMs, 3000);
  assert.equal((await failureFrom(429, "", { "retry-after": ["5", "90", "x"] })).retryAfterMs, 90_000);
  assert.equal((await failureFrom(429, "")).retryAfterMs, undefined);
});

test("an accepted status does not make a block page acceptable", async () => {
  const block = "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>";
  await using site = await openTestSite((_, response) => answer(response, block, {}, 403));
  await using session = openTestSession(site.url);
  assert.equal((await failureOf(() => session.http.get("/", { accept: [403] }))).kind, "blocked");
});
