import { existsSync } from "node:fs";
import { basename } from "node:path";
import { openStorage } from "../compose.ts";
import { ledgerFile } from "../config/storage-location.ts";
import { blobPath, type Storage, type StorageLocation } from "../ports/storage.ts";
import { resolveScraper } from "../config/find-scrapers.ts";
import type { JobView } from "../domain/job.ts";
import type { JobLedger, Ledger } from "../ports/ledger.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import { UsageError } from "./exit.ts";
import { allJobs, findJob, isTrial } from "./find-job.ts";

/** For commands that need existing data: a mistyped folder is an error and is not created. */
export const openExistingStorage = async (
  location: StorageLocation,
  options?: { readonly cacheMb: number },
): Promise<Storage> => {
  mustExist(location);
  return await openStorage(location, options);
};

export const mustExist = (location: StorageLocation): void => {
  const { data } = location;
  // Opening reports URLs that no backend knows.
  if (!location.ledger.startsWith("sqlite:")) return;
  const ledger = ledgerFile(location);
  if (existsSync(ledger)) return;
  if (location.blobs.startsWith("file:") && existsSync(blobPath(location, "jobs")))
    throw new UsageError(
      `${data}: this folder has an archive, but its ledger (${basename(ledger)}) is missing. Restore it from a backup, or rebuild it with \`sluice rebuild\`.`,
    );
  throw new UsageError(
    `${data}: not a Sluice data folder. Start a job with \`sluice run\`, or name the folder with --data DIR.`,
  );
};

/** The name of a scraper, by its name or its file. An unknown name is returned as it is: the scraper may be gone, its jobs not. */
export const ownScraperName = async (named: string): Promise<string> => {
  try {
    return (await loadScraper(await resolveScraper(named))).scraper.name;
  } catch (error) {
    if (error instanceof ScraperLoadError && error.code === "unknown-scraper") return named;
    throw error;
  }
};

/** For `--all SCRAPER`: its jobs created since then, by its name or its file; oldest first, so that the newest is printed last. */
export const scraperJobs = async (ledger: JobLedger, named: string, since = 0): Promise<JobView[]> => {
  const recent: JobView[] = [];
  for await (const view of allJobs(ledger)) {
    if (view.createdAt < since) break;
    if (!isTrial(view)) recent.push(view);
  }
  const byName = recent.filter(({ spec }) => spec.scraper === named);
  const own = byName.length > 0 ? named : await ownScraperName(named);
  const found = byName.length > 0 ? byName : recent.filter(({ spec }) => spec.scraper === own);
  if (found.length > 0) return found.toReversed();
  throw new UsageError(
    `--all ${named}: no job of this scraper${since > 0 ? " since then" : ""}. ` +
      "`sluice jobs ls` lists jobs with their scrapers; use the name, or the path of the file.",
  );
};

/** A set of records: `JOB` for the current one, `JOB@first`, or `JOB@EXTRACTION`. */
export const findRecordSet = async (
  ledger: Ledger,
  named: string,
): Promise<{ readonly view: JobView; readonly which: string }> => {
  const at = named.indexOf("@");
  const view = await findJob(ledger, at < 0 ? named : named.slice(0, at));
  return { view, which: at < 0 ? "current" : named.slice(at + 1) };
};
