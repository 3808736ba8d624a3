import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldName, freeName } from "./verify-fields.ts";

const NAMES: readonly (readonly [string, string | undefined])[] = [
  ["Owner Name:", "ownerName"],
  ["Owner's Name", "ownersName"],
  ["E-Mail address", "emailAddress"],
  ["Weight (kg)", "weightKg"],
  ["2025 Taxes", "taxes2025"],
  ["Année de création", "anneeDeCreation"],
  ["recipeIngredient", "recipeIngredient"],
  ["market-value", "marketValue"],
  ["市場 価値", "市場価値"],
  ["__proto__", "proto"],
  ["#1", undefined],
  ["—", undefined],
];
for (const [label, name] of NAMES)
  test(`${label} is called ${name ?? "nothing"}`, () => assert.equal(fieldName(label), name));

test("a long label gives a name of a few words", () => {
  assert.equal(fieldName("The net assessed value of all land and buildings"), "theNetAssessedValueOf");
});

test("a name that is taken gets a number", () => {
  assert.equal(freeName("owner", new Set()), "owner");
  assert.equal(freeName("owner", new Set(["owner", "owner2"])), "owner3");
});
