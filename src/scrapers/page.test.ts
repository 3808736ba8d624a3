import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.ts";

const validate = (value: unknown) => {
  const result = page.input["~standard"].validate(value);
  assert.ok(!(result instanceof Promise));
  return result;
};

test("an http or https URL is used unchanged, and other columns are ignored", () => {
  assert.deepEqual(validate({ url: "HTTPS://a.example/x", note: "1" }), {
    value: { url: "HTTPS://a.example/x" },
  });
});

test("the error for any other input says where the URL should be", () => {
  for (const value of [
    undefined,
    null,
    5,
    {},
    { url: "" },
    { url: 5 },
    { url: "a.example" },
    { url: "ftp://a" },
  ])
    assert.deepEqual(validate(value).issues?.[0]?.path, ["url"], JSON.stringify(value));
  assert.deepEqual(validate({ url: "https://" }).issues?.[0]?.path, ["url"]);
});
