import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "./address.ts";

test("parts of the URL are decoded, and the password is not shown", () => {
  const { hosts, config, shown } = parseAddress("postgres://us%20er:p%40ss@one,two:6432/led%67er");
  assert.deepEqual(hosts, [
    { host: "one", port: 5432 },
    { host: "two", port: 6432 },
  ]);
  assert.deepEqual([config.user, config.password, config.database], ["us er", "p@ss", "ledger"]);
  assert.equal(shown, "postgres://one,two:6432/led%67er");
});

test("a percent sign without digits is explained, without quoting the password", () => {
  assert.throws(() => parseAddress("postgres://user:100%secret@host/ledger"), {
    message:
      "URL of the ledger: the password has a `%` without two hexadecimal digits; write `%25` for the character.",
  });
});
