import { ledgerFile, storageLocation } from "../../src/config/storage-location.ts";
import { backupTools } from "../../src/cli/actions/backup.ts";
import { backup, type CopyTools, restore } from "../../src/integrity/backup.ts";
import { openBlobs, RESTORING_FILE } from "../../src/compose.ts";

/** Copies as the command does, and kills its own process at a step: `node killed-copy.ts backup|restore FROM TO STEP`. */
const [verb, from = "", to = "", last = ""] = process.argv.slice(2);
let steps = 0;
const step = (): void => {
  if (++steps === Number(last)) process.kill(process.pid, "SIGKILL");
};

const tools = backupTools(true);
const watched: CopyTools = {
  ...tools,
  async copyLedger(source, target) {
    step();
    await tools.copyLedger(source, target);
    step();
  },
  async look(file) {
    step();
    return await tools.look(file);
  },
  async openLedger(file) {
    step();
    return await tools.openLedger(file);
  },
  onProgress: step,
};
const location = storageLocation({ data: from });
if (verb === "backup")
  await backup({ ledger: ledgerFile(location), blobs: await openBlobs(location) }, to, watched);
else await restore(from, to, { ...watched, restoringFile: RESTORING_FILE });
