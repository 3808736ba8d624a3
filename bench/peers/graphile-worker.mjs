// graphile-worker with its local queue and completions in batches. Argument: { url, warmUpUrl, items, claim, settle, isLoad, isGrouped }.
import { setTimeout as delay } from "node:timers/promises";
import { Logger, makeWorkerUtils, runOnce } from "graphile-worker";
import pg from "pg";
import { runAsMember } from "../process-group.ts";
import { INSERT_RESULTS, resultColumns } from "../result-rows.ts";
import { payloads } from "./payloads.mjs";

const { url, warmUpUrl, items, claim, settle, isLoad, isGrouped } = JSON.parse(process.argv[2]);
const POOL = 12;
const logger = new Logger(() => (level, message) => level === "error" && console.error(message));

if (isLoad) {
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  for (const some of payloads(items))
    await utils.addJobs(some.map((payload) => ({ identifier: "keep", payload })));
  console.log(JSON.stringify({ items }));
  process.exit(0);
}

const openPool = async (connectionString) => {
  const pool = new pg.Pool({ connectionString, max: POOL });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  await Promise.all(Array.from({ length: POOL }, () => pool.query("SELECT pg_sleep(0.01)")));
  return pool;
};

const workOff = async (pool) => {
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
    next ??= delay(1).then(() => {
      const some = waiting;
      [waiting, next] = [[], undefined];
      return keep(some);
    });
    return next;
  };
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
};

await workOff(await openPool(warmUpUrl));
const pool = await openPool(url);
await runAsMember(() => workOff(pool));
process.exit(0);
