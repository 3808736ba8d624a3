import assert from "node:assert/strict";
import { test } from "node:test";
import { phoneReader, pickPhone } from "./read-phone.ts";

test("numbers of a country are read in every way that people write them", () => {
  const read = phoneReader({ country: "US" });
  for (const text of [
    "(512) 555-0142",
    "512.555.0142",
    "5125550142",
    "1-512-555-0142",
    "+1 512 555 0142",
    "tel:+1-512-555-0142",
    "tel:5125550142;ext=5",
    "Phone: 512-555-0142",
    "512‑555–0142",
    "512-555-0142 (main office)",
  ])
    assert.deepEqual(read(text), { value: "+15125550142" }, text);
  assert.deepEqual(read("+49 30 901820"), { value: "+4930901820" });
});

test("a number is given in the format that is asked for", () => {
  assert.deepEqual(phoneReader({ country: "US", format: "national" })("5125550142"), {
    value: "(512) 555-0142",
  });
  assert.deepEqual(phoneReader({ country: "DE", format: "international" })("030 901820"), {
    value: "+49 30 901820",
  });
});

test("too few or too many digits, letters, or two numbers are malformed", () => {
  const read = phoneReader({ country: "US" });
  for (const text of [
    "12345",
    "555-0142",
    "512-555-01422",
    "512-555-CALL",
    "512-555-0142, 512-555-0143",
    "4/5/2024",
  ])
    assert.ok("problem" in read(text), text);
});

test("for a country with many number lengths, only valid numbers are accepted", () => {
  const read = phoneReader({ country: "DE" });
  assert.deepEqual(read("030 / 901820"), { value: "+4930901820" });
  for (const text of ["12345", "0123"]) assert.ok("problem" in read(text), text);
});

test("without a country the number needs its own country code", () => {
  const read = phoneReader({});
  assert.deepEqual(read("+1 512 555 0142"), { value: "+15125550142" });
  assert.ok("problem" in read("(512) 555-0142"));
});

test("an area code that does not exist is refused only on request", () => {
  assert.ok("value" in phoneReader({ country: "US" })("(555) 123-4567"));
  assert.ok("problem" in phoneReader({ country: "US", isStrict: true })("(555) 123-4567"));
});

test("a link's number is taken where its text is a word", () => {
  assert.equal(pickPhone(["Call us", "tel:+15125550142"]), "tel:+15125550142");
  assert.equal(pickPhone(["512-555-0142", "tel:+15125550199"]), "512-555-0142");
  assert.equal(pickPhone(["Call us", "/contact"]), "Call us");
});

test("a label may precede the number, in many languages", () => {
  const read = phoneReader({ country: "DE" });
  for (const text of [
    "Tel. 030 901820",
    "Fon: 030 901820",
    "Téléphone : 030 901820",
    "Tfno.: 030 901820",
    "Telefonnummer: 030 901820",
    "T: 030 901820",
    "(+49) 30 901820",
    "Tel.: (+49) 30 901820",
  ])
    assert.deepEqual(read(text), { value: "+4930901820" }, text);
  assert.deepEqual(phoneReader({ country: "BR" })("Fone: (011) 4360 3938"), { value: "+551143603938" });
});

test("a date and a truncated number are not phone numbers", () => {
  const read = phoneReader({ country: "DE" });
  for (const text of [
    "18/10/2008",
    "18.10.2008",
    "2008-10-18",
    "+49 (0)30 5",
    "Parzelle 030 901820",
    "Haus: 030 901820",
  ])
    assert.ok("problem" in read(text), text);
});
