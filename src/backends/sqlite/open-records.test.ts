import { join } from "node:path";
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { openRecords } from "./open-records.ts";

ledgerSuite("sqlite records", (folder, options) => openRecords(join(folder, "ledger.db"), options));
