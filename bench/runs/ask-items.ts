/** Pages of items over the API, each query from the job's first place, its last, and many between. Returns how long they took. */
import { Pool } from "undici";
import { toCursor } from "../../src/api/answers.ts";
import { seededRandom } from "../../src/domain/testing/seeded-random.ts";
import { cpuSeconds } from "../process-usage.ts";
import { percentile } from "../spread.ts";

export interface ItemsTask {
  readonly server: string;
  readonly pid: number;
  readonly key: string;
  readonly items: number;
  /** What to list: a job, and the query without its cursor. */
  readonly queries: readonly { readonly job: string; readonly query: string }[];
}

export interface ItemsRun {
  /** By job and query. */
  readonly p99Ms: Readonly<Record<string, number>>;
  /** The server's CPU time per page, which does not depend on other load. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Number of listed items, so that an empty list does not pass as a fast one. */
  readonly listed: Readonly<Record<string, number>>;
}

const PAGES = 300;

interface Page {
  readonly data: readonly { readonly id: string }[];
}

const { server, pid, key, items, queries } = JSON.parse(process.argv[2]!) as ItemsTask;
const pool = new Pool(server, { connections: 1 });
const headers = { authorization: `Bearer ${key}` };
const random = seededRandom(7);

const list = async (job: string, query: string, cursor: string): Promise<Page> => {
  const path = `/v1/jobs/${job}/items?${query}${cursor && `&cursor=${cursor}`}`;
  const { statusCode, body } = await pool.request({ method: "GET", path, headers });
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${await body.text()}`);
  return (await body.json()) as Page;
};

/** Each job of the bench has one queue, which the ids of its items begin with. */
const queueOf = async (job: string): Promise<number> =>
  Number.parseInt((await list(job, "limit=1", "")).data[0]!.id, 10);

const p99Ms: Record<string, number> = {};
const cpuMs: Record<string, number> = {};
const listed: Record<string, number> = {};
for (const { job, query } of queries) {
  const name = `${job}: ${query}`;
  const queue = await queueOf(job);
  const places = [0, items - 1_000, ...Array.from({ length: PAGES - 2 }, () => Math.floor(random() * items))];
  const times: number[] = [];
  const cpuBefore = cpuSeconds(pid);
  listed[name] = 0;
  for (const seq of places) {
    const startedAt = performance.now();
    const { data } = await list(job, query, seq === 0 ? "" : toCursor({ queue, seq }));
    times.push(performance.now() - startedAt);
    listed[name] += data.length;
  }
  cpuMs[name] = ((cpuSeconds(pid) - cpuBefore) * 1_000) / places.length;
  p99Ms[name] = percentile(times, 0.99);
}
await pool.close();
console.log(JSON.stringify({ p99Ms, cpuMs, listed } satisfies ItemsRun));
