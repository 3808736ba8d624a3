// own process: it takes a minute and starts first, so that nothing waits for it at the end
import { describe } from "node:test";
import { databaseOf, noPostgres } from "../../../test/kits/postgres.ts";
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { openPostgres } from "./open.ts";

describe("postgres", { skip: noPostgres }, () => {
  ledgerSuite("postgres", async (folder, options) => await openPostgres(await databaseOf(folder), options));
});
