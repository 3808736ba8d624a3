/** One of several processes that claim and settle a job on the PostgreSQL ledger. */
import { openPostgres } from "../../src/backends/postgres/open.ts";
import type { ClaimedItem, Ledger } from "../../src/ports/ledger.ts";
import type { PostgresTask } from "../postgres-contenders.ts";
import { runAsMember } from "../process-group.ts";
import { settledPage } from "../settled-page.ts";

const { url, warmUpUrl, claim, settle } = JSON.parse(process.argv[2]!) as PostgresTask;
const worker = `bench-${process.pid}`;

const workOff = async (ledger: Ledger): Promise<number> => {
  let settled = 0;
  let inFlight: ClaimedItem[] = [];
  for (;;) {
    // Items whose requests have ended do not count against the lane, settled or not.
    const grant = await ledger.claim({ worker, room: claim, inFlight: new Map() });
    inFlight.push(...grant.items);
    if (grant.items.length === 0 && inFlight.length === 0) return settled;
    if (inFlight.length < settle && grant.items.length > 0) continue;
    const batch = inFlight.slice(0, settle);
    inFlight = inFlight.slice(settle);
    const { refused } = await ledger.settle(worker, batch.map(settledPage));
    if (refused.length > 0) throw new Error(`${refused.length} settles were refused`);
    settled += batch.length;
  }
};

const warmUp = await openPostgres(warmUpUrl);
await workOff(warmUp);
await warmUp.close();
const ledger = await openPostgres(url);
await runAsMember(() => workOff(ledger));
await ledger.close();
process.exit(0);
