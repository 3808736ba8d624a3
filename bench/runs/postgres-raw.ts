/** The limit: a cursor, an update of the items and their result rows, without lanes, leases, turns or tallies. */
import { Client } from "pg";
import type { PostgresTask } from "../postgres-contenders.ts";
import { runAsMember } from "../process-group.ts";
import { INSERT_RESULTS, resultColumns, type ResultOf } from "../result-rows.ts";

const MOVE = "UPDATE cursor SET at = at + $1::bigint RETURNING at - $1::bigint";
const TAKE =
  "SELECT queue, seq, key, input, scraper FROM items WHERE queue = 1 AND seq > $1 ORDER BY seq LIMIT $2";
const END =
  "UPDATE items i SET state = 1 FROM unnest($1::bigint[], $2::bigint[]) e(queue, seq) WHERE i.queue = e.queue AND i.seq = e.seq";

const { url, warmUpUrl, claim, settle } = JSON.parse(process.argv[2]!) as PostgresTask;
const worker = `bench-${process.pid}`;

const connect = async (connectionString: string): Promise<Client> => {
  const client = new Client({ connectionString, pipeline: true });
  await client.connect();
  await client.query("SET synchronous_commit = off; SET plan_cache_mode = force_generic_plan");
  return client;
};

const workOff = async (client: Client): Promise<number> => {
  const run = async (name: string, text: string, values: unknown[]): Promise<unknown[][]> =>
    (await client.query<unknown[]>({ name, text, values, rowMode: "array" })).rows;
  let settled = 0;
  let taken: ResultOf[] = [];
  for (;;) {
    const [moved] = await run("move", MOVE, [claim]);
    const items = await run("take", TAKE, [moved![0], claim]);
    for (const [queue, seq, key] of items)
      taken.push({ queue: Number(queue), seq: Number(seq), key: key as string });
    if (items.length === 0 && taken.length === 0) return settled;
    if (taken.length < settle && items.length > 0) continue;
    const batch = taken.slice(0, settle);
    taken = taken.slice(settle);
    const columns = resultColumns(batch, worker);
    await Promise.all([
      client.query("BEGIN; SET LOCAL synchronous_commit = on"),
      run("end", END, columns.slice(0, 2)),
      run("insert", INSERT_RESULTS, columns),
      client.query("COMMIT"),
    ]);
    settled += batch.length;
  }
};

const warmUp = await connect(warmUpUrl);
await workOff(warmUp);
await warmUp.end();
const client = await connect(url);
await runAsMember(() => workOff(client));
await client.end();
process.exit(0);
