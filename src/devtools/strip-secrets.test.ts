import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openStripping } from "./strip-secrets.ts";

const page = (text: string, mediaType = "text/html") => ({
  name: "p",
  url: "https://site.example/a?q=1",
  status: 200,
  mediaType,
  text,
});
const stripped = (text: string, mediaType?: string): string =>
  openStripping().page(page(text, mediaType)).text;

const secrets: readonly (readonly [string, string, string])[] = [
  ["view state", '<input type="hidden" name="__VIEWSTATE" value="dDwtMTA4">', "dDwtMTA4"],
  ["view state in parts", "<input name='__VIEWSTATE1' type=hidden value='dDwtMTA4' />", "dDwtMTA4"],
  ["event validation", '<input value="q/+7zz" name="__EVENTVALIDATION">', "q/+7zz"],
  ["forgery token", '<input name="__RequestVerificationToken" type="hidden" value="CfDJ8x" />', "CfDJ8x"],
  ["Rails token", '<input type="hidden" name="authenticity_token" value="Zx81" autocomplete="off">', "Zx81"],
  ["Laravel token", '<input type="hidden" name="_token" value="abc123">', "abc123"],
  ["token in a meta", '<meta name="csrf-token" content="Zx81==">', "Zx81=="],
  ["password preset", '<input type="password" name="pw1" value="hunter2">', "hunter2"],
  ["session in a path", '<a href="/show;jsessionid=0AF3B2?parcel=1">', "0AF3B2"],
  ["session in a query", '<a href="/show?PHPSESSID=0af3b2&amp;parcel=1">', "0af3b2"],
  ["token after an entity", '<a href="/show?parcel=1&amp;access_token=s3cr3t">', "s3cr3t"],
  ["key in a query", '<img src="/map?api_key=AIza77">', "AIza77"],
  ["token in a script", '<script>window.csrfToken = "a1b2c3d4e5";</script>', "a1b2c3d4e5"],
  ["token in embedded JSON", '<script>x = {"apiKey":"a1b2c3d4e5"}</script>', "a1b2c3d4e5"],
  ["JSON Web Token", "<p>eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl</p>", "c2lnbmF0dXJl"],
  ["token in a data attribute", '<div data-csrf="a1b2c3d4e5" data-id="7">', "a1b2c3d4e5"],
  ["key in a data attribute", "<div data-api-key='a1b2c3d4e5'>", "a1b2c3d4e5"],
  ["session in a data attribute", '<body data-session-id=a1b2c3d4e5 class="x">', "a1b2c3d4e5"],
  ["token on a button", '<button name="csrf_token" value="a1b2c3">', "a1b2c3"],
  ["response in a text area", '<textarea name="SAMLResponse">PHNhbWw+\nabcd</textarea>', "PHNhbWw"],
  ["header in a script", '<script>h = { Authorization: "Bearer abc def" }</script>', "abc def"],
  ["password of two words", '<script>x = {"password":"open sesame"}</script>', "open sesame"],
  ["session object", '<script>x = {"session":{"user":"ANN","id":"a1b2c3d4e5"}}</script>', "a1b2c3d4e5"],
  ["token that is stored", '<script>localStorage.setItem("token", "a1b2c3d4e5")</script>', "a1b2c3d4e5"],
  ["signature in a query", '<img src="/file?sig=a1b2c3d4e5">', "a1b2c3d4e5"],
  ["token in a fragment", '<a href="/back#token=a1b2c3d4e5">', "a1b2c3d4e5"],
  ["token in a comment", "<!-- debug: token=a1b2c3d4e5 -->", "a1b2c3d4e5"],
  ["token in a tag that never ends", '<input name="csrf" value="a1b2c3d4e5"', "a1b2c3d4e5"],
  ["credentials in a URL", '<a href="https://me:pass@site.example/">', "me:pass"],
];
for (const [what, html, secret] of secrets)
  test(`a ${what} is stripped, and said to be`, () => {
    const stripping = openStripping();
    const { text } = stripping.page(page(`<html>\n${html}\n</html>`));
    assert.ok(!text.includes(secret), text);
    assert.equal(stripping.found.size, 1);
  });

const kept: readonly string[] = [
  '<input type="hidden" name="parcel" value="1234567890">',
  '<input type="hidden" name="__EVENTTARGET" value="" />',
  '<a href="/detail?parcel=1&amp;year=2025&page=2">2025</a>',
  '<meta name="description" content="Tokens of our esteem">',
  '<script>var name = "Market value of all"; total = { owner: "ALLEN JAMES" };</script>',
  "<p>token: a small sign. Key = to open doors.</p>",
  '<a href="mailto:clerk@county.example">clerk@county.example</a>',
  '<a href="/detail?key=0100000001&session=2024">',
  '<li data-key="0100000001" data-tokens="2">',
  '<script>words = {"signature":"Signature of the owner","token":"Token"}</script>',
  '<textarea name="remarks">none</textarea>',
];
for (const html of kept)
  test(`nothing is stripped from ${html}`, () => {
    const stripping = openStripping();
    assert.equal(stripping.page(page(html)).text, html);
    assert.deepEqual([...stripping.found], []);
  });

test("stripping a session from a path keeps the query", () => {
  const text = '<a href="/x;jsessionid=AAAA?b=1&amp;sid=BBBB;c=2#d">';
  assert.equal(stripped(text), '<a href="/x;jsessionid=stripped?b=1&amp;sid=stripped;c=2#d">');
});

test("secrets of the input are stripped from the key in any form", () => {
  const stripping = openStripping();
  stripping.value({ login: "ann", token: "a1b2c3d4e5" });
  assert.equal(stripping.key("ann/a1b2c3d4e5"), "ann/stripped");
  assert.equal(stripping.key('{"login":"ann","token":"zzzzzzzz"}'), '{"login":"ann","token":"stripped"}');
  assert.equal(stripping.key("https://a.example/?p=1&sid=5E55"), "https://a.example/?p=1&sid=stripped");
});

/** Pieces that would make a scan backtrack: over two megabytes it would not end before the test's time limit. */
const REPEATED = [
  "<input ",
  "<script ",
  '<input value="',
  "eyJ-",
  "<textarea>",
  "<!--",
  "a=\"b='",
  "a=",
  '("token",',
  "?a",
  "session:{",
];
for (const piece of REPEATED)
  test(`two megabytes of ${piece} are stripped in one go`, () => {
    const text = piece.repeat(2_000_000 / piece.length);
    assert.equal(stripped(text), text);
  });

test("in JSON, members named like secrets are stripped", () => {
  const text = stripped('{"sessionToken":"a1b2c3d4e5","owner":"ALLEN JAMES"}', "application/json");
  assert.deepEqual(JSON.parse(text), { sessionToken: "stripped", owner: "ALLEN JAMES" });
});

test("inputs lose their secrets and keep the rest", () => {
  const stripping = openStripping();
  assert.deepEqual(
    stripping.value({ parcel: "1", password: "x", deep: [{ url: "https://a.example/?sid=7&p=1" }] }),
    {
      parcel: "1",
      password: "stripped",
      deep: [{ url: "https://a.example/?sid=stripped&p=1" }],
    },
  );
});

test("stripping twice changes nothing more, and keeps line breaks", () => {
  const parts = fc.constantFrom("\n", " ", "x=1", "<p>", ...secrets.map(([, html]) => html), ...kept);
  fc.assert(
    fc.property(fc.array(parts), (pieces) => {
      const text = pieces.join("");
      const once = stripped(text);
      assert.equal(stripped(once), once);
      assert.equal(once.split("\n").length, text.split("\n").length);
    }),
  );
});

test("secrets are stripped from XML and from JSON without a type; similar names stay", () => {
  const soap = (password: string, id: string): string =>
    `<s:Envelope><w:Password Type="t">${password}</w:Password><t:sessionId>${id}</t:sessionId><p:Session>2024 Regular</p:Session></s:Envelope>`;
  assert.equal(stripped(soap("hunter2", "a1b2c3d4e5\n"), "text/xml"), soap("stripped", "stripped\n"));
  assert.equal(stripped('{"apiKey":"a1b2c3d4e5"}', ""), '{"apiKey":"stripped"}');
});
