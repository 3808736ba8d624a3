import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { test } from "node:test";
import { parseRecording } from "./parse-recording.ts";
import { readRecording } from "./read-recording.ts";
import { allSteps } from "./recording.ts";
import { STEP_FIELDS } from "./step-fields.ts";
import { writeRecording } from "./write-recording.ts";

const DEVTOOLS = resolve(import.meta.dirname, "../../../shared/testdata/recordings");
const skip = existsSync(DEVTOOLS) ? false : "no shared testdata beside the checkout";

const recording = (...steps: readonly unknown[]): unknown => ({ title: "Flow", steps });
const custom = (name: string, parameters?: unknown): unknown => ({ type: "customStep", name, parameters });

/** One step of each of Chrome's types, with all that the Recorder may write. */
const EVERY_TYPE = [
  {
    type: "setViewport",
    width: 900,
    height: 700,
    deviceScaleFactor: 1.5,
    isMobile: false,
    hasTouch: false,
    isLandscape: false,
  },
  { type: "emulateNetworkConditions", download: 1000, upload: 500, latency: 20 },
  {
    type: "navigate",
    url: "https://county.example/",
    assertedEvents: [{ type: "navigation", url: "https://county.example/", title: "County" }],
  },
  {
    type: "click",
    target: "main",
    frame: [0, 1],
    selectors: [
      ["aria/Search"],
      ["#search"],
      ["xpath///*[@id='search']"],
      ["pierce/#search"],
      ["text/Search"],
    ],
    offsetX: 10.5,
    offsetY: 3,
    button: "secondary",
    deviceType: "mouse",
    duration: 50,
    timeout: 5000,
  },
  { type: "doubleClick", selectors: [["county-search", "#go"]] },
  { type: "hover", selectors: [[".menu"]] },
  { type: "change", selectors: [["#parcel"]], value: "0100000001" },
  { type: "keyDown", key: "Enter", target: "main" },
  { type: "keyUp", key: "Enter", target: "main" },
  { type: "scroll", x: 0, y: 200 },
  { type: "scroll", y: 200, selectors: [[".list"]] },
  {
    type: "waitForElement",
    selectors: [[".row"]],
    operator: "==",
    count: 3,
    visible: true,
    properties: { id: "x" },
    attributes: { class: "row" },
  },
  { type: "waitForExpression", expression: "document.title !== ''", frame: [0] },
  { type: "customStep", name: "vendor.note", parameters: { text: "anything" } },
  { type: "close", target: "https://county.example/popup" },
];

test("all step types of Chrome's Recorder are read, and written back as they were", () => {
  const source = { title: "Flow", timeout: 4000, selectorAttribute: "data-testid", steps: EVERY_TYPE };
  const parsed = parseRecording(source);
  assert.deepEqual(new Set(parsed.steps.map(({ type }) => type)), new Set(Object.keys(STEP_FIELDS)));
  assert.deepEqual(
    parsed.steps.map(({ number }) => number),
    EVERY_TYPE.map((_, at) => at + 1),
  );
  assert.deepEqual(writeRecording(parsed), source);
});

test("unknown fields survive, whatever their names", () => {
  const step = JSON.parse('{"type":"close","note":{"a":1},"__proto__":{"b":2}}') as object;
  const parsed = parseRecording(recording(step));
  assert.deepEqual(JSON.parse(JSON.stringify(writeRecording(parsed))), recording(step));
});

test("selectors may be a text, a list of texts or a list of chains", () => {
  const selectorsOf = (selectors: unknown): unknown => {
    const [step] = parseRecording(recording({ type: "hover", selectors })).steps;
    return step?.type === "hover" && step.selectors;
  };
  assert.deepEqual(selectorsOf("#a"), [["#a"]]);
  assert.deepEqual(selectorsOf(["#a", "aria/A"]), [["#a"], ["aria/A"]]);
  assert.deepEqual(selectorsOf([["my-app", "#a"], "text/A"]), [["my-app", "#a"], ["text/A"]]);
});

test("custom steps of Sluice become steps, and blocks hold their steps; a round trip keeps them", () => {
  const source = recording(
    custom("sluice.absentIf", { selectors: [["#none"]], text: "No parcel" }),
    custom("sluice.forEach", { id: "rows", begin: true, selectors: [["tr"]] }),
    { type: "click", selectors: [["a"]] },
    custom("sluice.ifPresent", { id: "more", begin: true, selectors: [[".more"]] }),
    custom("sluice.download", { name: "bill", selectors: [[".pdf"]] }),
    custom("sluice.ifPresent", { id: "more", otherwise: true }),
    custom("sluice.pause", { ms: 100 }),
    custom("sluice.ifPresent", { id: "more", end: true }),
    custom("sluice.forEach", { id: "rows", end: true }),
    custom("sluice.paginate", { id: "pages", begin: true, selectors: [[".next"]], most: 7 }),
    custom("sluice.extract", { name: "list" }),
    custom("sluice.paginate", { id: "pages", end: true }),
    custom("sluice.set", { selectors: [["#exact"]], checked: true }),
  );
  const parsed = parseRecording(source);
  assert.deepEqual(
    parsed.steps.map(({ type, number }) => [number, type]),
    [
      [1, "sluice.absentIf"],
      [2, "sluice.forEach"],
      [10, "sluice.paginate"],
      [13, "sluice.set"],
    ],
  );
  assert.deepEqual(
    [...allSteps(parsed.steps)].map(({ number }) => number),
    [1, 2, 3, 4, 5, 7, 10, 11, 13],
  );
  const [, each] = parsed.steps;
  const inner = each?.type === "sluice.forEach" && each.steps[1];
  assert.ok(inner && inner.type === "sluice.ifPresent");
  assert.deepEqual(
    inner.otherwise?.map(({ type }) => type),
    ["sluice.pause"],
  );
  assert.deepEqual(writeRecording(parsed), source);
  assert.deepEqual(parseRecording(writeRecording(parsed)), parsed);
});

test("invalid recordings are refused with the step and what to do", () => {
  const click = { type: "click", selectors: ["#a"] };
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [[], /expected an object with a list `steps`.*Export as JSON/],
    [recording("click"), /^Step 1 is not an object/],
    [recording({}), /^Step 1: has no `type`/],
    [
      recording(click, { type: "clik", selectors: ["#a"] }),
      /^Step 2: the type "clik" is unknown. Did you mean click\?/,
    ],
    [recording(click, { type: "click" }), /^Step 2 \(click\): `selectors` is missing\. Add it/],
    [
      recording({ type: "click", selectors: [] }),
      /^Step 1 \(click\): `selectors` is \[\]: expected a list of 1 to 50/,
    ],
    [recording({ type: "click", selectors: ["aria/"] }), /selectors that are not empty/],
    [recording({ type: "click", selectors: [["#a", 1]] }), /strings, or lists of strings/],
    [recording({ ...click, frame: ["0"] }), /`frame` is \["0"\]: expected a list of child indexes/],
    [recording({ ...click, timeout: 0 }), /`timeout` is 0: expected milliseconds from 1 to 30000/],
    [recording({ ...click, button: "left" }), /`button` is "left": expected one of primary/],
    [recording({ type: "change", selectors: ["#a"], value: 5 }), /`value` is 5: expected a string/],
    [recording({ type: "navigate", url: "file:///etc/passwd" }), /expected an http or https URL/],
    [recording({ type: "navigate", url: "javascript:alert(1)" }), /expected an http or https URL/],
    [recording({ ...click, assertedEvents: [{ type: "load" }] }), /expected a list of events/],
    [recording(custom("sluice.extrat", {})), /no such custom step\. Did you mean sluice\.extract\?/],
    [recording(custom("sluice.extract", { named: "x" })), /has no option `named`\. Did you mean `name`\?/],
    [recording(custom("sluice.set", { selectors: ["#a"] })), /expected one of `checked`, `label`/],
    [recording(custom("sluice.forEach", { id: "a", selectors: ["tr"] })), /pair of steps with the same `id`/],
    [recording(custom("sluice.forEach", { id: "a", begin: true })), /`selectors` is missing/],
    [recording(custom("sluice.forEach", { id: "a", end: true })), /^Step 1 .*no block is open/],
    [
      recording(click, custom("sluice.forEach", { id: "a", begin: true, selectors: ["tr"] }), click),
      /^Step 2 \(sluice\.forEach\): the block "a" has no end\. Add a customStep/,
    ],
    [
      recording(
        custom("sluice.forEach", { id: "a", begin: true, selectors: ["tr"] }),
        custom("sluice.paginate", { id: "b", begin: true, selectors: ["a"] }),
        custom("sluice.forEach", { id: "a", end: true }),
      ),
      /^Step 3 .*the block that is open is "b" \(sluice\.paginate\) of step 2/,
    ],
  ];
  for (const [source, message] of cases)
    assert.throws(() => parseRecording(source), { code: "bad-recording", message }, String(message));
});

test("sizes are limited: bytes, steps, nesting, selectors", () => {
  const refuses = (source: unknown, message: RegExp): void =>
    assert.throws(() => parseRecording(source), { code: "bad-recording", message });
  refuses(recording(...Array.from({ length: 5001 }, () => ({ type: "close" }))), /has 5001 steps/);
  refuses(
    recording({ type: "hover", selectors: Array.from({ length: 51 }, () => "#a") }),
    /list of 1 to 50 selectors/,
  );
  const begins = Array.from({ length: 9 }, (_, at) =>
    custom("sluice.forEach", { id: `b${at}`, begin: true, selectors: ["a"] }),
  );
  refuses(recording(...begins), /nested deeper than 8 levels/);
  assert.throws(() => readRecording(" ".repeat(5_000_001)), { message: /larger than 5 MB/ });
  assert.throws(() => readRecording("{"), { message: /not valid JSON/ });
});

test(
  "real recordings are read and survive a round trip; the invalid one is refused with its reason",
  { skip },
  () => {
    const files = globSync("{devtools,puppeteer-replay-spec}/*.json", { cwd: DEVTOOLS });
    assert.equal(files.length, 15);
    const refusedFiles = files.filter((file) => {
      const text = readFileSync(join(DEVTOOLS, file), "utf8");
      try {
        const parsed = readRecording(text);
        assert.deepEqual(parseRecording(writeRecording(parsed)), parsed, file);
        return false;
      } catch (error) {
        assert.match((error as Error).message, /^Step 3: the type "invalid" is unknown/, file);
        return true;
      }
    });
    assert.deepEqual(
      refusedFiles.map((file) => basename(file)),
      ["DevExpress_testcafe__invalid-test.json"],
    );
  },
);
