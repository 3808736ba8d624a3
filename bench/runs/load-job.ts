/** Creates a job and loads its inputs from a CSV file, as `sluice run` does. Returns how long the loading took. */
import { readInputs } from "../../src/inputs/read-inputs.ts";
import { laneOf, openStorage } from "../../src/compose.ts";
import { createJob, loadInputs, type Submission } from "../../src/pipeline/submit.ts";
import { loadScraper } from "../../src/scrapers/load-scraper.ts";
import { compileScraper } from "../../src/scrapers/compiled-scraper.ts";

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
const ready = await compileScraper(await loadScraper(scraper));
await using storage = await openStorage(data);
const submission: Submission = {
  job,
  client: "bench",
  ready,
  inputs: readInputs(csv),
  laneOf,
};
const startedAt = performance.now();
await createJob(storage.ledger, submission);
const { accepted } = await loadInputs(storage.ledger, submission);
const seconds = (performance.now() - startedAt) / 1_000;
const maxRssMb = process.resourceUsage().maxRSS / 1_024;
console.log(JSON.stringify({ seconds, accepted, maxRssMb } satisfies Loaded));
