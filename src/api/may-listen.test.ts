import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopback, mayListen } from "./may-listen.ts";

test("loopback is this machine by any of its names and addresses, and nothing else", () => {
  for (const host of [
    "localhost",
    "LOCALHOST",
    "app.localhost",
    "127.0.0.1",
    "127.9.9.9",
    "::1",
    "[::1]",
    "::ffff:127.0.0.1",
  ])
    assert.ok(isLoopback(host), host);
  for (const host of [
    "0.0.0.0",
    "::",
    "",
    "10.0.0.1",
    "127.0.0.1.example",
    "localhost.example",
    "::ffff:10.0.0.1",
    "1",
    "2130706433",
  ])
    assert.ok(!isLoopback(host), host);
});

test("without keys one listens on loopback only", () => {
  assert.deepEqual(
    [mayListen("127.0.0.1", false), mayListen("0.0.0.0", false), mayListen("0.0.0.0", true)],
    [true, false, true],
  );
});
