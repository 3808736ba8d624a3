import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { shellWord } from "../../src/cli/text.ts";
import { SluiceClient } from "../../src/client.ts";
import { compareWithTruth } from "./demo-compare.ts";
import { type DashboardFill, fillDashboard } from "./demo-dashboard.ts";
import { runSluice, startSluice } from "./demo-sluice.ts";
import { parcelsCsv } from "./inputs.ts";
import type { County } from "./site.ts";
import type { Truth } from "./truth.ts";

/** Exit codes of an ended job: all items succeeded, or some failed, as some of this county must. */
const ENDED = [0, 3];

/** The same county through the service. Prints every command. Returns the demo's exit code. */
export async function showService({
  county,
  parcels,
  folder,
  env,
  stay,
}: {
  readonly county: County;
  /** This many of the county's parcels, from the first. */
  readonly parcels: number;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Keeps the service open, with data on every page of the dashboard, until Ctrl-C. */
  readonly stay: boolean;
}): Promise<number> {
  const input = "some-parcels.csv";
  const output = "bills-of-the-service.csv";
  writeFileSync(join(folder, input), [...parcelsCsv(parcels)].join(""));
  const scrapers = relative(folder, import.meta.dirname);
  const config = {
    data: "./service",
    scrapers,
    // Further scrapers, and a receiver of webhooks on this machine.
    ...(stay && { scrapers: [scrapers, "scrapers"], allowTargets: ["127.0.0.1"] }),
  };
  mkdirSync(join(folder, "scrapers"));
  writeFileSync(join(folder, "sluice.config.ts"), `export default ${JSON.stringify(config)};\n`);
  console.log(
    `\nThe same as a service, for ${parcels} of the parcels. It stops with the demo: its addresses are of use until then.`,
  );
  await using service = await startService(folder, env, stay);
  if (service === undefined) return 1;
  const { url, key } = service;
  console.log(`  API      ${url}\n  read it  ${url}/docs\n  metrics  ${url}/metrics`);
  if (!(await answers(`${url}/docs`)) || !(await answers(`${url}/metrics`, key))) return 1;

  // The key is stored with the demo's data: the user's own configuration is not touched.
  const typed = { cwd: folder, env: { ...env, SLUICE_SERVER: url, XDG_CONFIG_HOME: join(folder, "config") } };
  const type = (args: readonly string[], text?: string): Promise<number> => {
    console.log(`\n$ npx sluice ${args.join(" ")}`);
    return runSluice(args, { ...typed, ...(text !== undefined && { input: text }) });
  };
  if ((await type(["login", "--server", url], `${key}\n`)) !== 0) return 1;
  if ((await type(["submit", "county", "--input", input, "--label", "team=tax"])) !== 0) return 1;
  if (!ENDED.includes(await type(["jobs", "watch", "last"]))) return 1;
  if ((await type(["jobs", "results", "last", "--output", output])) !== 0) return 1;
  if (!compareWithTruth(join(folder, output), firstOf(county.truth(), parcels))) return 1;
  if (stay && !(await stayOpen(service, { folder, type, parcels }))) return 1;
  if (!(await service.stop())) return 1;
  console.log(`The bills: ${relative(process.cwd(), join(folder, output))}`);
  // The site and the service are gone; their data remains.
  const here = relative(process.cwd(), folder) || ".";
  console.log("\nThe site and the service have stopped. What they left can be looked at:");
  for (const command of [
    `jobs show last --data ${shellWord(here)}`,
    `items ls last --state failed --data ${shellWord(here)}`,
    `export last --data ${shellWord(here)}`,
    `jobs ls --data ${shellWord(join(here, "service"))}`,
  ])
    console.log(`  npx sluice ${command}`);
  console.log(
    `In the browser, with \`npm run demo -- --stay\` for data on every page:\n  npx sluice serve --no-key --data ${shellWord(here)}`,
  );
  console.log("docs/service.md shows how to have a service of your own.");
  return 0;
}

/** False if the service ended by itself. */
async function stayOpen(
  { url, key, ended }: DemoService,
  rest: Pick<DashboardFill, "folder" | "type" | "parcels">,
): Promise<boolean> {
  const over = Promise.race([once(process, "SIGINT").then(() => true), ended.then(() => false)]);
  console.log("\nNow something for every page of the dashboard. This takes a minute or two.");
  await using going = new AsyncDisposableStack();
  const filled = fillDashboard(
    { client: new SluiceClient({ server: url, key }), server: url, ...rest },
    going,
  );
  const first = await Promise.race([filled, over]);
  if (first !== undefined) {
    filled.catch(() => undefined); // it was interrupted
    return first;
  }
  console.log(`\nThe dashboard has data on every page:\n  open     ${url}\n  sign in  ${key}`);
  console.log("Ctrl-C ends it.");
  return await over;
}

interface DemoService extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly ended: Promise<unknown>;
  /** True if it ended as expected. */
  stop(): Promise<boolean>;
}

/** Undefined if it ended instead; it has printed why. */
async function startService(
  cwd: string,
  env: Readonly<Record<string, string>>,
  isDetached: boolean,
): Promise<DemoService | undefined> {
  const args = ["serve", "--workers", "2", "--port", "0"];
  console.log(`\n$ npx sluice ${args.join(" ")}`);
  // As JSON, which is not shown: the first line holds the admin key.
  const child = startSluice([...args, "--json"], { cwd, env, isDetached }, ["inherit", "pipe", "inherit"]);
  const ended = once(child, "exit") as Promise<[number | null]>;
  const stop = async (): Promise<boolean> => {
    child.kill("SIGTERM");
    return (await ended)[0] === 0;
  };
  const lines = createInterface(child.stdout!);
  const [line] = (await Promise.race([once(lines, "line"), ended.then(() => [])])) as [string?];
  if (line === undefined) return undefined;
  const { url, key } = JSON.parse(line) as { readonly url: string; readonly key: string };
  return { url, key, stop, ended, [Symbol.asyncDispose]: async () => void (await stop()) };
}

async function answers(url: string, key?: string): Promise<boolean> {
  const { ok, status } = await fetch(url, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });
  if (!ok) console.error(`${url} answered ${status}`);
  return ok;
}

function* firstOf(truths: Iterable<Truth>, count: number): Generator<Truth> {
  let left = count;
  for (const truth of truths) {
    if (left-- === 0) return;
    yield truth;
  }
}
