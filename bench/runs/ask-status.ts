/** Asks a server for the status of many jobs, over several connections at once. Returns how many were answered. */
import { Pool } from "undici";
import { cpuSeconds } from "../process-usage.ts";

export interface StatusTask {
  readonly server: string;
  readonly pid: number;
  readonly key: string;
  readonly jobs: readonly string[];
  readonly items: number;
  readonly connections: number;
}

export interface StatusRun {
  readonly perSecond: number;
  /** CPU time of the server, all threads included. */
  readonly perCpuSecond: number;
}

const WARM_UP_MS = 2_000;
const MEASURED_MS = 10_000;

const { server, pid, key, jobs, items, connections } = JSON.parse(process.argv[2]!) as StatusTask;
const pool = new Pool(server, { connections });
const headers = { authorization: `Bearer ${key}` };
let asked = 0;

const ask = async (): Promise<void> => {
  const job = jobs[asked++ % jobs.length]!;
  const { statusCode, body } = await pool.request({ method: "GET", path: `/v1/jobs/${job}`, headers });
  const text = await body.text();
  // Read as text: the client must not be what is measured.
  if (statusCode !== 200 || !text.startsWith(`{"id":"${job}"`) || !text.includes(`"accepted":${items},`))
    throw new Error(`${job}: ${statusCode} ${text.slice(0, 500)}`);
};

const askFor = async (ms: number): Promise<number> => {
  const until = performance.now() + ms;
  let told = 0;
  const loop = async (): Promise<void> => {
    for (; performance.now() < until; told++) await ask();
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return told;
};

await askFor(WARM_UP_MS);
const [startedAt, cpuBefore] = [performance.now(), cpuSeconds(pid)];
const told = await askFor(MEASURED_MS);
const run: StatusRun = {
  perSecond: told / ((performance.now() - startedAt) / 1_000),
  perCpuSecond: told / (cpuSeconds(pid) - cpuBefore),
};
await pool.close();
console.log(JSON.stringify(run));
