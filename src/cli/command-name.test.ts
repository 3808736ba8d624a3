import assert from "node:assert/strict";
import { test } from "node:test";
import { commandName, withCommandName } from "./command-name.ts";

test("commands to copy are written as the program was called", () => {
  assert.equal(commandName({}), "sluice");
  assert.equal(commandName({ npm_command: "run-script" }), "sluice");
  assert.equal(commandName({ npm_command: "exec" }), "npx sluice");
  assert.equal(
    withCommandName("Sluice says: `sluice test --update` writes it.", { npm_command: "exec" }),
    "Sluice says: `npx sluice test --update` writes it.",
  );
});
