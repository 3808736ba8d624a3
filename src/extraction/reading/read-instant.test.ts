import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { dateReader } from "./read-date.ts";

test("with a time zone, a date that has a time is an instant, and one without stays a day", () => {
  const read = dateReader(
    ["MM/DD/YYYY h:mm A", "MM/DD/YYYY HH:mm:ss", "MM/DD/YYYY"],
    "en",
    "America/Chicago",
  );
  const cases: readonly (readonly [text: string, value: string])[] = [
    ["02/09/2024 4:05 PM", "2024-02-09T22:05:00Z"],
    ["02/09/2024 12:00 AM", "2024-02-09T06:00:00Z"],
    ["02/09/2024 12:30 p.m.", "2024-02-09T18:30:00Z"],
    ["07/09/2024 16:05:30", "2024-07-09T21:05:30Z"],
    ["02/09/2024", "2024-02-09"],
  ];
  for (const [text, value] of cases) assert.deepEqual(read(text), { value }, text);
});

test("an offset in the text overrides the site's zone", () => {
  const read = dateReader([], "en", "America/Chicago");
  assert.deepEqual(read("2024-02-09T16:05:00+02:00"), { value: "2024-02-09T14:05:00Z" });
  assert.deepEqual(read("2024-02-09T16:05Z"), { value: "2024-02-09T16:05:00Z" });
  assert.deepEqual(read("2024-02-09 16:05"), { value: "2024-02-09T22:05:00Z" });
  const written = dateReader(["YYYY-MM-DD HH:mm Z"], "en", "UTC");
  assert.deepEqual(written("2024-02-09 16:05 -0530"), { value: "2024-02-09T21:35:00Z" });
});

test("at clock changes, a repeated hour is the first one, and a skipped hour is shifted", () => {
  const read = dateReader([], "en", "America/New_York");
  assert.deepEqual(read("2024-11-03T01:30"), { value: "2024-11-03T05:30:00Z" });
  assert.deepEqual(read("2024-03-10T02:30"), { value: "2024-03-10T07:30:00Z" });
});

test("an impossible time is malformed", () => {
  const read = dateReader(["M/D/YYYY h:mm A", "M/D/YYYY HH:mm"]);
  for (const text of ["1/2/2024 13:00 PM", "1/2/2024 0:30 AM", "1/2/2024 24:00", "1/2/2024 10:60"])
    assert.ok("problem" in read(text), text);
  assert.ok("problem" in dateReader()("2024-01-02T25:00"));
});

test("a bad zone, and a 12-hour format without AM or PM, are refused when the field is created", () => {
  assert.throws(() => dateReader([], "en", "Texas/Austin"), RangeError);
  assert.throws(() => dateReader(["M/D/YYYY h:mm"]), TypeError);
  assert.throws(() => dateReader(["M/D/YYYY HH:mm A"]), TypeError);
});

test("an instant written in local time is read back", () => {
  const zones = ["America/Chicago", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"] as const;
  const readers = zones.map((zone) => dateReader([], "en", zone));
  fc.assert(
    fc.property(
      fc.nat(zones.length - 1),
      fc.date({ min: new Date("1980-01-01"), max: new Date("2035-01-01"), noInvalidDate: true }),
      (pick, at) => {
        const instant = new Date(Math.floor(at.getTime() / 1000) * 1000);
        const shown = instant.toLocaleString("sv-SE", { timeZone: zones[pick] ?? "UTC" });
        const reading = readers[pick]?.(shown);
        const back = reading && "value" in reading ? reading.value : assert.fail(shown);
        // An hour that comes twice is shown by two instants.
        assert.equal(new Date(back).toLocaleString("sv-SE", { timeZone: zones[pick] ?? "UTC" }), shown);
        assert.ok(new Date(back).getTime() <= instant.getTime());
      },
    ),
    { numRuns: 500 },
  );
});

test("an epoch is an instant, and its day needs a zone", () => {
  assert.deepEqual(dateReader(["epoch"])("1700000000"), { value: "2023-11-14T22:13:20Z" });
  assert.deepEqual(dateReader(["epoch-ms"])("/Date(1700000000000)/"), { value: "2023-11-14T22:13:20Z" });
  assert.deepEqual(dateReader(["epoch", "YYYY-MM-DD"])("2023-11-14"), { value: "2023-11-14" });
  assert.throws(() => dateReader(["epoch"], "en", undefined, { precision: "day" }), /timeZone/);
  const tokyo = dateReader(["epoch"], "en", "Asia/Tokyo", { precision: "day" });
  assert.deepEqual(tokyo("1700000000"), { value: "2023-11-15" });
  // Milliseconds, where seconds were declared.
  assert.ok("problem" in dateReader(["epoch"])("1700000000000"));
});

test("fractions of a second are kept to the millisecond", () => {
  const read = dateReader(["YYYY-MM-DD HH:mm:ss.SSS", "YYYY-MM-DD HH:mm:ss"], "en", "America/Chicago");
  assert.deepEqual(read("2024-02-09 16:05:00.25"), { value: "2024-02-09T22:05:00.250Z" });
  assert.deepEqual(read("2024-02-09 16:05:00.1239999"), { value: "2024-02-09T22:05:00.123Z" });
  assert.deepEqual(read("2024-02-09 16:05:00"), { value: "2024-02-09T22:05:00Z" });
  assert.deepEqual(dateReader()("2024-02-09T16:05:00.25Z"), { value: "2024-02-09" });
});

test("with a precision, a time with an offset is of the day that the zone's calendar shows", () => {
  const read = dateReader([], "en", "America/Chicago", { precision: "day" });
  assert.deepEqual(read("2024-02-09T03:00:00Z"), { value: "2024-02-08" });
  assert.deepEqual(read("2024-02-09T03:00:00"), { value: "2024-02-09" });
});
