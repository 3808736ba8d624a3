import assert from "node:assert/strict";
import { join } from "node:path";
import type { OpenLedger } from "../../ports/ledger-suite/test-kit.ts";
import { checkLedger } from "./check-ledger.ts";
import { openSqlite } from "./open.ts";

/** Whatever a test has done with a ledger, `fsck` must find nothing wrong with it. */
export const openChecked: OpenLedger = async (folder, options) => {
  const file = join(folder, "ledger.db");
  const ledger = await openSqlite(file, options);
  return {
    ...ledger,
    async close() {
      await ledger.close();
      using check = checkLedger(file);
      assert.deepEqual([...check.problems()], []);
    },
  };
};
