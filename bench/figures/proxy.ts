import { join } from "node:path";
import { startProxyProcess } from "../../test/proxies/proxy-process.ts";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";
import { runJob } from "../run-job.ts";
import { rounded, spreadOf } from "../spread.ts";

const PAGES = 20_000;

/** The same job directly and through a proxy of another process, in turns. */
export const measureProxy = async (kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const { origin, server } = await kit.site();
  await using proxy = await startProxyProcess();
  const scraper = join(import.meta.dirname, "../scrapers/property.ts");
  const ways = {
    direct: {},
    proxied: {
      BENCH_PROXIES: "loop",
      SLUICE_PROXIES: JSON.stringify({ tiers: { loop: { url: proxy.url, price: { perGB: 1 } } } }),
    },
  };
  const cpuMs = { direct: [] as number[], proxied: [] as number[] };
  for (let round = 0; round < rounds; round++)
    for (const way of ["direct", "proxied"] as const) {
      const { cpuSeconds } = await kit.inFolder((folder) =>
        runJob({ folder, origin, scraper, items: PAGES, env: ways[way] }),
      );
      cpuMs[way].push((1000 * cpuSeconds) / PAGES);
    }
  const [direct, proxied] = [spreadOf(cpuMs.direct), spreadOf(cpuMs.proxied)];
  return [
    {
      figure: "CPU of a page through a proxy ÷ directly",
      value: rounded(proxied.median / direct.median),
      unit: "ratio",
      goal: { atMost: 1.25 },
      rounds,
      from: { cpuMsPerPage: { direct, proxied }, site: { server } },
      note: "Sluice's own CPU time; the proxy runs in another process and is not counted",
    },
  ];
};
