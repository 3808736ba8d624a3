import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { shellWord } from "./shell-word.ts";

test("a shell reads every word as it was meant", () => {
  for (const word of ["parcel=1", "https://x.example/?a=1&b=2", "it's", '$HOME `id` "x"', "a b", "*", "~"])
    assert.equal(execFileSync("sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" }), word);
});
