import { openBlobFolder } from "../../src/compose.ts";
import { openLedgerTables, openLedgerTarget } from "../../src/compose-tables.ts";
import { copyBlobs } from "../../src/integrity/copy-blobs.ts";
import { migrateLedger } from "../../src/integrity/migrate.ts";

/** Moves as the command does, and kills its own process at a step: `node killed-migrate.ts FROM TO FOLDER-FROM FOLDER-TO STEP`. */
const [from = "", to = "", blobsFrom = "", blobsTo = "", last = ""] = process.argv.slice(2);
let steps = 0;
const step = (): void => {
  if (++steps === Number(last)) process.kill(process.pid, "SIGKILL");
};

await using source = await openLedgerTables(from);
step();
await using target = await openLedgerTarget(to);
step();
await migrateLedger(source, target, {
  onProgress: step,
  async beforeFinish() {
    await copyBlobs(await openBlobFolder(blobsFrom), await openBlobFolder(blobsTo), { onProgress: step });
    step();
  },
});
