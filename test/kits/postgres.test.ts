import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { newDatabase, noPostgres, PostgresServer, sharedPostgres } from "./postgres.ts";

test("each test has a database of its own", { skip: noPostgres }, async (t) => {
  const [a, b] = [await newDatabase(t), await newDatabase(t)];
  const server = await sharedPostgres();
  await server.query("CREATE TABLE t (n int)", new URL(a).pathname.slice(1));
  const found = await server.query(
    "SELECT * FROM pg_tables WHERE tablename = 't'",
    new URL(b).pathname.slice(1),
  );
  assert.deepEqual(found, []);
});

test("a server is killed and started again, and leaves nothing behind", { skip: noPostgres }, async () => {
  const server = await PostgresServer.start({ settings: { fsync: "on" } });
  await server.query("CREATE TABLE t AS SELECT 1 AS n");
  await server.stop("immediate");
  await server.start();
  assert.deepEqual(await server.query("SELECT n FROM t"), [{ n: 1 }]);
  await server[Symbol.asyncDispose]();
  assert.ok(!existsSync(server.folder));
});
