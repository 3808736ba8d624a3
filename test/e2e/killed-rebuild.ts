import { rebuildTools } from "../../src/cli/actions/backup.ts";
import { rebuild } from "../../src/integrity/rebuild.ts";

/** Rebuilds as the command does, and kills its own process at a step: `node killed-rebuild.ts DATA STEP`. */
const [data = "", last = ""] = process.argv.slice(2);
let steps = 0;
const step = (): void => {
  if (++steps === Number(last)) process.kill(process.pid, "SIGKILL");
};

const tools = rebuildTools(true);
await rebuild(data, {
  ...tools,
  async openRebuild(file) {
    step();
    const opened = await tools.openRebuild(file);
    step();
    return opened;
  },
  async openLedger(file) {
    step();
    return await tools.openLedger(file);
  },
  async openRegistry(file) {
    step();
    return await tools.openRegistry(file);
  },
  onProgress: step,
  onJob: step,
});
