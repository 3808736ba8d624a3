import assert from "node:assert/strict";
import { test } from "node:test";
import { newDatabase, noPostgres } from "../../../test/kits/postgres.ts";
import { parseAddress } from "./address.ts";
import { Connection } from "./connection.ts";

const DIVIDE = "SELECT 6 / $1::bigint AS part";
const DOUBLE = "SELECT 2 * $1::bigint AS twice";

for (const hasNames of [true, false])
  test(
    `queries that are sent together end with the first error, and work afterwards (${hasNames ? "named" : "unnamed"})`,
    { skip: noPostgres },
    async (t) => {
      const { config, hosts } = parseAddress(await newDatabase(t));
      const connection = await Connection.open({ ...config, ...hosts[0] }, hasNames);
      t.after(() => connection.close());
      const rows = async (text: string, value: number): Promise<unknown[][]> =>
        (await connection.query(text, [value])).rows;
      await connection.query("CREATE TABLE t (a bigint)");
      const together = await Promise.allSettled([
        connection.query("INSERT INTO t VALUES ($1)", [1]),
        rows(DIVIDE, 0),
        rows(DOUBLE, 4),
      ]);
      assert.deepEqual(
        together.map((one) => one.status === "rejected" && (one.reason as { code: string }).code),
        ["22012", "22012", "22012"],
      );
      assert.deepEqual((await connection.query("SELECT * FROM t")).rows, [], "they were one transaction");
      assert.deepEqual(await Promise.all([rows(DIVIDE, 3), rows(DOUBLE, 4), rows(DIVIDE, 2)]), [
        [[2]],
        [[8]],
        [[3]],
      ]);
      // Now it is known what they return.
      const [{ rows: none, fields }, { count }] = await Promise.all([
        connection.query(`${DIVIDE} WHERE $1::bigint > 9`, [1]),
        connection.query("INSERT INTO t SELECT n FROM generate_series(1, $1::bigint) n", [5]),
      ]);
      assert.deepEqual([none, fields.map(({ name }) => name), count], [[], ["part"], 5]);
      assert.deepEqual(await Promise.all([rows(DIVIDE, 6), rows(DOUBLE, 1)]), [[[1]], [[2]]]);
    },
  );
