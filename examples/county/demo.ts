/**
 * `npm run demo`: a county with every kind of trouble, scraped locally, then a part of it through the service. Both are compared
 * with the site's own truth. With `--stay` the service stays open, with data on every page of the dashboard.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compareWithTruth } from "./demo-compare.ts";
import { showService } from "./demo-service.ts";
import { endWithDemo, runSluice } from "./demo-sluice.ts";
import { parcelsCsv } from "./inputs.ts";
import { startCounty } from "./site.ts";

const { values } = parseArgs({
  options: {
    parcels: { type: "string", default: "2000" },
    data: { type: "string", default: resolve(import.meta.dirname, "../../data") },
    stay: { type: "boolean", default: false },
  },
});
const parcels = Number(values.parcels);
const folder = resolve(values.data, "demo");

endWithDemo();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const [input, truth, output] = [
  join(folder, "parcels.csv"),
  join(folder, "truth.jsonl"),
  join(folder, "bills.csv"),
];
writeFileSync(input, [...parcelsCsv(parcels)].join(""));

await using county = await startCounty({ parcels, troubles: "all", truth, keepsArrivals: false });
console.log(`Willow County, ${parcels} parcels, every kind of trouble: ${county.url}`);
const env = { COUNTY_URL: county.url };
const scraper = join(import.meta.dirname, "county.scraper.ts");
const code = await runSluice(["run", scraper, "--input", input, "--output", output, "--data", folder], {
  env,
});
// 3 is right: some parcels of this county cannot be fetched, and Sluice reports them.
if (code !== 3) process.exitCode = code || 1;
else if (!compareWithTruth(output, county.truth())) process.exitCode = 1;
else {
  const bills = relative(process.cwd(), output);
  console.log(`The bills: ${bills}. Look into one: less ${bills}`);
  process.exitCode = await showService({
    county,
    parcels: Math.min(parcels, 200),
    folder,
    env,
    stay: values.stay,
  });
}
// What still waits for a service that was interrupted is given up.
process.exit();
