// e2e: the ledger's contract suite on another backend
import { describe } from "node:test";
import { databaseOf, noPostgres } from "../../../test/kits/postgres.ts";
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { openPostgres } from "./open.ts";

/** The database's clock cannot be held against a second one: that it was set ahead looks like time that has passed. */
const reason = "a clock that is set ahead is not noticed on PostgreSQL";
const skips = {
  "a clock that is set by 1 hours stops no lane, moves no retry, and ends only the leases of dead workers":
    reason,
  "Retry-After is respected even if the clock is set": reason,
};

const prepare = async (url: string): Promise<void> => await (await openPostgres(url)).close();

describe("postgres", { skip: noPostgres }, () => {
  ledgerSuite(
    "postgres",
    async (folder, options) => await openPostgres(await databaseOf(folder, prepare), options),
    { skips, isRemote: true },
  );
});
