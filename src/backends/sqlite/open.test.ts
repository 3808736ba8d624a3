import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { checkLedger } from "./check-ledger.ts";
import { Database } from "./database.ts";
import { openSqlite } from "./open.ts";

const run = new Set<string>();
before(() => {
  const sql = Object.getOwnPropertyDescriptor(Database.prototype, "sql")!.value as Database["sql"];
  Database.prototype.sql = function (text) {
    run.add(text);
    return sql.call(this, text);
  };
});

/** By `fsck --repair` alone, and for items that older versions have answered: their own tests run them. Those of `rebuild` too. */
const ELSEWHERE = ["UPDATE jobs SET ${names", "UPDATE results SET captures = ?, records = ?"];

/** Their first lines, as they stand in the code. */
const writing = (): string[] =>
  globSync("**/*.ts", {
    cwd: import.meta.dirname,
    exclude: ["**/*.test.ts", "**/migrations/**", "rebuild/**"],
  })
    .flatMap((name) => [
      ...readFileSync(join(import.meta.dirname, name), "utf8").matchAll(
        /["`]((?:UPDATE|INSERT(?: OR \w+)? INTO|DELETE FROM) (?:results|jobs)\b[^"`\n]*)/g,
      ),
    ])
    .map(([, text]) => text!)
    .filter((text) => !ELSEWHERE.some((start) => text.startsWith(start)));

// All tests together have run every statement that writes results or jobs, and the checksums were right after each.
after(() => {
  const all = [...run];
  assert.ok(writing().length > 30);
  assert.deepEqual(
    writing().filter((text) => !all.some((one) => one.startsWith(text))),
    [],
  );
});

// Whatever a test has done to a ledger, `fsck` finds nothing wrong with it.
ledgerSuite("sqlite", async (folder, options) => {
  const file = join(folder, "ledger.db");
  const ledger = await openSqlite(file, options);
  return {
    ...ledger,
    async close() {
      await ledger.close();
      using check = checkLedger(file);
      assert.deepEqual([...check.problems()], []);
      assert.equal(check.unverified, 0);
    },
  };
});
