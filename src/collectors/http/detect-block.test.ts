import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Failure } from "../../domain/failure.ts";
import { detectBlock } from "./detect-block.ts";
import { answer, failureOf, openTestSession, openTestSite } from "./testing/test-site.ts";

const PAGES = new URL("../../../../shared/testdata/blockpages/codemanki_cloudscraper/", import.meta.url);
const RECIPES = new URL("../../../../shared/testdata/pages/", import.meta.url);

const kindOf = (
  body: string | Buffer,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): string => {
  const head = { status, statusText: "", headers: [], header: (name: string) => headers[name] };
  return detectBlock({ head, mediaType: "text/html", body: Buffer.from(body) })?.kind ?? "page";
};

const CAPTURED: Readonly<Record<string, readonly [string, number]>> = {
  access_denied: ["blocked", 403],
  captcha: ["captcha", 403],
  cf_recaptcha_01_12_2019: ["captcha", 403],
  cf_recaptcha_15_04_2019: ["captcha", 403],
  invalid_js_challenge: ["blocked", 503],
  js_challenge_03_12_2018_1: ["blocked", 503],
  js_challenge_03_12_2018_2: ["blocked", 503],
  js_challenge_09_06_2016: ["blocked", 503],
  js_challenge_10_04_2019: ["blocked", 503],
  js_challenge_13_03_2019: ["blocked", 503],
  js_challenge_21_03_2019: ["blocked", 503],
  js_challenge_28_11_2019: ["blocked", 503],
  sucuri_waf_11_08_2019: ["blocked", 200],
  sucuri_waf_18_08_2016: ["blocked", 200],
  page_with_emails: ["page", 200],
  page_with_recaptcha: ["page", 200],
  requested_page: ["page", 200],
};

const absent = (folder: URL): string | false =>
  !existsSync(folder) && "the shared test data is not beside the checkout";

for (const [name, [kind, status]] of Object.entries(CAPTURED)) {
  test(`the captured ${name} is ${kind}, by its body alone`, { skip: absent(PAGES) }, () => {
    const body = readFileSync(new URL(`${name}.html`, PAGES));
    assert.equal(kindOf(body, status), kind);
    assert.equal(kindOf(body, 200), kind, "with status 200 too");
  });
}

test("no real recipe page is taken for a block", { skip: absent(RECIPES) }, () => {
  for (const host of readdirSync(RECIPES)) {
    assert.equal(kindOf(readFileSync(new URL(`${host}/page.html`, RECIPES))), "page", host);
  }
});

const NAVIGATION = "<ul>" + '<li><a href="/x">Department of roads</a></li>'.repeat(20) + "</ul>";

const GOOD: Readonly<Record<string, string>> = {
  "a notice about captchas and blocked cards": `<title>Parcel 12</title>${NAVIGATION}<p>Online payments now ask for a CAPTCHA.
    If your access was denied or your card was blocked, call us. Our site will be under maintenance on Sunday.</p>`,
  "a contact form with a reCAPTCHA": `<title>Contact us</title><p>Please verify that you are human below.</p><form>
    <input type="text" name="name"><input type="email" name="email"><textarea name="message"></textarea>
    <div class="g-recaptcha" data-sitekey="x"></div></form>`,
  "a login page with a captcha": `<title>Sign in</title><form><input name="user"><input type="password" name="password">
    <div class="h-captcha"></div><p>Prove you are not a robot</p></form>`,
  "an article about being blocked": `<title>Access denied: what error 1020 means</title>
    <p>${"Cloudflare shows this page when a firewall rule matches. ".repeat(80)}You have been blocked, it says.</p>`,
  "a page behind Cloudflare with its invisible script": `<title>Parcel 12</title><p>Owner: Smith</p>
    <script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`,
  "a page behind Incapsula": `<title>Parcel 12</title><p>Owner: Smith</p><script src="/_Incapsula_Resource?SWJIYLWA=5074a744"></script>`,
  "a page of the roads department": `<title>Road maintenance</title><h1>Road maintenance</h1><p>Call 555-0100.</p>`,
  "a record that says blocked": `<title>Permit 4</title><p>Driveway blocked by permit 4. Application rejected.</p>`,
  "an empty page": "",
};

for (const [what, html] of Object.entries(GOOD)) {
  test(`${what} is a page`, () => assert.equal(kindOf(html), "page"));
}

const BAD: Readonly<Record<string, readonly [string, string]>> = {
  "a page that only asks for a captcha": [
    "captcha",
    `<title>Security check</title><h1>Please verify that you are a human</h1><form method="post">
     <div class="g-recaptcha"></div><input type="submit" value="Continue"></form>`,
  ],
  "a picture to be typed off": [
    "captcha",
    `<title>Robot Check</title><p>Type the characters you see in this image:</p><img src="/captcha/x.jpg">
     <input type="text" id="captchacharacters" name="field-keywords">`,
  ],
  "a managed challenge": [
    "blocked",
    `<title>Just a moment...</title><script>window._cf_chl_opt = { cType: 'managed' }</script>`,
  ],
  "an interactive challenge": [
    "captcha",
    `<title>Just a moment...</title><script>window._cf_chl_opt = { cType: 'interactive' }</script>`,
  ],
  "a firewall that answers 200": [
    "blocked",
    `<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your
     administrator.<br><br>Your support ID is: 123</body></html>`,
  ],
  "an Incapsula frame": [
    "blocked",
    `<html><body><iframe src="/_Incapsula_Resource?CWUDNSAI=1&incident_id=5-6">Request unsuccessful. Incapsula incident ID: 5-6</iframe></body></html>`,
  ],
  "a proof-of-work page": ["blocked", `<title>Making sure you&#39;re not a bot!</title><p>Loading...</p>`],
  "a ban in one sentence": ["blocked", `<p>Your IP address 1.2.3.4 has been blocked.</p>`],
  "a maintenance page with 200": [
    "maintenance",
    `<title>Site under maintenance</title><h1>We are under maintenance</h1>`,
  ],
};

for (const [what, [kind, html]] of Object.entries(BAD)) {
  test(`${what} is ${kind}, even with status 200`, () => assert.equal(kindOf(html), kind));
}

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
