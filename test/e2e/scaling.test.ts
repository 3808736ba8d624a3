import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage } from "../../src/compose.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-scaling-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const paths = (count: number): string[] => Array.from({ length: count }, (_, n) => `/${n}`);

const submit = async (site: LoopbackSite, data: string, count: number): Promise<void> => {
  const input = site.writeUrls(join(folder, "urls.txt"), paths(count));
  const { code, stderr } = await sluice(["submit", "page", "--input", input, "--data", data]);
  assert.equal(code, 0, stderr);
};

const items = async (data: string) => {
  await using storage = await openStorage(data);
  const [job] = await storage.ledger.listJobs();
  const { items: found } = await storage.ledger.listItems(job!.spec.id, { limit: 100 });
  return { state: job!.state, items: found };
};

const useful = async (data: string): Promise<number> => {
  const { stdout, stderr } = await sluice(["scale", "--json", "--data", data]);
  assert.match(stdout, /^\{"workers":/, stderr);
  return (JSON.parse(stdout) as { workers: number }).workers;
};

test("SIGTERM to all workers at once: slow items go back without an attempt, and nothing is lost", async () => {
  await using site = await LoopbackSite.open();
  const data = join(folder, "drain");
  await submit(site, data, 10);
  const workers = [1, 2, 3].map(() => new SluiceProcess(["worker", "--data", data, "--drain", "15s"]));
  await site.arrivals(2);
  site.isAnswering = false;
  const answered = site.arrived.length;
  await site.arrivals(answered + 3);
  for (const { child } of workers) child.kill("SIGTERM");
  for (const { ended } of workers) {
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
  }
  const { items: stopped } = await items(data);
  const done = stopped.filter(({ state }) => state === "done");
  assert.equal(done.length, answered);
  assert.ok(
    stopped.every(({ state, attempts }) =>
      state === "done" ? attempts === 1 : state === "queued" && attempts === 0,
    ),
  );

  site.isAnswering = true;
  const last = new SluiceProcess(["worker", "--data", data]);
  while ((await items(data)).state !== "done") await delay(100);
  last.child.kill("SIGTERM");
  assert.equal((await last.ended).code, 0);
  assert.ok((await items(data)).items.every(({ state, attempts }) => state === "done" && attempts === 1));
});

test("a supervisor follows the backlog from no process to several, and back", async () => {
  await using site = await LoopbackSite.open();
  site.isAnswering = false;
  const data = join(folder, "follow");
  const supervisor = new SluiceProcess([
    "worker",
    "--data",
    data,
    "--min",
    "0",
    "--max",
    "2",
    "--concurrency",
    "1",
  ]);
  const until = async (count: number): Promise<void> => {
    while (supervisor.family().length - 1 !== count) await delay(50);
  };
  await supervisor.says(/with 0 to 2 processes/);
  await until(0);
  await submit(site, data, 6);
  await until(2);
  site.isAnswering = true;
  while ((await items(data)).state !== "done") await delay(100);
  assert.equal(await useful(data), 0);
  await until(0);
  supervisor.child.kill("SIGTERM");
  assert.equal((await supervisor.ended).code, 0);
  assert.ok((await items(data)).items.every(({ attempts }) => attempts === 1));
});

test("bounds that exclude each other are refused", async () => {
  for (const [args, says] of [
    [["--min", "3", "--max", "2"], /--min 3 is more than --max 2/],
    [["--processes", "2", "--max", "2"], /--processes/],
    [["--min", "-1"], /from 0 to 64/],
  ] as const) {
    const { code, stderr } = await sluice(["worker", "--data", join(folder, "none"), ...args]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
  }
});
