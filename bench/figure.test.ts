import assert from "node:assert/strict";
import { test } from "node:test";
import { type Figure, figureLine } from "./figure.ts";

const figure: Figure = { figure: "speed", value: 5, unit: "ratio", rounds: 3, from: {}, note: "" };
const metOf = (goal: NonNullable<Figure["goal"]>): unknown => JSON.parse(figureLine({ ...figure, goal })).met;

test("a goal is met exactly at its bound", () => {
  assert.equal(metOf({ atLeast: 5 }), true);
  assert.equal(metOf({ atLeast: 5.01 }), false);
  assert.equal(metOf({ atMost: 5 }), true);
  assert.equal(metOf({ atMost: 4.99 }), false);
});

test("a figure without a goal is one line that claims nothing", () => {
  const line = figureLine(figure);
  assert.equal(line.includes("\n"), false);
  assert.equal("met" in JSON.parse(line), false);
});
