// own process: it takes a minute and starts first, so that nothing waits for it at the end
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { databaseOf, noPostgres } from "../../../test/kits/postgres.ts";
import { openPostgres } from "./open.ts";

if (noPostgres) console.log(`skipped: ${noPostgres}`);
else
  ledgerSuite("postgres", async (folder, options) => await openPostgres(await databaseOf(folder), options));
