// graphile-worker with its local queue and completions in batches. Argument: { url, items, claim, settle, isLoad, isGrouped }.
import { Logger, makeWorkerUtils, runOnce } from "graphile-worker";
import pg from "pg";
import { runAsMember } from "../process-group.ts";
import { INSERT_RESULTS, resultColumns } from "../result-rows.ts";
import { payloads } from "./payloads.mjs";

const { url, items, claim, settle, isLoad, isGrouped } = JSON.parse(process.argv[2]);
const logger = new Logger(() => (level, message) => level === "error" && console.error(message));

if (isLoad) {
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  for (const some of payloads(items))
    await utils.addJobs(some.map((payload) => ({ identifier: "keep", payload })));
  console.log(JSON.stringify({ items }));
  process.exit(0);
}

const pool = new pg.Pool({ connectionString: url, max: 12 });
await Promise.all(Array.from({ length: 12 }, () => pool.query("SELECT pg_sleep(0.01)")));
let settled = 0;
const keep = async (some) => {
  await pool.query({ name: "insert", text: INSERT_RESULTS, values: resultColumns(some, "bench") });
  settled += some.length;
};

// One insert for all jobs that have come in the meantime: each is done when the row of its result is.
let waiting = [];
let next;
const keepTogether = (one) => {
  waiting.push(one);
  next ??= new Promise((resolve) => setTimeout(resolve, 1)).then(() => {
    const some = waiting;
    [waiting, next] = [[], undefined];
    return keep(some);
  });
  return next;
};

await runAsMember(async () => {
  await runOnce({
    pgPool: pool,
    taskList: { keep: (one) => (isGrouped ? keepTogether(one) : keep([one])) },
    noHandleSignals: true,
    preset: {
      worker: {
        logger,
        concurrentJobs: isGrouped ? settle : 10,
        localQueue: { size: isGrouped ? settle : claim },
        completeJobBatchDelay: 1,
      },
    },
  });
  return settled;
});
process.exit(0);
