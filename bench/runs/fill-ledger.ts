/** Fills the ledger of a data folder with jobs of many items. */
import { join } from "node:path";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import { fillLedger, type LedgerSize } from "../large-ledger.ts";

export interface FillTask extends LedgerSize {
  readonly data: string;
}

const { data, ...size } = JSON.parse(process.argv[2]!) as FillTask;
const ledger = await openSqlite(join(data, "sluice.db"), { cacheMb: 64 });
const startedAt = performance.now();
await fillLedger(ledger, size);
await ledger.close();
console.log(JSON.stringify({ seconds: (performance.now() - startedAt) / 1_000 }));
