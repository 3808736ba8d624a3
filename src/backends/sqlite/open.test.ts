// own process: it takes a minute and starts first, so that nothing waits for it at the end
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { openChecked } from "./open-checked.suite.ts";

ledgerSuite("sqlite", openChecked);
