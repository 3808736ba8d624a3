import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import { Service } from "../../test/e2e/service-process.ts";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { smallJob } from "../large-ledger.ts";
import { runChild } from "../run-child.ts";
import { runScript } from "../run-job.ts";
import type { ItemsRun, ItemsTask } from "../runs/ask-items.ts";
import type { StatusRun, StatusTask } from "../runs/ask-status.ts";
import type { FillTask } from "../runs/fill-ledger.ts";
import { spreadOf } from "../spread.ts";

const SIZE = { items: 1_000_000, jobs: 100 };
const CONNECTIONS = 16;

const QUERIES: ItemsTask["queries"] = [
  // First, because the leases of its items end after a while.
  { job: "large", query: "state=leased" },
  { job: "large", query: "limit=100" },
  ...["queued", "waiting", "done", "absent", "failed", "skipped"].map((state) => ({
    job: "large",
    query: `state=${state}`,
  })),
  { job: "large", query: "kind=timeout" },
  { job: "large", query: "state=done&state=failed" },
  { job: "rare", query: "state=done" },
  { job: "failing", query: "state=failed" },
  { job: "failing", query: "kind=timeout" },
  { job: "failing", query: "kind=blocked" },
  { job: "failing", query: "state=failed&scraper=bench" },
];

/** A real server with a full ledger, queried by another process. */
export const measureApi = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> =>
  await kit.inFolder(async (folder) => {
    await using service = new Service(folder);
    const task: FillTask = { data: service.data, ...SIZE };
    await runChild(runScript("fill-ledger.ts"), task, { timeoutMs: 3_600_000 });
    await service.serve();
    const { pid } = service.controller.child;
    process.once("exit", () => service.controller.child.kill());
    const isHeld = holdToOneCore(pid!);
    const { url: server, key } = service;
    const jobs = Array.from({ length: SIZE.jobs }, (_, n) => smallJob(n));
    const ask = { server, key, pid: pid!, jobs, items: SIZE.items / 10, connections: CONNECTIONS };
    const status: StatusRun[] = [];
    const pages: ItemsRun[] = [];
    for (let round = 0; round < rounds; round++) {
      status.push(await runChild<StatusRun>(runScript("ask-status.ts"), ask satisfies StatusTask));
      await holdSome(service.data, "large");
      const list: ItemsTask = { server, pid: pid!, key, items: SIZE.items, queries: QUERIES };
      pages.push(await runChild<ItemsRun>(runScript("ask-items.ts"), list));
    }
    return [statusFigure(status, isHeld), pagesFigure(pages)];
  });

const statusFigure = (runs: readonly StatusRun[], isHeld: boolean): Figure => ({
  figure: "job status over the API",
  value: spreadOf(runs.map(({ perSecond }) => perSecond)).median,
  unit: "requests/s",
  goal: { atLeast: 2_000 },
  rounds: runs.length,
  from: {
    jobs: SIZE.jobs,
    itemsAJob: SIZE.items / 10,
    connections: CONNECTIONS,
    isHeldToOneCore: isHeld,
    perSecond: spreadOf(runs.map(({ perSecond }) => perSecond)),
    perCpuSecond: spreadOf(runs.map(({ perCpuSecond }) => perCpuSecond)),
  },
  note: `one server process on one core, asked over ${CONNECTIONS} connections by another that shares the machine`,
});

const pagesFigure = (runs: readonly ItemsRun[]): Figure => {
  const names = Object.keys(runs[0]!.p99Ms);
  const empty = names.filter((name) => runs.some(({ listed }) => listed[name] === 0));
  if (empty.length > 0) throw new Error(`nothing was listed: ${empty.join("; ")}`);
  const spreads = (of: (run: ItemsRun) => ItemsRun["p99Ms"]) =>
    Object.fromEntries(names.map((name) => [name, spreadOf(runs.map((run) => of(run)[name]!))]));
  const p99Ms = spreads((run) => run.p99Ms);
  return {
    figure: "a page of items over the API, at 1,000,000 items",
    value: Math.max(...Object.values(p99Ms).map(({ median }) => median)),
    unit: "ms",
    goal: { atMost: 50 },
    rounds: runs.length,
    from: { p99Ms, serverCpuMs: spreads((run) => run.cpuMs), listed: runs[0]!.listed },
    note: "the slowest query's 99th percentile; each asks for pages of 100 at the first place, near the last, and at 298 between",
  };
};

/** False if the system cannot do it. Then helper threads may use other cores. */
const holdToOneCore = (pid: number): boolean =>
  spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", "0", String(pid)]).status === 0;

/** Leased items, while the lease of a worker that never returns lasts. */
const holdSome = async (data: string, job: string): Promise<void> => {
  const ledger = await openSqlite(join(data, "sluice.db"));
  await ledger.claim({ worker: `bench-${Date.now()}`, room: 1_000, inFlight: new Map(), jobs: [job] });
  await ledger.close();
};
