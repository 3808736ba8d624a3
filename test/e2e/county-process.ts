import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { COUNTY_SCRAPER, ROOT } from "./sluice-process.ts";

export interface CountySite extends AsyncDisposable {
  readonly url: string;
  readonly urls: readonly string[];
  readonly process: ChildProcess;
}

/** The county site in its own process, so that nothing the tests do to Sluice disturbs its counts. */
export const startSite = async (args: readonly string[]): Promise<CountySite> => {
  const site = spawn(process.execPath, [join(ROOT, "examples/county/serve.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(site.stdout), "line")) as [string];
  const { url, urls } = JSON.parse(line) as { url: string; urls: string[] };
  return {
    url,
    urls,
    process: site,
    async [Symbol.asyncDispose]() {
      if (site.exitCode !== null) return;
      site.kill("SIGTERM");
      await once(site, "exit");
    },
  };
};

/** The example's scraper with more time for each request: on a busy machine, a good page may take longer than the example allows. */
export const patientCounty = (): string =>
  readFileSync(COUNTY_SCRAPER, "utf8").replace("requestMs: 2500", "requestMs: 8000");

export const readLines = <T>(file: string): T[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
