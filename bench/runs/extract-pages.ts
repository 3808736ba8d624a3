/** Runs `sluice extract` over a stored job, as a user does. Returns how long it took and how large the process grew. */
import { main } from "../../src/cli/main.ts";

export interface ExtractTask {
  readonly data: string;
  readonly job: string;
  readonly cores: number;
}

export interface ExtractRun {
  readonly seconds: number;
  readonly exitCode: number;
  readonly maxRssMb: number;
  /** A quarter of the way, when everything is warm, and at the end. */
  readonly rssMbEarly: number;
  readonly rssMbAtEnd: number;
}

const MB = 1_048_576;
const { data, job, cores } = JSON.parse(process.argv[2]!) as ExtractTask;
const samples: number[] = [];
const sample = (): void => void samples.push(process.memoryUsage.rss() / MB);
const timer = setInterval(sample, 250);
const startedAt = performance.now();
const exitCode = await main(["extract", job, "--cores", String(cores), "--data", data, "--quiet"]);
const seconds = (performance.now() - startedAt) / 1_000;
sample();
clearInterval(timer);
const run: ExtractRun = {
  seconds,
  exitCode,
  maxRssMb: process.resourceUsage().maxRSS / 1_024,
  rssMbEarly: samples[Math.floor(samples.length / 4)]!,
  rssMbAtEnd: samples.at(-1)!,
};
console.log(JSON.stringify(run));
