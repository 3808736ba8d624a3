import assert from "node:assert/strict";
import { test } from "node:test";
import { wantsColors } from "./colors.ts";

const terminal = { isTTY: true };
const pipe = {};

test("a terminal has colours, a pipe has none, a build server's neither", () => {
  assert.equal(wantsColors(terminal, { TERM: "xterm" }), true);
  assert.equal(wantsColors(pipe, { TERM: "xterm" }), false);
  assert.equal(wantsColors(pipe, { CI: "true" }), false);
  assert.equal(wantsColors(terminal, { TERM: "dumb" }), false);
});

test("the two common switches decide, and off wins", () => {
  assert.equal(wantsColors(pipe, { FORCE_COLOR: "1" }), true);
  assert.equal(wantsColors(terminal, { FORCE_COLOR: "0" }), false);
  assert.equal(wantsColors(terminal, { NO_COLOR: "1" }), false);
  assert.equal(wantsColors(terminal, { NO_COLOR: "1", FORCE_COLOR: "1" }), false);
  assert.equal(wantsColors(terminal, { NO_COLOR: "", TERM: "xterm" }), true);
});
