import { openPostgres } from "../src/backends/postgres/open.ts";
import type { PostgresServer } from "../test/kits/postgres.ts";
import { peerScript } from "./peers-folder.ts";
import { type GroupRun, runGroup } from "./process-group.ts";
import { treeUsage } from "./process-usage.ts";
import { queueItems, queueJob } from "./queue-job.ts";
import { CREATE_RESULTS } from "./result-rows.ts";
import { runChild } from "./run-child.ts";
import { runScript } from "./run-job.ts";

export interface PostgresTask {
  readonly url: string;
  /** A database of the same kind with fewer items. Each process works on it first, so that no compiler is measured. */
  readonly warmUpUrl: string;
  /** Items of a claim, and of a settle. */
  readonly claim: number;
  readonly settle: number;
}

const CLAIM = 200;
const SETTLE = 500;
const PROCESSES = 4;
/**
 * Items to warm up with, of those that are measured. With 0.4, a fifth of Sluice's CPU time was still that of the compiler and of code that it had not
 * reached yet.
 */
const WARM_UP = 1;
const ADD = 10_000;

/** A program that works through a queue, each item with a result row of about 600 bytes. */
interface Contender {
  readonly script: string;
  readonly items: number;
  readonly load: (server: PostgresServer, database: string, items: number) => Promise<unknown>;
  /** What only this one is told. */
  readonly options?: object;
}

export const loadJob = async (url: string, items: number): Promise<void> => {
  const ledger = await openPostgres(url);
  await ledger.createJob(queueJob("bench"));
  for (let from = 0; from < items; from += ADD)
    await ledger.addItems("bench", queueItems(from, Math.min(items, from + ADD)), []);
  await ledger.sealJob("bench");
  await ledger.close();
};

const loadRaw = (server: PostgresServer, database: string, items: number): Promise<unknown> =>
  server.query(
    `${CREATE_RESULTS};
    CREATE TABLE items (queue bigint NOT NULL, seq bigint NOT NULL, key text NOT NULL, input text NOT NULL, scraper bigint NOT NULL,
      state smallint NOT NULL, PRIMARY KEY (queue, seq));
    CREATE TABLE cursor (at bigint NOT NULL) WITH (fillfactor = 50);
    INSERT INTO cursor VALUES (0);
    INSERT INTO items SELECT 1, n, 'https://bench.example/parcel/' || n, '{"url":"https://bench.example/parcel/' || n || '"}', 0, 0
      FROM generate_series(1, ${items}) n`,
    database,
  );

const loadPeer =
  (script: string) =>
  async (server: PostgresServer, database: string, items: number): Promise<unknown> => {
    await server.query(CREATE_RESULTS, database);
    return await runChild(peerScript(script), { url: server.url(database), items, isLoad: true });
  };

/** The slower ones get fewer items, for about as long. */
const CONTENDERS = {
  sluice: {
    script: runScript("postgres-worker.ts"),
    items: 100_000,
    load: (server, database, items) => loadJob(server.url(database), items),
  },
  raw: { script: runScript("postgres-raw.ts"), items: 100_000, load: loadRaw },
  pgBoss: { script: peerScript("pg-boss.mjs"), items: 40_000, load: loadPeer("pg-boss.mjs") },
  graphileWorker: {
    script: peerScript("graphile-worker.mjs"),
    items: 6_000,
    load: loadPeer("graphile-worker.mjs"),
  },
  graphileWorkerInGroups: {
    script: peerScript("graphile-worker.mjs"),
    items: 40_000,
    load: loadPeer("graphile-worker.mjs"),
    options: { isGrouped: true },
  },
} satisfies Record<string, Contender>;

export type ContenderName = keyof typeof CONTENDERS;
export const CONTENDER_NAMES = Object.keys(CONTENDERS) as ContenderName[];

export interface ContenderRun {
  readonly perSecond: number;
  /** CPU seconds for a thousand items. */
  readonly cpu: number;
  readonly serverCpu: number;
  readonly clientCpu: number;
}

/** A new database, filled, on disk and known to the planner; dropped when `work` has ended. */
export const inDatabase = async <T>(
  server: PostgresServer,
  load: (database: string) => Promise<unknown>,
  work: (database: string) => Promise<T>,
): Promise<T> => {
  const database = `bench${++databases}`;
  await server.query(`CREATE DATABASE ${database}`);
  await load(database);
  await server.query("ANALYZE", database);
  await server.query("CHECKPOINT");
  const result = await work(database);
  await server.query(`DROP DATABASE ${database} WITH (FORCE)`);
  return result;
};
let databases = 0;

/** Four processes work through all items. `look` may ask the database afterwards. */
export const runContender = async <T>(
  server: PostgresServer,
  name: ContenderName,
  look?: (database: string) => Promise<T>,
): Promise<{ readonly run: ContenderRun; readonly seen: T | undefined }> => {
  const { script, items, load, options }: Contender = CONTENDERS[name];
  const pid = await server.pid();
  const fill = (count: number) => (database: string) => load(server, database, count);
  return await inDatabase(server, fill(items * WARM_UP), (warmUp) =>
    inDatabase(server, fill(items), async (database) => {
      const urls = { url: server.url(database), warmUpUrl: server.url(warmUp) };
      const task: PostgresTask = { ...urls, claim: CLAIM, settle: SETTLE, ...options };
      const group = await runGroup(script, task, PROCESSES, () => treeUsage(pid).cpuSeconds);
      const [kept] = await server.query<{ count: string }>("SELECT count(*) FROM results", database);
      if (group.items !== items || Number(kept!.count) !== items)
        throw new Error(`${name}: ${group.items} of ${items} items done, ${kept!.count} results`);
      return { run: perItem(group), seen: await look?.(database) };
    }),
  );
};

const perItem = ({ items, seconds, clientCpu, serverCpu }: GroupRun): ContenderRun => {
  const thousands = items / 1_000;
  return {
    perSecond: items / seconds,
    cpu: (clientCpu + serverCpu) / thousands,
    serverCpu: serverCpu / thousands,
    clientCpu: clientCpu / thousands,
  };
};
