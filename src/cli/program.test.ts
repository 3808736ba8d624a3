import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { buildProgram, COMMANDS } from "./program.ts";

const ignore = (): void => undefined;

test("each command file registers the commands that it is listed under", async () => {
  for (const { names, load } of COMMANDS) {
    const program = new Command();
    (await load()).register(program, () => async () => undefined);
    assert.deepEqual(
      program.commands.map((command) => command.name()),
      names,
    );
  }
});

test("only the wanted command is loaded, and all of them for help or an unknown name", async () => {
  const namesFor = async (wanted?: string): Promise<string[]> =>
    (await buildProgram("1.0.0", ignore, wanted)).commands.map((command) => command.name());
  const all = COMMANDS.flatMap(({ names }) => names);
  assert.deepEqual(await namesFor("resume"), ["run", "resume"]);
  assert.deepEqual(await namesFor(), all);
  assert.deepEqual(await namesFor("rnu"), all);
});
