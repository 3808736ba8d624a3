// pg-boss: fetches and completes in the batches of the others, the results in the same transaction. Argument: { url, warmUpUrl, items, claim, settle, isLoad }.
import pg from "pg";
import { PgBoss } from "pg-boss";
import { runAsMember } from "../process-group.ts";
import { INSERT_RESULTS, resultColumns } from "../result-rows.ts";
import { payloads } from "./payloads.mjs";

const { url, warmUpUrl, items, claim, settle, isLoad } = JSON.parse(process.argv[2]);
const QUEUE = "bench";

const open = async (connectionString) => {
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false });
  boss.on("error", (error) => {
    throw error;
  });
  await boss.start();
  const client = new pg.Client({ connectionString });
  await client.connect();
  return { boss, client };
};

const workOff = async ({ boss, client }) => {
  const db = { executeSql: (text, values) => client.query(text, values) };
  let settled = 0;
  let taken = [];
  for (;;) {
    const jobs = await boss.fetch(QUEUE, { batchSize: claim });
    taken.push(...jobs);
    if (jobs.length === 0 && taken.length === 0) return settled;
    if (taken.length < settle && jobs.length > 0) continue;
    const batch = taken.slice(0, settle);
    taken = taken.slice(settle);
    await client.query("BEGIN");
    const rows = batch.map(({ data }) => data);
    await client.query({ name: "insert", text: INSERT_RESULTS, values: resultColumns(rows, "bench") });
    await boss.complete(
      QUEUE,
      batch.map(({ id }) => id),
      null,
      { db },
    );
    await client.query("COMMIT");
    settled += batch.length;
  }
};

if (isLoad) {
  const { boss } = await open(url);
  await boss.createQueue(QUEUE);
  for (const some of payloads(items))
    await boss.insert(
      QUEUE,
      some.map((data) => ({ data })),
    );
  console.log(JSON.stringify({ items }));
} else {
  await workOff(await open(warmUpUrl));
  const opened = await open(url);
  await runAsMember(() => workOff(opened));
}
process.exit(0);
