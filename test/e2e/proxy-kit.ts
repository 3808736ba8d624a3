import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { openStorage } from "../../src/compose.ts";
import type { JobView } from "../../src/domain/job.ts";
import type { Storage } from "../../src/ports/storage.ts";

export const PASSWORD = "Xk7-unguessable-9Qz";
export const EXITS = { dc: "127.0.0.2", res: "127.0.0.3" };
export const folder = mkdtempSync(join(tmpdir(), "sluice-proxies-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const countySource = new URL("../../examples/county/county.scraper.ts", import.meta.url).href;

/** The county's scraper with tiers. Fast, because pace is the matter of other tests. */
export const scraperFile = (
  name: string,
  { ladder, more = "" }: { ladder: readonly string[]; more?: string },
): string => {
  const file = join(folder, `${name}.scraper.ts`);
  writeFileSync(
    file,
    `import county from ${JSON.stringify(countySource)};
export default { ...county, name: ${JSON.stringify(name)}, proxies: ${JSON.stringify(ladder)}, ${more}
  pace: { perSecond: 200, burst: 10, concurrency: 2 },
  failures: { ...county.failures, blocked: { backoff: { firstMs: 50, factor: 1, maxMs: 50 } }, proxy: { backoff: { firstMs: 50, factor: 1, maxMs: 50 } } } };
`,
  );
  return file;
};

export const inputs = (name: string, parcels: number): string => {
  const file = join(folder, `${name}.csv`);
  writeFileSync(file, [...parcelsCsv(parcels)].join(""));
  return file;
};

interface TierSetting {
  readonly zone: string;
  readonly perGB?: number;
}

/** Tiers of the fake provider, as the configuration would have them. */
export const tiers = (url: string, named: Readonly<Record<string, TierSetting>>): Record<string, string> => ({
  BRD_PASSWORD: PASSWORD,
  SLUICE_PROXIES: JSON.stringify({
    currency: "USD",
    tiers: Object.fromEntries(
      Object.entries(named).map(([name, { zone, perGB = 1 }]) => [
        name,
        {
          provider: "bright-data",
          url,
          values: { customer: "c1", zone },
          passwordEnv: "BRD_PASSWORD",
          price: { perGB },
        },
      ]),
    ),
  }),
});

export const LADDER = ["direct", "datacenter", "residential:us-tx"];
export const TWO_TIERS = { datacenter: { zone: "dc", perGB: 1 }, residential: { zone: "res", perGB: 8 } };

export const onlyJob = async ({ ledger }: Storage): Promise<JobView> => {
  const [job] = await ledger.listJobs();
  return (await ledger.readJob(job!.spec.id))!;
};

/** What a lane has learned: the tier of its ladder. */
export const tierOf = async ({ ledger }: Storage): Promise<string | undefined> => {
  const lanes = await ledger.listLanes({ limit: 10 });
  const [known] = lanes.flatMap(({ ladders = [] }) => ladders);
  return known?.tier;
};

/** Waits until a lane is held. */
export const heldReason = async ({ ledger }: Storage): Promise<string> => {
  for (;;) {
    const lanes = await ledger.listLanes({ limit: 10 });
    const reason = lanes.map(({ holdReason }) => holdReason).find((one) => one !== undefined);
    if (reason !== undefined) return reason;
    await delay(50);
  }
};

export const withStorage = async <Result>(
  data: string,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> => {
  await using storage = await openStorage(data);
  return await use(storage);
};
