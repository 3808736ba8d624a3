/** `npm run demo -- --stay`: something to see on every page of the dashboard. All of it really happens: sites, jobs, versions, releases, deliveries. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Job, type NewJob, SluiceClient } from "../../src/client.ts";
import { closeServer } from "./listen.ts";
import { DEFAULT_SEED, parcelId } from "./parcels.ts";
import { startCounty } from "./site.ts";

/** Enough for a finding about a run: shares of fewer than 30 items are only counted. */
const LAKE_PARCELS = 48;
const HILL_PARCELS = 120;
/** With the first run, as many as a finding about the next one needs to hold a release. */
const PAST_WEEKS = 4;
const WEEK_MS = 7 * 86_400_000;
const LOOK_MS = 100;

export interface DashboardFill {
  readonly client: SluiceClient;
  readonly server: string;
  /** Of the county that the service already knows. */
  readonly parcels: number;
  /** The project: its configuration names the folder `scrapers` in it. */
  readonly folder: string;
  /** Runs a command of Sluice in the project; its exit code. */
  readonly type: (args: readonly string[]) => Promise<number>;
}

/** `going` gets what has to go on while the dashboard is looked at: the sites and the receiver of events. */
export async function fillDashboard(fill: DashboardFill, going: AsyncDisposableStack): Promise<void> {
  const lake = going.use(
    await startCounty({
      parcels: LAKE_PARCELS,
      troubles: "captcha=6,changed=3,hang=2,absent=5,malformed=6",
      keepsArrivals: false,
    }),
  );
  const hill = going.use(
    await startCounty({
      parcels: HILL_PARCELS,
      changeAfterItems: 40,
      changeTo: "all",
      keepsArrivals: false,
    }),
  );
  const hooks = going.use(await startReceiver());
  writeScraper(fill.folder, "hill-county", hill.url);
  writeScraper(fill.folder, "lake-county", lake.url);
  const { client } = fill;
  await client.createWebhook({ url: `${hooks.url}/events` });
  await client.createWebhook({ url: `${hooks.url}/closed`, events: ["job.completed", "release.held"] });
  await Promise.all([
    showLake(fill, lake.url, () => lake.changeLayout("some")),
    showStates(fill),
    showClients(fill),
  ]);
  await until(
    () => client.listAlerts(),
    ({ data }) => data.length > 0,
  );
}

/** Weekly runs: versions with a gate and a canary, a dataset with releases, and a week in which values are lost. */
const showLake = async ({ client, folder, type }: DashboardFill, site: string, lose: () => void) => {
  const scraper = "lake-county";
  const fired = (times: number) =>
    until(
      () => client.schedules.get("lake-weekly"),
      ({ counts }) => counts.done === times,
    );
  const deploy = async (change: (text: string) => string = String): Promise<void> => {
    writeScraper(folder, scraper, site, change);
    if ((await type(["deploy", scraper])) !== 0) throw new Error(`${scraper} was not deployed`);
  };
  const release = async (): Promise<void> => {
    const { number } = await client.datasets.writeRelease("lake-taxes");
    const { state } = await client.datasets.auditRelease("lake-taxes", number);
    if (state !== "held") await client.datasets.publishRelease("lake-taxes", number);
  };
  await deploy();
  await client.versions.activate(scraper);
  await client.datasets.saveDataset("lake-taxes", {
    sources: [{ scraper }],
    rules: { minRows: 20, completeness: { owner: 0.9 }, ranges: { taxDue: { min: 0, max: 1_000_000 } } },
    lateAfterMs: 8 * 86_400_000,
  });
  await client.schedules.create({
    name: "lake-weekly",
    scraper,
    when: { cron: "0 6 * * mon", zone: "America/Chicago" },
    inputsFrom: { rows: inputs(LAKE_PARCELS) },
    job: { labels: { team: "lakes" } },
  });
  await endedJob(client, { scraper, inputs: inputs(LAKE_PARCELS), labels: { team: "lakes" } });
  await release();
  // It looks for the owner in the wrong place: stored pages refuse it.
  await deploy((text) => text.replace("#account .owner", "#account .holder"));
  await client.versions.gate(scraper);
  // A good one, on some items. What it collects cannot be judged by stored pages.
  await deploy((text) => text.replace('http.get("/search")', 'http.get("/search?from=demo")'));
  await client.versions.startCanary(scraper, "newest", { share: 0.3 });
  // The weeks before this one, and then this one.
  const weeksAgo = (weeks: number): string => new Date(Date.now() - weeks * WEEK_MS).toISOString();
  await client.schedules.backfill("lake-weekly", { from: weeksAgo(PAST_WEEKS), to: weeksAgo(0) });
  await fired(PAST_WEEKS);
  await release();
  lose();
  await client.schedules.run("lake-weekly");
  await fired(PAST_WEEKS + 1);
  await until(
    () => client.datasets.listDrift(scraper, { open: "true" }),
    ({ data }) => data.length > 0,
  );
  await release();
};

/** One job of each state, one that the breaker holds, and a schedule that is skipped because the time before has not ended. */
const showStates = async ({ client, parcels }: DashboardFill): Promise<void> => {
  const create = async (job: NewJob): Promise<string> => (await client.createJob(job)).job.id;
  const inADay = new Date(Date.now() + 86_400_000).toISOString();
  const slowly = { scraper: "county", inputs: inputs(parcels), pace: { perSecond: 0.1 } };
  await create({ ...slowly, labels: { team: "tax" }, deadlineAt: inADay });
  await client.pauseJob(await create({ ...slowly, labels: { team: "tax" } }));
  await client.cancelJob(await create({ ...slowly, labels: { team: "tax" } }));
  await create({ scraper: "county", inputs: inputs(2), seal: false });
  // The next time comes in a minute or two, while the first one still runs.
  const minute = new Date(Date.now() + 90_000).getUTCMinutes();
  await client.schedules.create({
    name: "county-hourly",
    scraper: "county",
    when: { cron: `${minute} * * * *`, zone: "America/Chicago" },
    inputsFrom: { rows: inputs(60) },
    job: { pace: { perSecond: 0.1 } },
  });
  await client.schedules.run("county-hourly");
  const hill = await create({ scraper: "hill-county", inputs: inputs(HILL_PARCELS) });
  await until(
    () => client.getJob(hill),
    ({ held, counts }) => held.length > 0 && counts.states.leased === 0,
  );
};

/** Two clients, each with a key and a job of its own. */
const showClients = async ({ client, server }: DashboardFill): Promise<void> => {
  await client.createClient({ name: "tax-office", weight: 2, requestsPerDay: 50_000 });
  await client.createClient({ name: "research", itemsPerDay: 1000, maxRunning: 4 });
  for (const name of ["tax-office", "research"]) {
    const { key } = await client.createKey(name, "client");
    const own = new SluiceClient({ server, key: key! });
    await endedJob(own, { scraper: "county", inputs: inputs(30) });
  }
};

/** The example's scraper for another site, with more time for each request, and amounts that a page may lack. */
const writeScraper = (
  folder: string,
  name: string,
  site: string,
  change: (text: string) => string = String,
): void => {
  const text = readFileSync(join(import.meta.dirname, "county.scraper.ts"), "utf8")
    .replace('name: "county"', `name: ${JSON.stringify(name)}`)
    .replace(/site: .*,/, `site: ${JSON.stringify(site)},`)
    .replace(/pace: .*,/, "pace: { perSecond: 100, concurrency: 4 },")
    .replace("requestMs: 2500", "requestMs: 8000")
    .replace(/"#(market|assessed|taxdue)"\)/g, '"#$1").optional()');
  writeFileSync(join(folder, "scrapers", `${name}.scraper.ts`), change(text));
};

const inputs = (count: number): { readonly parcel: string }[] =>
  Array.from({ length: count }, (_, n) => ({ parcel: parcelId(DEFAULT_SEED, n) }));

const endedJob = async (client: SluiceClient, job: NewJob): Promise<Job> => {
  const { id } = (await client.createJob(job)).job;
  return await until(
    () => client.getJob(id),
    ({ state }) => state === "done",
  );
};

const until = async <Answer>(
  ask: () => Promise<Answer>,
  isSo: (answer: Answer) => boolean,
): Promise<Answer> => {
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    await delay(LOOK_MS);
  }
};

/** Receives events. What is sent to `/closed` is refused. */
const startReceiver = async (): Promise<AsyncDisposable & { readonly url: string }> => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === "/closed" ? 503 : 204).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
};
