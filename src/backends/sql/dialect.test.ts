import assert from "node:assert/strict";
import { test } from "node:test";
import { statementIn } from "./dialect.ts";

const both = (sql: string): string[] => [statementIn("sqlite", sql).text, statementIn("postgres", sql).text];

test("parameters have numbers in PostgreSQL, and those without one come after the highest before", () => {
  const sql = "SELECT '?' FROM t WHERE a = ?2 AND b = ? AND c = ?1 LIMIT ?";
  assert.deepEqual(both(sql), [sql, "SELECT '?' FROM t WHERE a = $2 AND b = $3 AND c = $1 LIMIT $4"]);
});

test("lists are rows, and are known as such", () => {
  const sql =
    "SELECT value FROM @list(?2 text) l WHERE a = ?1 AND b IN (SELECT value FROM @list(? bigint) m)";
  assert.deepEqual(both(sql), [
    "SELECT value FROM json_each(?2) l WHERE a = ?1 AND b IN (SELECT value FROM json_each(?) m)",
    "SELECT value FROM (SELECT u.value FROM unnest($2::text[]) AS u (value)) l WHERE a = $1 AND b IN " +
      "(SELECT value FROM (SELECT u.value FROM unnest($3::bigint[]) AS u (value)) m)",
  ]);
  assert.deepEqual(statementIn("postgres", sql).lists, [1, 2]);
});

test("joins that SQLite is to keep in their order have a condition in PostgreSQL, or none", () => {
  assert.deepEqual(both("FROM a CROSS JOIN b x ON x.n = a.n CROSS JOIN c"), [
    "FROM a CROSS JOIN b x ON x.n = a.n CROSS JOIN c",
    "FROM a JOIN b x ON x.n = a.n CROSS JOIN c",
  ]);
});

test("indexes are for SQLite, locks for PostgreSQL", () => {
  assert.deepEqual(
    both("SELECT 1 FROM t @index(t_by) @lock").map((text) => text.trim()),
    ["SELECT 1 FROM t INDEXED BY t_by", "SELECT 1 FROM t  FOR UPDATE"],
  );
});

test("a word that is not known is refused", () => {
  assert.throws(() => statementIn("sqlite", "SELECT @lst(?1 text)"), /@lst is no word/);
});
