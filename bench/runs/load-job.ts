/** Creates a job and loads its inputs from a CSV file, as `sluice run` does. Answers how long the loading took. */
import { readInputs } from "../../src/inputs/read-inputs.ts";
import { laneOf, openHouse } from "../../src/compose.ts";
import { createJob, loadInputs, type Submission } from "../../src/flow/submit.ts";
import { loadScraper } from "../../src/scrapers/load-scraper.ts";
import { readyScraper } from "../../src/scrapers/ready-scraper.ts";

export interface LoadTask {
  readonly data: string;
  readonly job: string;
  readonly scraper: string;
  readonly csv: string;
}

export interface Loaded {
  readonly seconds: number;
  readonly accepted: number;
  readonly maxRssMb: number;
}

const { data, job, scraper, csv } = JSON.parse(process.argv[2]!) as LoadTask;
const ready = await readyScraper(await loadScraper(scraper));
await using house = await openHouse(data);
const submission: Submission = {
  job,
  client: "bench",
  ready,
  inputs: readInputs(csv),
  laneOf,
};
const startedAt = performance.now();
await createJob(house.ledger, submission);
const { accepted } = await loadInputs(house.ledger, submission);
const seconds = (performance.now() - startedAt) / 1_000;
const maxRssMb = process.resourceUsage().maxRSS / 1_024;
console.log(JSON.stringify({ seconds, accepted, maxRssMb } satisfies Loaded));
