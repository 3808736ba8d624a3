import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { openChecked } from "./open-checked.suite.ts";

ledgerSuite("sqlite", openChecked);
