import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { buildProgram } from "../../src/cli/program.ts";
import { renderReference } from "./reference-page.ts";
import { SECTIONS } from "./sections.ts";

test("docs/reference.md matches the types and the command line, and every option has a description", async () => {
  const { text, problems } = renderReference(SECTIONS, await buildProgram("", () => undefined));
  assert.deepEqual(problems, []);
  const written = readFileSync(resolve(import.meta.dirname, "../reference.md"), "utf8");
  assert.equal(written, text, "run `npm run docs` and commit what it writes");
});
