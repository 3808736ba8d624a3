import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { shellWord } from "../../src/cli/text.ts";
import { compareWithTruth } from "./demo-compare.ts";
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
}: {
  readonly county: County;
  /** This many of the county's parcels, from the first. */
  readonly parcels: number;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<number> {
  const input = "some-parcels.csv";
  const output = "bills-of-the-service.csv";
  writeFileSync(join(folder, input), [...parcelsCsv(parcels)].join(""));
  const scrapers = relative(folder, import.meta.dirname);
  writeFileSync(
    join(folder, "sluice.config.ts"),
    `export default { data: "./service", scrapers: ${JSON.stringify(scrapers)} };\n`,
  );
  console.log(
    `\nThe same as a service, for ${parcels} of the parcels. It stops with the demo: its addresses are of use until then.`,
  );
  await using service = await startService(folder, env);
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
  console.log("docs/service.md shows how to have a service of your own.");
  return 0;
}

interface DemoService extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  /** True if it ended as expected. */
  stop(): Promise<boolean>;
}

/** Undefined if it ended instead; it has printed why. */
async function startService(
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<DemoService | undefined> {
  const args = ["serve", "--workers", "2", "--port", "0"];
  console.log(`\n$ npx sluice ${args.join(" ")}`);
  // As JSON, which is not shown: the first line holds the admin key.
  const child = startSluice([...args, "--json"], { cwd, env }, ["inherit", "pipe", "inherit"]);
  const ended = once(child, "exit") as Promise<[number | null]>;
  const stop = async (): Promise<boolean> => {
    child.kill("SIGTERM");
    return (await ended)[0] === 0;
  };
  const lines = createInterface(child.stdout!);
  const [line] = (await Promise.race([once(lines, "line"), ended.then(() => [])])) as [string?];
  if (line === undefined) return undefined;
  const { url, key } = JSON.parse(line) as { readonly url: string; readonly key: string };
  return { url, key, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
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
