/** `npm run demo`: a county of 2,000 parcels with every kind of trouble, scraped to its end, and held against the site's own truth. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parcelsCsv } from "./inputs.ts";
import { startCounty } from "./site.ts";

const PARCELS = 2000;
const ROOT = resolve(import.meta.dirname, "../..");
const folder = join(ROOT, "data/demo");
const shown = (path: string): string => relative(process.cwd(), path);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const [input, truth, output] = ["parcels.csv", "truth.jsonl", "bills.csv"].map((name) =>
  join(folder, name),
) as [string, string, string];
writeFileSync(input, [...parcelsCsv(PARCELS)].join(""));

await using county = await startCounty({ parcels: PARCELS, troubles: "all", truth, keepsArrivals: false });
console.log(`Willow County, ${PARCELS} parcels, every kind of trouble: ${county.url}`);
const args = ["run", join(import.meta.dirname, "county.scraper.ts"), "--input", input, "--output", output];
const run = spawn(process.execPath, [join(ROOT, "bin/sluice.js"), ...args, "--data", folder], {
  stdio: "inherit",
  env: { ...process.env, COUNTY_URL: county.url },
});
const [code] = (await once(run, "exit")) as [number | null];
// 3 is right: some parcels of this county cannot be had, and Sluice says so.
if (code !== 3) process.exitCode = code ?? 1;
else process.exitCode = await compare();

async function compare(): Promise<number> {
  const reported = new Map<string, string>();
  for await (const line of linesOf(join(folder, "blobs/jobs"), "manifest.jsonl")) {
    const { key, state, failure, quality } = JSON.parse(line) as {
      key: string;
      state: string;
      failure?: { kind: string };
      quality?: string;
    };
    reported.set(key, [state, state === "failed" ? failure?.kind : quality].filter(Boolean).join(" "));
  }
  let [right, wrong] = [0, 0];
  for await (const line of createInterface(createReadStream(truth))) {
    const { parcel, state, kind, quality } = JSON.parse(line) as Record<string, string>;
    const expected = [state, kind ?? quality].filter(Boolean).join(" ");
    if (reported.get(parcel!) === expected) right++;
    else {
      wrong++;
      console.error(`${parcel}: the site did "${expected}", Sluice says "${reported.get(parcel!)}"`);
    }
  }
  console.log(`\n${right} of ${right + wrong} parcels ended as the site's own record says they should.`);
  console.log(`The bills: ${shown(output)}. Look into one: less ${shown(output)}`);
  return wrong === 0 ? 0 : 1;
}

async function* linesOf(jobs: string, name: string): AsyncGenerator<string> {
  for (const job of readdirSync(jobs)) yield* createInterface(createReadStream(join(jobs, job, name)));
}
