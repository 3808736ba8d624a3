import { simulateCanary } from "../../src/domain/testing/simulate-canary.ts";
import { openStoredJob } from "../../src/reextract/testing/stored-job.ts";
import { packBundle } from "../../src/scrapers/bundle.ts";
import { loadScraper } from "../../src/scrapers/load-scraper.ts";
import { makeBundle } from "../../src/scrapers/make-bundle.ts";
import { deployScraper } from "../../src/services/deployments.ts";
import { gateVersion } from "../../src/services/gate.ts";
import { openCatalog } from "../../src/services/scraper-catalog.ts";
import { activateVersion } from "../../src/services/versions.ts";
import type { BenchKit } from "../bench-kit.ts";
import type { BenchOptions } from "../bench-options.ts";
import type { Figure } from "../figure.ts";

const RUNS = 1000;
const PAGES = 500;
const FIELDS = 10;

/** How new versions of scrapers are judged: canaries that are simulated, and stored pages that are read with two versions. */
export const measureVersions = async (_kit: BenchKit, { rounds }: BenchOptions): Promise<Figure[]> => {
  const runs = (badShare: number) =>
    Array.from({ length: RUNS }, (_, run) => simulateCanary({ seed: run + 1, badShare }));
  const good = runs(0.02).filter(({ verdict }) => verdict === "bad").length;
  const bad = runs(0.3);
  const items = bad.map((run) => run.items).toSorted((a, b) => a - b);
  const gates: { readonly seconds: number; readonly cpuSeconds: number }[] = [];
  for (let round = 0; round < rounds; round++) gates.push(await judgePages());
  const middle = gates.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(rounds / 2)]!;
  return [
    {
      figure: "canary: good versions rolled back",
      value: good / RUNS,
      unit: "share",
      goal: { atMost: 0.01 },
      rounds: 1,
      from: { runs: RUNS, rolledBack: good },
      note: "simulated; ten fields that are bad in 2 % of the items, looked at after each of 2,000 items of the canary",
    },
    {
      figure: "canary: items until a broken version is rolled back",
      value: items[RUNS / 2]!,
      unit: "items",
      goal: { atMost: 40 },
      rounds: 1,
      from: {
        runs: RUNS,
        found: bad.filter(({ verdict }) => verdict === "bad").length,
        slowest: items.at(-1)!,
      },
      note: "simulated; one of ten fields is bad in 30 % instead of 2 % of the items; the median",
    },
    {
      figure: "gate: 500 stored pages read with two versions",
      value: middle.seconds,
      unit: "s",
      goal: { atMost: 5 },
      rounds,
      from: { pages: PAGES, fields: FIELDS, cpuSeconds: middle.cpuSeconds },
      note: "from the request to the verdict, with the start of the threads",
    },
  ];
};

const extract = (selector: string): string =>
  `extract: { from: "page", fields: { ${Array.from({ length: FIELDS }, (_, n) => `f${n}: field.text("${selector}${n}")`).join(", ")} } }`;

const judgePages = async (): Promise<{ readonly seconds: number; readonly cpuSeconds: number }> => {
  const page = (n: number): string =>
    `<html><body>${Array.from({ length: FIELDS }, (_, f) => `<p class="f${f}" id="f${f}">${f} of ${n}</p>`).join("\n")}${"<p>Text beside the fields.</p>".repeat(100)}</body></html>`;
  await using stored = await openStoredJob(
    extract(".f"),
    Array.from({ length: PAGES }, (_, n) => page(n)),
  );
  const { ledger, blobs, location } = stored;
  const scrapers = openCatalog(undefined, { blobs, documents: ledger.documents });
  const context = { ledger, blobs, location, scrapers, now: Date.now, laneOf: () => "example.org" };
  const deploy = async (code: string): Promise<string> => {
    const bundle = packBundle(await makeBundle(await loadScraper(await stored.writeScraper("county", code))));
    return (await deployScraper(context, { name: "county", bundle, by: "bench" })).version;
  };
  const by = "bench";
  await activateVersion(context, { scraper: "county", version: await deploy(extract(".f")), by });
  const version = await deploy(extract("#f"));
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const { isRefused, pages } = await gateVersion(context, { scraper: "county", version, by });
  if (isRefused || pages.items !== PAGES) throw new Error("the gate has not read all pages");
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    seconds: Math.round(performance.now() - startedAt) / 1000,
    cpuSeconds: Math.round((user + system) / 1000) / 1000,
  };
};
