import assert from "node:assert/strict";
import { test } from "node:test";
import { emailReader, pickEmail } from "./read-email.ts";

const read = emailReader(false);

test("an address is read from a text or a link, its host in lower case", () => {
  const cases: readonly (readonly [text: string, address: string])[] = [
    ["clerk@town.gov", "clerk@town.gov"],
    ["Clerk@Town.GOV", "Clerk@town.gov"],
    ["mailto:clerk@town.gov?subject=Hello%20there", "clerk@town.gov"],
    ["mailto:%63lerk@town.gov", "clerk@town.gov"],
    ["E-mail: clerk@town.gov", "clerk@town.gov"],
    ["Courriel : clerk@town.gov", "clerk@town.gov"],
    ["Mail: mailto:clerk@town.gov", "clerk@town.gov"],
    ["Ann Smith <ann.smith@town.gov>", "ann.smith@town.gov"],
    ["clerk@town.gov.", "clerk@town.gov"],
    ["clerk＠town.gov", "clerk@town.gov"],
  ];
  for (const [text, address] of cases) assert.deepEqual(read(text), { value: address }, text);
  assert.deepEqual(read("mailto:"), { isEmpty: true });
});

test("a text that is not exactly one address is malformed", () => {
  for (const text of [
    "clerk",
    "clerk@",
    "@town.gov",
    "clerk@town",
    "a@b.gov; c@d.gov",
    "a@b..gov",
    "a b@c.gov",
    "clerk at town.gov",
    "clerk (at the) town.gov",
  ])
    assert.ok("problem" in read(text), text);
});

test("obfuscation in brackets is always decoded, obfuscation in words only on request", () => {
  for (const text of [
    "clerk(at)town.gov",
    "clerk [at] town.gov",
    "clerk {AT} town (punkt) gov",
    "clerk[arroba]town.gov",
  ])
    assert.deepEqual(read(text), { value: "clerk@town.gov" }, text);
  const open = emailReader(true);
  for (const text of [
    "clerk [at] town [dot] gov",
    "clerk(at)town.gov",
    "clerk at town dot gov",
    "clerk {AT} town (punkt) gov",
  ])
    assert.deepEqual(open(text), { value: "clerk@town.gov" }, text);
});

const protect = (address: string, key = 0x5a): string =>
  Buffer.from([key, ...Buffer.from(address).map((byte) => byte ^ key)]).toString("hex");

test("Cloudflare's protection is decoded everywhere", () => {
  const hex = protect("clerk@town.gov");
  assert.equal(pickEmail(["[email protected]", undefined, hex, ""]), "clerk@town.gov");
  assert.equal(
    pickEmail(["[email protected]", `/cdn-cgi/l/email-protection#${hex}`, undefined, ""]),
    "clerk@town.gov",
  );
  const inside = `<a class="__cf_email__" data-cfemail="${hex}">[email&#160;protected]</a>`;
  assert.equal(pickEmail(["Write: [email protected]", undefined, undefined, inside]), "clerk@town.gov");
  assert.equal(pickEmail(["x", undefined, "zz", ""]), "x");
});

test("the text is preferred to the link, and the link to a word", () => {
  assert.equal(pickEmail(["a@b.gov", "mailto:c@d.gov", undefined, ""]), "a@b.gov");
  assert.equal(pickEmail(["Write us", "mailto:c@d.gov", undefined, ""]), "mailto:c@d.gov");
  assert.equal(
    pickEmail(["Write us", undefined, undefined, `<a href="mailto:c@d.gov?a=1&amp;b=2">x</a>`]),
    "mailto:c@d.gov?a=1&b=2",
  );
  assert.equal(pickEmail(["Write us", "/contact", undefined, ""]), "Write us");
});
