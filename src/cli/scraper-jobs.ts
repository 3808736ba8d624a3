import type { JobView } from "../domain/job.ts";
import type { JobLedger } from "../ports/ledger.ts";
import { allJobs, isTrial } from "./find-job.ts";
import { ownScraperName } from "./own-scraper-name.ts";
import { UsageError } from "./usage-error.ts";

/** For `--all SCRAPER`: its jobs begun since then, by its name or its file; oldest first, so that what is printed last is the newest. */
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
    `--all ${named}: no job of that scraper${since > 0 ? " since then" : ""}. ` +
      "`sluice jobs ls` lists jobs with their scrapers; give the name, or the path of the file.",
  );
};
