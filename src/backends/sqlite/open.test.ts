import { join } from "node:path";
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { openSqlite } from "./open.ts";

ledgerSuite("sqlite", (folder, options) => openSqlite(join(folder, "ledger.db"), options));
