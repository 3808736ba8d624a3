import { noPostgres, PostgresServer } from "../../test/kits/postgres.ts";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { installPeers } from "../peers-folder.ts";
import {
  CONTENDER_NAMES,
  type ContenderName,
  type ContenderRun,
  inDatabase,
  loadJob,
  runContender,
} from "../postgres-contenders.ts";
import { rowFigures, type RowFigures } from "../../test/kits/postgres-rows.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { ClaimsRun, ClaimsTask } from "../runs/postgres-claims.ts";
import { startSlowRelay } from "../slow-relay.ts";
import { rounded, spreadOf } from "../spread.ts";

const FEW = 20_000;
const MANY = 1_000_000;
/** Items of a claim, and how many claims are measured: those of a round must not empty the small job. */
const CLAIMS = [
  { room: 10, claims: 200 },
  { room: 200, claims: 50 },
];
const TRIP_MS = 1;

/** Claims and settles on PostgreSQL by four processes, compared with a raw loop and with other queues; then single claims, and what writes leave behind. */
export const measurePostgres = async (_kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  if (noPostgres) {
    console.error(`bench: postgres is left out: ${noPostgres}`);
    return [];
  }
  await installPeers();
  await using server = await PostgresServer.start({ settings: { fsync: "on", full_page_writes: "on" } });
  return [...(await measureQueues(server, rounds)), ...(await measureClaims(server, rounds))];
};

const measureQueues = async (server: PostgresServer, rounds: number): Promise<Figure[]> => {
  const runs = Object.fromEntries(CONTENDER_NAMES.map((name) => [name, []])) as unknown as Record<
    ContenderName,
    ContenderRun[]
  >;
  const left: RowFigures[] = [];
  for (let round = 0; round < rounds; round++) {
    const turns = round % 2 === 0 ? CONTENDER_NAMES : CONTENDER_NAMES.toReversed();
    for (const name of turns) {
      const look = name === "sluice" ? (database: string) => rowFigures(server, database) : undefined;
      const { run, seen } = await runContender(server, name, look);
      console.error(`bench: ${name} ${Math.round(run.perSecond)} items/s, ${rounded(run.cpu)} CPU-s/1k`);
      runs[name].push(run);
      if (seen) left.push(seen);
    }
  }
  const of = (name: ContenderName, value: keyof ContenderRun) =>
    spreadOf(runs[name].map((run) => run[value]));
  const shown = (name: ContenderName) => ({
    itemsPerSecond: of(name, "perSecond"),
    cpuSecondsPer1000: of(name, "cpu"),
    server: of(name, "serverCpu"),
    clients: of(name, "clientCpu"),
  });
  const against = (name: ContenderName) =>
    rounded(of("sluice", "perSecond").median / of(name, "perSecond").median);
  const from = (other: ContenderName) => ({ sluice: shown("sluice"), [other]: shown(other) });
  const graphile = (["graphileWorker", "graphileWorkerInGroups"] as const).toSorted(
    (a, b) => of(b, "perSecond").median - of(a, "perSecond").median,
  );
  const worst = (value: (one: RowFigures) => number, pick: (...all: number[]) => number): number =>
    rounded(pick(...left.map(value)));
  return [
    {
      figure: "PostgreSQL: CPU time of 1,000 items",
      value: of("sluice", "cpu").median,
      unit: "CPU-s",
      goal: { atMost: 0.06 },
      rounds,
      from: { sluice: shown("sluice") },
      note: "server and clients; four processes, claims of 200 and settles of 500, each item with a result of about 600 bytes; fsync on, commits of settles synced",
    },
    {
      figure: "PostgreSQL: claim + settle",
      value: of("sluice", "perSecond").median,
      unit: "items/s",
      goal: { atLeast: 20_000 },
      rounds,
      from: { sluice: shown("sluice") },
      note: "the same runs",
    },
    {
      figure: "PostgreSQL: claim + settle ÷ raw loop",
      value: against("raw"),
      unit: "ratio",
      goal: { atLeast: 0.5 },
      rounds,
      from: from("raw"),
      note: "a cursor, an update by unnest and the same result rows, in the same batches with the same syncs; no lanes, leases or tallies",
    },
    {
      figure: "PostgreSQL: claim + settle ÷ pg-boss",
      value: against("pgBoss"),
      unit: "ratio",
      goal: { atLeast: 1 },
      rounds,
      from: from("pgBoss"),
      note: "the same batches, and the same result rows in the transaction that completes them",
    },
    {
      figure: "PostgreSQL: claim + settle ÷ graphile-worker",
      value: against(graphile[0]!),
      unit: "ratio",
      goal: { atLeast: 1 },
      rounds,
      from: { ...from(graphile[0]!), [graphile[1]!]: shown(graphile[1]!) },
      note: "local queue and completions in batches; a result row a job, written by each job itself or in groups: the faster one counts",
    },
    {
      figure: "PostgreSQL: dead rows after 100,000 items",
      value: worst(({ deadShare }) => deadShare, Math.max),
      unit: "share",
      goal: { atMost: 0.01 },
      rounds,
      from: { tables: left.at(-1)!.tables },
      note: "of items and results, whichever has more",
    },
    {
      figure: "PostgreSQL: HOT updates after 100,000 items",
      value: worst(({ hotShare }) => hotShare, Math.min),
      unit: "share",
      goal: { atLeast: 0.95 },
      rounds,
      from: { tables: left.at(-1)!.tables },
      note: "of lanes, queues, jobs and workers, whichever has fewer",
    },
  ];
};

const measureClaims = async (server: PostgresServer, rounds: number): Promise<Figure[]> => {
  const fill = (items: number) => (database: string) => loadJob(server.url(database), items);
  const claim = (urls: readonly string[], which: (typeof CLAIMS)[number]): Promise<ClaimsRun> =>
    runChild<ClaimsRun>(runScript("postgres-claims.ts"), { urls, ...which } satisfies ClaimsTask);
  const flat: Record<string, number[]> = {};
  const slow: Record<string, number[]> = {};
  const keep = (into: Record<string, number[]>, name: string, value: number): void =>
    void (into[name] ??= []).push(value);
  await inDatabase(server, fill(MANY), async (many) => {
    for (let round = 0; round < rounds; round++)
      await inDatabase(server, fill(FEW), async (few) => {
        await using relay = await startSlowRelay(server.port, TRIP_MS);
        const slowUrl = new URL(server.url(many));
        slowUrl.port = String(relay.port);
        for (const which of CLAIMS) {
          const { ms } = await claim([server.url(few), server.url(many)], which);
          keep(flat, `few${which.room}`, ms[0]!);
          keep(flat, `many${which.room}`, ms[1]!);
          keep(flat, `ratio${which.room}`, ms[1]! / ms[0]!);
          keep(slow, `ms${which.room}`, (await claim([slowUrl.href], which)).ms[0]!);
        }
      });
  });
  const spreads = (all: Readonly<Record<string, number[]>>) =>
    Object.fromEntries(Object.entries(all).map(([name, values]) => [name, spreadOf(values)]));
  const largest = (all: Readonly<Record<string, number[]>>, prefix: string): number =>
    Math.max(...CLAIMS.map(({ room }) => spreadOf(all[`${prefix}${room}`]!).median));
  return [
    {
      figure: "PostgreSQL: claim at 1,000,000 ÷ at 20,000 items",
      value: largest(flat, "ratio"),
      unit: "ratio",
      goal: { atMost: 1.5 },
      rounds,
      from: { medianMs: spreads(flat) },
      note: "cost ÷ cost: less is better; claims of 10 and of 200 items, the larger ratio counts; in turns on two databases",
    },
    {
      figure: "PostgreSQL: claim with 1 ms more per round trip",
      value: largest(slow, "ms"),
      unit: "ms",
      goal: { atMost: 10 },
      rounds,
      from: { medianMs: spreads(slow) },
      note: "through a relay that delays what the client sends; claims of 10 and of 200 at 1,000,000 items, the slower ones count",
    },
  ];
};
