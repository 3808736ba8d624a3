/** A service with one worker takes a file of inputs over its API. Returns the time, how large the controller grew, and what ran meanwhile. */
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { Service } from "../../test/e2e/service-process.ts";
import { cpuSeconds, peakMb } from "../process-usage.ts";

export interface UploadTask {
  readonly folder: string;
  readonly origin: string;
  readonly file: string;
  readonly format: "csv" | "ndjson";
  readonly isGzip: boolean;
}

export interface UploadRun {
  readonly seconds: number;
  readonly accepted: number;
  readonly controllerCpuSeconds: number;
  readonly controllerPeakMb: number;
  /** Items that had ended at the end of the upload. */
  readonly ended: number;
}

const { folder, origin, file, format, isGzip } = JSON.parse(process.argv[2]!) as UploadTask;

await using service = new Service(join(folder, "service"), { BENCH_SITE: origin });
service.writeScraper("tiny", readFileSync(join(import.meta.dirname, "../scrapers/tiny.ts"), "utf8"));
const client = await service.serve("--workers", "1");
const pid = service.controller.child.pid!;
const { job } = await client.createJob({ scraper: "tiny" });
const cpuBefore = cpuSeconds(pid);
const startedAt = performance.now();
const { accepted } = await client.addInputs(job.id, createReadStream(file), { format, isGzip });
const seconds = (performance.now() - startedAt) / 1_000;
const { progress } = await client.getJob(job.id);
const run: UploadRun = {
  seconds,
  accepted,
  controllerCpuSeconds: cpuSeconds(pid) - cpuBefore,
  controllerPeakMb: peakMb(pid),
  ended: progress.ended,
};
await client.cancelJob(job.id);
console.log(JSON.stringify(run));
