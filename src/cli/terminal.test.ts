import assert from "node:assert/strict";
import { test } from "node:test";
import { commandName, wantsColors, withCommandName } from "./terminal.ts";

const terminal = { isTTY: true };
const pipe = {};

test("a terminal has colours; a pipe has none, even in CI", () => {
  assert.equal(wantsColors(terminal, { TERM: "xterm" }), true);
  assert.equal(wantsColors(pipe, { TERM: "xterm" }), false);
  assert.equal(wantsColors(pipe, { CI: "true" }), false);
  assert.equal(wantsColors(terminal, { TERM: "dumb" }), false);
});

test("NO_COLOR and FORCE_COLOR decide, and NO_COLOR wins", () => {
  assert.equal(wantsColors(pipe, { FORCE_COLOR: "1" }), true);
  assert.equal(wantsColors(terminal, { FORCE_COLOR: "0" }), false);
  assert.equal(wantsColors(terminal, { NO_COLOR: "1" }), false);
  assert.equal(wantsColors(terminal, { NO_COLOR: "1", FORCE_COLOR: "1" }), false);
  assert.equal(wantsColors(terminal, { NO_COLOR: "", TERM: "xterm" }), true);
});

const cwd = "/home/ann/project";
const PATH = "/usr/bin:/home/ann/bin";

test("commands to copy use the name that the program was called by", () => {
  const called = (script: string, env: Readonly<Record<string, string>> = {}): string =>
    commandName({ script, cwd, env: { PATH, ...env } });
  assert.equal(called("/home/ann/bin/sluice"), "sluice");
  assert.equal(called(`${cwd}/node_modules/.bin/sluice`), "node_modules/.bin/sluice");
  assert.equal(called("/opt/other/bin/sluice"), "/opt/other/bin/sluice");
  assert.equal(called(`${cwd}/bin/sluice.js`), "node bin/sluice.js");
  assert.equal(called("/opt/my tools/sluice/bin/sluice.js"), "node '/opt/my tools/sluice/bin/sluice.js'");
  assert.equal(called(`${cwd}/node_modules/.bin/sluice`, { npm_command: "exec" }), "npx sluice");
  assert.equal(called(`${cwd}/node_modules/.bin/sluice`, { npm_command: "run-script" }), "npx sluice");
  assert.equal(
    called("/app/bin/sluice.js", { SLUICE_COMMAND: "docker exec box sluice" }),
    "docker exec box sluice",
  );
});

test("the name replaces `sluice` only in commands", () => {
  const npx = { env: { npm_command: "exec" } };
  assert.equal(
    withCommandName(
      "Sluice says: `sluice test --update` writes it.\n  sluice run page\nof sluice run\n",
      npx,
    ),
    "Sluice says: `npx sluice test --update` writes it.\n  npx sluice run page\nof sluice run\n",
  );
});
