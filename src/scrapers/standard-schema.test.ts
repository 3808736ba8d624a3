import assert from "node:assert/strict";
import { test } from "node:test";
import { describeIssues } from "./scraper.ts";

test("issues are told one after the other, each with its path", () => {
  const text = describeIssues([
    { message: "expected 10 digits", path: ["parcel"] },
    { message: "required", path: ["owners", 0, "name"] },
    { message: "too old" },
  ]);
  assert.equal(text, "parcel: expected 10 digits; owners.0.name: required; too old");
});

test("a path may be made of keys, of objects that hold keys, and of symbols", () => {
  const path = [{ key: "owner" }, { key: 1 }, Symbol("mark")];
  assert.equal(describeIssues([{ message: "no", path }]), "owner.1.Symbol(mark): no");
});
