import assert from "node:assert/strict";
import { test } from "node:test";
import { describeSteps, likelyInputs, remarksOn } from "./describe-steps.ts";
import { parseRecording } from "./parse-recording.ts";
import type { Recording } from "./recording.ts";

const recording = (...steps: readonly unknown[]): Recording => parseRecording({ title: "Flow", steps });
const custom = (name: string, parameters: unknown): unknown => ({ type: "customStep", name, parameters });

test("steps are described in words, those of blocks indented", () => {
  const { steps } = recording(
    { type: "navigate", url: "https://a.example/" },
    { type: "change", selectors: ["#q", "aria/Q"], value: "{{parcel}}" },
    custom("sluice.ifPresent", { id: "a", begin: true, selectors: [".none"] }),
    custom("sluice.absentIf", { selectors: [".none"], text: "No parcel" }),
    custom("sluice.ifPresent", { id: "a", otherwise: true }),
    { type: "click", selectors: [["my-app", "#go"]], target: "popup/1", frame: [0] },
    custom("sluice.ifPresent", { id: "a", end: true }),
    custom("sluice.extract", { name: "detail" }),
  );
  assert.deepEqual(describeSteps(steps), [
    "   1  open https://a.example/",
    '   2  enter "{{parcel}}" into #q (or 1 more)',
    "   3  if .none is there:",
    '   4    end as absent if .none is there with the text "No parcel"',
    "      otherwise:",
    "   6    click my-app › #go in popup/1 in frame 0",
    '   8  keep the page as "detail"',
  ]);
});

test("remarks name code, a page that is not kept, clicks that repeat and foreign steps", () => {
  const next = { type: "click", selectors: ["#next"] };
  const remarks = remarksOn(
    recording(next, next, next, { type: "waitForExpression", expression: "true" }, custom("vendor.x", {})),
  );
  assert.deepEqual(
    remarks.map((remark) => remark.replace(/:.*/, "")),
    [
      "Step 4 runs code in the page",
      "No step keeps a page",
      "Steps 1 to 3 click the same element",
      "Custom steps that do nothing here",
    ],
  );
  assert.deepEqual(remarksOn(recording(next, custom("sluice.extract", {}))), []);
});

test("values that may be inputs are those that were entered, and parts of addresses", () => {
  const source = recording(
    { type: "navigate", url: "https://a.example/county/parcel/0012?year=2024" },
    { type: "change", selectors: ["#q"], value: "Smith" },
    { type: "change", selectors: ["#r"], value: "{{parcel}}" },
  );
  assert.deepEqual(likelyInputs(source), ["2024", "0012", "Smith"]);
});
