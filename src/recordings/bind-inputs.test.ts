import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { bindInputs, checkPlaceholders, nameRecordedValues, placeholdersOf } from "./bind-inputs.ts";
import { parseRecording } from "./parse-recording.ts";
import type { Recording, Step } from "./recording.ts";

const recording = (...steps: readonly unknown[]): Recording => parseRecording({ title: "Flow", steps });
const selecting = (...selectors: readonly unknown[]): Recording => recording({ type: "hover", selectors });
const bound = (source: Recording, parcel: unknown): Step => bindInputs(source, { parcel }).steps[0]!;
const selectorOf = (selector: string, parcel: unknown): string => {
  const step = bound(selecting(selector), parcel);
  return step.type === "hover" ? step.selectors[0]!.join(" ") : "";
};

test("placeholders are replaced in values, addresses, selectors and blocks", () => {
  const source = recording(
    { type: "navigate", url: "https://county.example/search?q={{parcel}}&year={{ year }}" },
    { type: "change", selectors: ["#{{parcel}}"], value: "{{parcel}}-{{year}}" },
    {
      type: "customStep",
      name: "sluice.forEach",
      parameters: { id: "rows", begin: true, selectors: ["tr"] },
    },
    { type: "click", selectors: ["text/{{parcel}}"] },
    { type: "customStep", name: "sluice.forEach", parameters: { id: "rows", end: true } },
  );
  assert.deepEqual(
    [...placeholdersOf(source)],
    [
      ["parcel", 1],
      ["year", 1],
    ],
  );
  const { steps } = bindInputs(source, { parcel: "a b&c/ü", year: 2024 });
  assert.deepEqual(steps[0], {
    type: "navigate",
    number: 1,
    url: "https://county.example/search?q=a%20b%26c%2F%C3%BC&year=2024",
  });
  assert.equal(steps[1]?.type === "change" && steps[1].value, "a b&c/ü-2024");
  const [, , each] = steps;
  const [inner] = each?.type === "sluice.forEach" ? each.steps : [];
  assert.deepEqual(inner?.type === "click" && inner.selectors, [["text/a b&c/ü"]]);
});

test("a value cannot change the meaning of a selector", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["#row-{{parcel}}", "1,a", String.raw`#row-1\00002ca`],
    ["#{{parcel}}", "01", String.raw`#\0000301`],
    ['[data-id="{{parcel}}"]', '"] , body', String.raw`[data-id="\000022\00005d\000020\00002c\000020body"]`],
    ["tr:nth-child({{parcel}})", "3", "tr:nth-child(3)"],
    ["pierce/.x{{parcel}}", ".y", String.raw`pierce/.x\00002ey`],
    ["xpath///td[text()='{{parcel}}']", "it's", `xpath///td[text()="it's"]`],
    ["xpath///td[.='{{parcel}}']", `a'b"c`, `xpath///td[.=concat("a'b", '"', "c")]`],
    ["xpath///tr[{{parcel}}]/td", "4", "xpath///tr[4]/td"],
    ["aria/Parcel {{parcel}}", "1 & 2", "aria/Parcel 1 & 2"],
    ["text/{{parcel}}", 'a"b', 'text/a"b'],
    [
      'pw/internal:role=link[name="{{parcel}}"i]',
      'a"b\\c',
      String.raw`pw/internal:role=link[name="a\"b\\c"i]`,
    ],
    ["pw/css=#{{parcel}}", "a b", String.raw`pw/css=#a\000020b`],
  ];
  for (const [selector, value, expected] of cases) assert.equal(selectorOf(selector, value), expected);
});

test("a value that cannot be written safely is refused with its step", () => {
  const refuses = (source: Recording, value: string, message: RegExp): void =>
    assert.throws(() => bound(source, value), { code: "bad-recording", message });
  refuses(selecting("xpath///tr[{{parcel}}]"), "1] | //x[1", /^Step 1 \(hover\): .*only a whole number/);
  refuses(selecting("li:nth-child({{parcel}})"), "1) , *", /only a whole number/);
  refuses(selecting("aria/{{parcel}}"), 'x[role="button"]', /cannot be used in an aria selector/);
  refuses(
    recording({ type: "navigate", url: "{{parcel}}" }),
    "file:///etc/passwd",
    /is not an http or https URL/,
  );
  refuses(recording({ type: "navigate", url: "https://a.example/p/{{parcel}}/x" }), "..", /another page/);
  const expression = recording({ type: "waitForExpression", expression: "x === {{parcel}}" });
  refuses(expression, "alert(1)", /only a whole number/);
});

test("in an expression a value stays inside its quotes", () => {
  const step = bound(
    recording({ type: "waitForExpression", expression: "document.title === '{{parcel}}'" }),
    "'; alert(1); '",
  );
  const expression = step.type === "waitForExpression" ? step.expression : "";
  assert.doesNotMatch(expression.slice("document.title === ".length), /[^A-Za-z0-9\\']/);
  assert.equal(runInNewContext(expression, { document: { title: "'; alert(1); '" } }), true, "the same text");
});

test("a whole address may be an input", () => {
  const step = bound(recording({ type: "navigate", url: "{{parcel}}" }), "https://a.example/?x=1&y=2");
  assert.equal(step.type === "navigate" && step.url, "https://a.example/?x=1&y=2");
});

test("unknown placeholders and inputs without a value are refused", () => {
  const source = recording({ type: "close" }, { type: "change", selectors: ["#a"], value: "{{parsel}}" });
  assert.throws(() => checkPlaceholders(source, ["parcel", "year"]), {
    code: "bad-recording",
    message: /^Step 2: \{\{parsel\}\} is not an input\. Inputs are parcel, year\./,
  });
  assert.throws(() => bindInputs(source, { parsel: null }), { message: /^Step 2 .*has no value/ });
  assert.throws(() => bindInputs(source, {}), { message: /^Step 2 .*missing/ });
});

test("recorded values become inputs wherever they are a whole value", () => {
  const source = recording(
    { type: "navigate", url: "https://county.example/parcel/001%2F2?ref=001/2&x=001/23" },
    { type: "change", selectors: ['[data-id="001/2"]', "#p001"], value: "001/2" },
    {
      type: "click",
      selectors: ["aria/001/2", 'aria/001/2[role="link"]', "text/001/2", "xpath///td[.='001/2']"],
    },
    { type: "change", selectors: ["#note"], value: "see 001/2" },
  );
  const none = { number: undefined, type: undefined };
  const { steps } = nameRecordedValues(source, { parcel: "001/2" });
  assert.deepEqual(
    steps.map((step) => ({ ...step, number: undefined, type: undefined })),
    [
      { ...none, url: "https://county.example/parcel/{{parcel}}?ref=001/2&x=001/23" },
      { ...none, selectors: [['[data-id="{{parcel}}"]'], ["#p001"]], value: "{{parcel}}" },
      {
        ...none,
        selectors: [
          ["aria/{{parcel}}"],
          ['aria/{{parcel}}[role="link"]'],
          ["text/{{parcel}}"],
          ["xpath///td[.='{{parcel}}']"],
        ],
      },
      { ...none, selectors: [["#note"]], value: "see 001/2" },
    ],
  );
  assert.throws(() => nameRecordedValues(source, { parcel: "999" }), {
    message: /`bind\.parcel` is "999", which no step/,
  });
  assert.throws(() => nameRecordedValues(source, { a: "001/2", b: "001/2" }), { message: /two names/ });
});

test("the empty page that a recording starts on is left out", () => {
  const source = recording(
    { type: "navigate", url: "chrome://new-tab-page/" },
    { type: "navigate", url: "https://a.example/" },
  );
  assert.deepEqual(
    bindInputs(source, {}).steps.map(({ number }) => number),
    [2],
  );
});
