// e2e: the ledger's contract suite on another backend
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import { behindRelay } from "../../ports/ledger-suite/relay.ts";
import { openChecked } from "./open-checked.suite.ts";

ledgerSuite("sqlite behind a relay that loses 1 % of the answers", behindRelay(openChecked), {
  isRemote: true,
});
