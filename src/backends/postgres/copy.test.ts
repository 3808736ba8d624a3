import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { newDatabase, noPostgres } from "../../../test/kits/postgres.ts";
import { copyIn, copyOut, readLine, writeRows } from "./copy.ts";

const isNumber = [true, false, false];
const ROWS = [
  [1, "plain", null],
  [2, "a\tb\nc\rd\\e\bf\fg\vh", ""],
  [-1.5e-7, "\\N", "\\."],
  [9_007_199_254_740_991, "nul \u0000 one \u0001 \u00010 end", "é 漢 🙂"],
  [1e300, '{"a":"\\u0000 \\" \\n"}', "\u0001"],
];

test("rows written as COPY text are read back as they were", () => {
  const lines = writeRows(ROWS).split("\n");
  assert.equal(lines.pop(), "");
  assert.deepEqual(
    lines.map((line) => readLine(line, isNumber)),
    ROWS,
  );
});

test("COPY to and from PostgreSQL keeps every value", { skip: noPostgres }, async (t) => {
  const client = await clientOf(t);
  await client.query('CREATE TABLE t (a double precision, b text COLLATE "C", c text)');
  await copyIn(client, "COPY t (a, b, c) FROM STDIN", ROWS);
  await copyIn(client, "COPY t (a, b, c) FROM STDIN", []);
  const lines = (
    await Array.fromAsync(copyOut(client, "COPY (SELECT a, b, c FROM t ORDER BY b) TO STDOUT"))
  ).flat();
  const read = lines.map((line) => readLine(line, isNumber));
  assert.deepEqual(
    read,
    ROWS.toSorted((x, y) => Buffer.compare(Buffer.from(`${x[1]}`), Buffer.from(`${y[1]}`))),
  );
});

test(
  "a refused row is an error, and the connection can be used afterwards",
  { skip: noPostgres },
  async (t) => {
    const client = await clientOf(t);
    await client.query("CREATE TABLE t (a bigint PRIMARY KEY)");
    await assert.rejects(copyIn(client, "COPY t (a) FROM STDIN", [[1], [1]]), { code: "23505" });
    await assert.rejects(
      Array.fromAsync(copyOut(client, "COPY (SELECT 1 / (a - 7) FROM nothing) TO STDOUT")),
      {
        code: "42P01",
      },
    );
    await copyIn(client, "COPY t (a) FROM STDIN", [[1]]);
    assert.deepEqual((await client.query("SELECT a FROM t")).rows, [{ a: "1" }]);
  },
);

test(
  "more rows than fit into the memory of a reader wait for it, also when it stops early",
  { skip: noPostgres },
  async (t) => {
    const client = await clientOf(t);
    const sql = "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 20000)) TO STDOUT";
    let most = 0;
    let rows = 0;
    for await (const lines of copyOut(client, sql)) {
      most = Math.max(most, lines.length);
      rows += lines.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(rows, 20_000);
    assert.ok(most < 2_000, `${most} rows waited`);
    for await (const lines of copyOut(client, sql)) {
      assert.ok(lines.length > 0);
      break;
    }
    assert.deepEqual((await client.query("SELECT 1 AS a")).rows, [{ a: 1 }]);
  },
);

const clientOf = async (t: Parameters<typeof newDatabase>[0]): Promise<Client> => {
  const client = new Client({ connectionString: await newDatabase(t) });
  await client.connect();
  t.after(() => client.end());
  return client;
};
