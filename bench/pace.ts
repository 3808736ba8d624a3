/**
 * How exactly a lane's pace is kept, counted at the site: 20 hosts at 10 requests a second each, two worker processes, three hops
 * per item; undisturbed, with a worker killed half-way, and with one stopped for five seconds. One JSON line each.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readLines, startSite } from "../test/e2e/county-process.ts";
import { childrenOf, SluiceProcess } from "../test/e2e/sluice-process.ts";

const HOSTS = 20;
const PER_SECOND = 10;
const HOPS = 3;
const STEADY_S = 60;
/** Before and after the steady part: the first claims, the last items. */
const EDGE_S = 3;

const SCRAPER = `
import { defineScraper } from "sluice-jobs";
import { z } from "zod";
export default defineScraper({
  name: "three-hops",
  input: z.object({ url: z.string() }),
  key: ({ url }) => url,
  pace: { perSecond: ${PER_SECOND}, burst: 1, concurrency: 8 },
  async collect({ input, http, keep }) {
    for (let hop = 1; hop < ${HOPS}; hop++) await http.get(input.url + "&hop=" + hop);
    keep.page("page", await http.get(input.url));
  },
});
`;

type Disturbance = "none" | "kill" | "stop";

const disturb = async (kind: Disturbance, parent: number): Promise<void> => {
  const victim = childrenOf(parent)[0];
  if (kind === "none" || victim === undefined) return;
  if (kind === "kill") process.kill(victim, "SIGKILL");
  else {
    process.kill(victim, "SIGSTOP");
    await delay(5000);
    process.kill(victim, "SIGCONT");
  }
};

const measure = async (kind: Disturbance): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-pace-"));
  try {
    const log = join(folder, "site.log");
    const site = await startSite(["--hosts", `${HOSTS}`, "--log", log]);
    const items = Math.ceil(((STEADY_S + 4 * EDGE_S) * PER_SECOND) / HOPS);
    const urls = Array.from({ length: items }, (_, n) =>
      site.urls.map((url) => `${url}/search?n=${n}`),
    ).flat();
    writeFileSync(join(folder, "urls.txt"), urls.join("\n"));
    writeFileSync(join(folder, "three-hops.ts"), SCRAPER);
    const args = ["run", join(folder, "three-hops.ts"), "--input", join(folder, "urls.txt")];
    const run = new SluiceProcess([...args, "--data", join(folder, "data"), "--processes", "2", "--quiet"]);
    await delay((STEADY_S / 2 + EDGE_S) * 1000);
    await disturb(kind, run.child.pid!);
    await delay((STEADY_S / 2 + EDGE_S) * 1000);
    run.child.kill("SIGTERM");
    await run.ended;
    await site[Symbol.asyncDispose]();
    console.log(JSON.stringify({ figure: "pace", disturbance: kind, ...analyse(log) }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const analyse = (log: string) => {
  const byHost = new Map<string, number[]>();
  for (const { at, host } of readLines<{ at: number; host: string }>(log))
    byHost.set(host, [...(byHost.get(host) ?? []), at]);
  const first = Math.min(...[...byHost.values()].map((times) => times[0]!));
  const [from, to] = [first + EDGE_S * 1000, first + (EDGE_S + STEADY_S) * 1000];
  const hosts = [...byHost.values()].map((times) => ({
    most: mostInOneSecond(times),
    share: times.filter((at) => at >= from && at < to).length / (STEADY_S * PER_SECOND),
  }));
  return {
    hosts: hosts.length,
    mostInAnySecond: Math.max(...hosts.map(({ most }) => most)),
    allowed: PER_SECOND + 1,
    lowestShare: round(Math.min(...hosts.map(({ share }) => share))),
    meanShare: round(hosts.reduce((sum, { share }) => sum + share, 0) / hosts.length),
  };
};

/** The window may begin with any request. */
const mostInOneSecond = (times: readonly number[]): number => {
  let most = 0;
  for (let start = 0, end = 0; start < times.length; start++) {
    while (end < times.length && times[end]! < times[start]! + 1000) end++;
    most = Math.max(most, end - start);
  }
  return most;
};

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

const wanted = process.argv.slice(2) as Disturbance[];
for (const kind of wanted.length > 0 ? wanted : (["none", "kill", "stop"] as const)) await measure(kind);
